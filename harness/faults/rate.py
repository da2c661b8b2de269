"""Faults of the rate at which bytes flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from .fault import Armed, Fault, FaultError, Mount
from .stage import Action, Bucket, Direction, Flow, Framing, Gap, Stage, Take
from .stream import SOCKETS, STREAMS, BenignFault, Reshaping
from .trigger import First


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle(BenignFault):
    """Each direction of a connection carries `rate` bytes a second; `burst` of them may come at once."""

    name: ClassVar[str] = "throttle"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    rate: float = 65536.0
    burst: int = 4096

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not (self.rate and self.burst):
            raise FaultError("throttle: rate and burst are more than 0")

    @property
    def delay(self) -> float:
        return self.burst / self.rate

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _Throttled(armed, flow, self)


class _Throttled(Reshaping):
    def __init__(self, armed: Armed, flow: Flow, fault: Throttle) -> None:
        super().__init__(armed, flow)
        self._bucket = Bucket(fault.rate, fault.burst)

    def reshaped(self, data: bytes) -> Iterator[Action]:
        for start in range(0, len(data), self._bucket.burst):
            piece = data[start : start + self._bucket.burst]
            self.note()
            yield Take(self._bucket, len(piece))
            yield piece


class Part(StrEnum):
    """The parts of a request."""

    HEADERS = "headers"
    BODY = "body"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowLoris(Fault):
    """A request drips: the bytes of its head, or of its body, come one by one, `rate` of them a second.

    On a connection whose requests nobody tells apart, the body is all that follows the first head.
    """

    name: ClassVar[str] = "slow_loris"
    mounts: ClassVar[frozenset[Mount]] = SOCKETS | {Mount.RELAY}
    rate: float = 10.0
    part: Part = Part.HEADERS

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not self.rate:
            raise FaultError("slow_loris: rate is more than 0")

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        request = flow.direction is Direction.UP and flow.framing in (Framing.RAW, Framing.REQUEST)
        return _Dripping(armed, flow, self) if request else None


class _Dripping(Stage):
    def __init__(self, armed: Armed, flow: Flow, fault: SlowLoris) -> None:
        self._armed, self._flow, self._fault = armed, flow, fault
        self._blank_line = First("\r\n\r\n").counter(flow.framing)
        self._in_head = True
        self._fires: bool | None = None

    def feed(self, data: bytes) -> Iterator[Action]:
        parts = self._parted(data)
        for part in Part:
            yield from self._drip(parts[part]) if part is self._fault.part else (parts[part],)

    def _parted(self, data: bytes) -> dict[Part, bytes]:
        end = self._blank_line.feed(data)
        size = end if end is not None else len(data) if self._in_head else 0
        self._in_head &= end is None
        return {Part.HEADERS: data[:size], Part.BODY: data[size:]}

    def _drip(self, data: bytes) -> Iterator[Action]:
        if data and self._fires is None:
            self._fires = self._armed.fire(f"{self._flow.name}, {self._fault.part}")
        if not self._fires:
            yield data
            return
        for place in range(len(data)):
            yield Gap(1 / self._fault.rate)
            yield data[place : place + 1]
