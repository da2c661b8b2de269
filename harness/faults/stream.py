"""Faults of byte streams."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from .exchange import Exchange, Forward
from .fault import Armed, Fault, FaultError, Mount
from .stage import Action, Direction, End, Flow, Framing, Gap, HalfClose, How, Lag, Stage

STREAMS = frozenset(Mount)
SOCKETS = frozenset({Mount.LINK, Mount.SIM})


class AtTrigger(Stage):
    """Passes everything on, and does something at the trigger."""

    def __init__(self, armed: Armed, flow: Flow, effect: tuple[Action, ...]) -> None:
        self._armed, self._flow, self._effect = armed, flow, effect
        self._counter = armed.fault.after.counter(flow.framing)
        self._passed = 0

    def feed(self, data: bytes) -> Iterator[Action]:
        offset = self._counter.feed(data)
        if offset is None:
            yield data
        else:
            yield data[: max(offset, 0)]
            yield from self._fire(self._passed + offset)
            yield data[max(offset, 0) :]
        self._passed += len(data)

    def eof(self) -> Iterator[Action]:
        if self._counter.eof():
            yield from self._fire(self._passed)

    def _fire(self, position: int) -> tuple[Action, ...]:
        fires = self._armed.fire(f"{self._flow.name} {self._flow.direction}, byte {position}")
        return self._effect if fires else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggeredFault(Fault):
    """Does `effect` once its trigger is reached in its direction."""

    direction: Direction = Direction.DOWN

    def effect(self) -> tuple[Action, ...]:
        raise NotImplementedError

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        elsewhere = self.after.whole and flow.framing in (Framing.BODY, Framing.SSE)  # there it is `on_exchange`
        mine = self.direction.covers(flow.direction) and not elsewhere
        return AtTrigger(armed, flow, self.effect()) if mine else None

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if self.after.whole and armed.fire(exchange.name):
            for action in self.effect():
                await exchange.perform(action)
        await forward()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut(TriggeredFault):
    """The connection ends: by FIN, by RST, or by silence."""

    name: ClassVar[str] = "cut"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    how: How = How.FIN

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.how is How.GATEWAY_TIMEOUT:
            raise FaultError("cut: how is fin, reset or stall")

    def effect(self) -> tuple[Action, ...]:
        return (Gap(math.inf),) if self.how is How.STALL else (End(self.how),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall(TriggeredFault):
    """Nothing more is forwarded for so many seconds; the socket stays open."""

    name: ClassVar[str] = "stall"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    seconds: float = math.inf

    def effect(self) -> tuple[Action, ...]:
        return (Gap(self.seconds),)


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfClosed(TriggeredFault):
    """Sending ends in one direction, the other goes on."""

    name: ClassVar[str] = "half_close"
    mounts: ClassVar[frozenset[Mount]] = SOCKETS
    direction: Direction = Direction.UP

    def effect(self) -> tuple[Action, ...]:
        return (HalfClose(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenignFault(Fault):
    """Reshapes the flow in time or in pieces; every connection is a firing."""

    times: int = 0
    direction: Direction = Direction.BOTH

    @property
    def benign(self) -> bool:
        return True

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        return self.reshaping(armed, flow) if self.direction.covers(flow.direction) else None

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        raise NotImplementedError


class Reshaping(Stage):
    """Fires with the first bytes that it changes."""

    def __init__(self, armed: Armed, flow: Flow) -> None:
        self._armed, self._flow, self._fired = armed, flow, False

    def note(self) -> None:
        if not self._fired:
            self._fired = True
            self._armed.fire(f"{self._flow.name} {self._flow.direction}")

    def random(self) -> Random:
        return self._armed.random(f"{self._flow.name}/{self._flow.direction}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(BenignFault):
    """Every byte arrives so many seconds later, jitter added; the order is kept and delays do not add up."""

    name: ClassVar[str] = "latency"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    seconds: float = 0.02
    jitter: float = 0.0

    @property
    def delay(self) -> float:
        return self.seconds + self.jitter

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _Late(armed, flow, self)


class _Late(Reshaping):
    ahead = 256

    def __init__(self, armed: Armed, flow: Flow, fault: Latency) -> None:
        super().__init__(armed, flow)
        self._fault, self._random = fault, self.random()

    def feed(self, data: bytes) -> Iterator[Action]:
        if data:
            self.note()
            yield Lag(self._fault.seconds + self._fault.jitter * self._random.random())
        yield data


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice(BenignFault):
    """The same bytes in smaller writes. Of one chunk at most `most` pieces are cut, the rest goes whole."""

    name: ClassVar[str] = "slice"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    smallest: int = 1
    largest: int = 64
    gap: float = 0.001
    most: int = 32

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not 1 <= self.smallest <= self.largest:
            raise FaultError("slice: needs 1 <= smallest <= largest")

    @property
    def delay(self) -> float:
        return self.most * self.gap

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _Sliced(armed, flow, self)


class _Sliced(Reshaping):
    def __init__(self, armed: Armed, flow: Flow, fault: Slice) -> None:
        super().__init__(armed, flow)
        self._fault, self._random = fault, self.random()

    def feed(self, data: bytes) -> Iterator[Action]:
        for _ in range(self._fault.most):
            size = self._random.randint(self._fault.smallest, self._fault.largest)
            if len(data) <= size:
                break
            self.note()
            yield data[:size]
            yield Gap(self._fault.gap)
            data = data[size:]
        yield data


SPLITS = 32
INSIDES: dict[str, re.Pattern[bytes]] = {
    "code-point": re.compile(rb"[\xc2-\xf4](?=[\x80-\xbf])"),
    "field": re.compile(rb"\bda(?=ta:)|\beve(?=nt:)|\bi(?=d:)|\bret(?=ry:)"),
    "crlf": re.compile(rb"\r(?=\n)"),
    "escape": re.compile(rb'\\(?=["\\/bfnrtu])'),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitAt(BenignFault):
    """A write ends just inside every code point, SSE field name, CRLF or JSON escape (at most SPLITS a chunk)."""

    name: ClassVar[str] = "split_at"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    inside: str = "code-point"
    gap: float = 0.001

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.inside not in INSIDES:
            raise FaultError(f"split_at: inside is one of {', '.join(INSIDES)}")

    @property
    def delay(self) -> float:
        return SPLITS * self.gap

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _SplitInside(armed, flow, self)


class _SplitInside(Reshaping):
    def __init__(self, armed: Armed, flow: Flow, fault: SplitAt) -> None:
        super().__init__(armed, flow)
        self._pattern, self._gap = INSIDES[fault.inside], Gap(fault.gap)

    def feed(self, data: bytes) -> Iterator[Action]:
        start = 0
        for match, _ in zip(self._pattern.finditer(data), range(SPLITS), strict=False):
            self.note()
            yield data[start : match.end()]
            yield self._gap
            start = match.end()
        yield data[start:]
