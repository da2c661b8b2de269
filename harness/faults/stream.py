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
from .trigger import EOF, Trigger

STREAMS = frozenset(Mount)
SOCKETS = frozenset({Mount.LINK, Mount.SIM})
EXCHANGED = frozenset({Framing.REQUEST, Framing.BODY, Framing.SSE, Framing.WEBSOCKET})
"""What the parts of an exchange are made of."""


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
        elsewhere = self.after.whole and flow.framing in EXCHANGED  # there it is `on_exchange`
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
    fatal: ClassVar[bool] = True
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
class SlowClose(TriggeredFault):
    """The end of sending is passed on only after so many seconds."""

    name: ClassVar[str] = "slow_close"
    mounts: ClassVar[frozenset[Mount]] = SOCKETS | {Mount.PIPE}
    after: Trigger = EOF
    direction: Direction = Direction.BOTH
    seconds: float = 5.0

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.after != EOF:
            raise FaultError("slow_close: after is eof")

    def effect(self) -> tuple[Action, ...]:
        return (Gap(self.seconds),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrupt(Fault):
    """From the trigger on, `count` bytes have their bits flipped by `xor`, each with the chance `rate`.

    The `xor` of 128 makes ASCII text no UTF-8 any more; 0 stands for a chance one for each byte.
    """

    name: ClassVar[str] = "corrupt"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    direction: Direction = Direction.UP
    count: int = 1
    rate: float = 1.0
    xor: int = 0x80

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.xor > 255 or not 0 < self.rate <= 1 or not self.count:
            raise FaultError("corrupt: xor is at most 255, rate more than 0 and at most 1, count at least 1")

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        return _Corrupted(armed, flow, self) if self.direction.covers(flow.direction) else None


class _Corrupted(Stage):
    def __init__(self, armed: Armed, flow: Flow, fault: Corrupt) -> None:
        self._armed, self._flow, self._fault = armed, flow, fault
        self._counter, self._passed, self._left = fault.after.counter(flow.framing), 0, 0
        self._random = armed.random(f"{flow.name}/{flow.direction}")
        self._fires: bool | None = None

    def feed(self, data: bytes) -> Iterator[Action]:
        offset, made = self._counter.feed(data), bytearray(data)
        if offset is not None:
            self._left = self._fault.count
        for place in range(max(offset or 0, 0), len(data) if self._left else 0):
            if self._left and self._random.random() < self._fault.rate and self._may(place):
                made[place] ^= self._fault.xor or self._random.randint(1, 255)
                self._left -= 1
        self._passed += len(data)
        yield bytes(made)

    def _may(self, place: int) -> bool:
        if self._fires is None:
            self._fires = self._armed.fire(f"{self._flow.name} {self._flow.direction}, byte {self._passed + place}")
        return self._fires


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
    """Fires with the first bytes that it changes. A flow in which it has not fired when it is spent passes as it is."""

    def __init__(self, armed: Armed, flow: Flow) -> None:
        self._armed, self._flow, self._fired = armed, flow, False

    def feed(self, data: bytes) -> Iterator[Action]:
        if self._fired or not self._armed.spent:
            yield from self.reshaped(data)
        else:
            yield from self.idle()
            yield data

    def reshaped(self, data: bytes) -> Iterator[Action]:
        raise NotImplementedError

    def note(self) -> None:
        if not self._fired:
            self._fired = self._armed.fire(f"{self._flow.name} {self._flow.direction}")

    def random(self) -> Random:
        return self._armed.random(f"{self._flow.name}/{self._flow.direction}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(BenignFault):
    """Every byte arrives so many seconds later, jitter added; the order is kept.

    Delays do not add up while no more than 8 MiB a second are carried.
    """

    name: ClassVar[str] = "latency"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    seconds: float = 0.02
    jitter: float = 0.0

    @property
    def delay(self) -> float:
        return self.seconds + self.jitter

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _Late(armed, flow, self)


BANDWIDTH = 8 * 1024 * 1024
"""Bytes a second that a network carries however late they arrive: so much of them is under way at once."""


class _Late(Reshaping):
    ahead = 256

    def __init__(self, armed: Armed, flow: Flow, fault: Latency) -> None:
        super().__init__(armed, flow)
        self._fault, self._random = fault, self.random()
        self.room = max(Stage.room, BANDWIDTH * fault.delay)

    def reshaped(self, data: bytes) -> Iterator[Action]:
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

    def reshaped(self, data: bytes) -> Iterator[Action]:
        for _ in range(self._fault.most):
            size = self._random.randint(self._fault.smallest, self._fault.largest)
            if len(data) <= size:
                break
            self.note()
            yield data[:size]
            yield Gap(self._fault.gap)
            data = data[size:]
        yield data


INSIDES: dict[str, re.Pattern[bytes]] = {
    "code-point": re.compile(rb"[\xc2-\xf4](?=[\x80-\xbf])"),
    "field": re.compile(rb"\bda(?=ta:)|\beve(?=nt:)|\bi(?=d:)|\bret(?=ry:)"),
    "crlf": re.compile(rb"\r(?=\n)"),
    "chunk-size": re.compile(rb"(?<=\r\n)[0-9A-Fa-f](?=[0-9A-Fa-f]{0,15}\r\n)"),
    "escape": re.compile(rb'\\(?=["\\/bfnrtu])'),
}
INSIDES["any"] = re.compile(b"|".join(pattern.pattern for pattern in INSIDES.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitAt(BenignFault):
    """A write ends just inside every code point, SSE field name, CRLF, chunk size or JSON escape, or any of these.

    Of one chunk at most `most` are split, drawn from all.
    """

    name: ClassVar[str] = "split_at"
    mounts: ClassVar[frozenset[Mount]] = STREAMS
    inside: str = "code-point"
    gap: float = 0.001
    most: int = 32

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.inside not in INSIDES:
            raise FaultError(f"split_at: inside is one of {', '.join(INSIDES)}")

    @property
    def delay(self) -> float:
        return self.most * self.gap

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _SplitInside(armed, flow, self)


class _SplitInside(Reshaping):
    def __init__(self, armed: Armed, flow: Flow, fault: SplitAt) -> None:
        super().__init__(armed, flow)
        self._pattern, self._gap = INSIDES[fault.inside], Gap(fault.gap)
        self._most, self._random = fault.most, self.random()

    def reshaped(self, data: bytes) -> Iterator[Action]:
        start = 0
        for place in self._places(data):
            self.note()
            yield data[start:place]
            yield self._gap
            start = place
        yield data[start:]

    def _places(self, data: bytes) -> list[int]:
        found = [match.end() for match in self._pattern.finditer(data)]
        return found if len(found) <= self._most else sorted(self._random.sample(found, self._most))
