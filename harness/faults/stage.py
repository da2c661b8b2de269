"""Sans-IO stages that bytes flow through, and the actions that a pump performs for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .operation import Operation

Headers = tuple[tuple[str, str], ...]


class How(StrEnum):
    """How an end is brought about: FIN, RST, silence, or a gateway's answer."""

    FIN = "fin"
    RESET = "reset"
    STALL = "stall"
    GATEWAY_TIMEOUT = "504"


class Direction(StrEnum):
    """UP is towards the target."""

    UP = "up"
    DOWN = "down"
    BOTH = "both"

    def covers(self, other: Direction) -> bool:
        return self in (other, Direction.BOTH)


class Framing(StrEnum):
    """What the bytes of a flow are made of, as far as the place of mounting knows. REQUEST: one whole request."""

    RAW = "raw"
    REQUEST = "request"
    BODY = "body"
    SSE = "sse"
    LINES = "lines"
    WEBSOCKET = "websocket"


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes in one direction. `name` is the logical operation or connection; `headers` those of a response body."""

    name: str
    direction: Direction
    framing: Framing = Framing.RAW
    headers: Headers = ()

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")


@dataclass(frozen=True, slots=True)
class Gap:
    """Wait so many seconds before what follows; infinity is a stall."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Lag:
    """What follows leaves no earlier than so many seconds after it arrived."""

    seconds: float


@dataclass(slots=True)
class Bucket:
    """A token bucket: it gains `rate` tokens a second, holds `burst` at most, and is full at first."""

    rate: float
    burst: int
    _full: float = -math.inf
    """When it will be full."""

    def take(self, size: int, now: float) -> float:
        """Take so many tokens, no more than it can hold; the seconds until they are there."""
        before = max(self._full, now)
        self._full = before + size / self.rate
        return max(0.0, self._full - now - self.burst / self.rate)


@dataclass(frozen=True, slots=True)
class Take:
    """Wait until a bucket has so many tokens, and take them."""

    bucket: Bucket
    size: int


@dataclass(frozen=True, slots=True)
class End:
    """End the connection towards both sides, by FIN or RST."""

    how: How


@dataclass(frozen=True, slots=True)
class HalfClose:
    """End sending in this direction only; later bytes of it are dropped."""


Action = bytes | Gap | Lag | Take | End | HalfClose | Operation


class Stage:
    """Passes bytes on unchanged. `feed(b"")` is called once before the first byte.

    `patience`: seconds of silence after which `idle` is asked for what is held back. `ahead`: chunks that the
    pump may read before they are wanted, `room`: bytes of them. Of a target that nobody listens to, no more is taken.
    """

    ahead: int = 1
    room: float = 64 * 1024

    @property
    def patience(self) -> float:
        return math.inf

    def attach(self, wake: Callable[[], None]) -> None:
        """Called once before `feed`. `wake` may be called from any task, and has the pump ask `woken` soon."""

    def feed(self, data: bytes) -> Iterator[Action]:
        yield data

    def woken(self) -> Iterator[Action]:
        yield from ()

    def idle(self) -> Iterator[Action]:
        yield from ()

    def eof(self) -> Iterator[Action]:
        yield from self.idle()


@dataclass(frozen=True, slots=True)
class Chain:
    """Stages one after the other; each gets the bytes that the one before lets through."""

    stages: Sequence[Stage] = ()

    @property
    def patience(self) -> float:
        return min((stage.patience for stage in self.stages), default=math.inf)

    @property
    def ahead(self) -> int:
        return max((stage.ahead for stage in self.stages), default=1)

    @property
    def room(self) -> float:
        return max((stage.room for stage in self.stages), default=Stage.room)

    def attach(self, wake: Callable[[], None]) -> None:
        for stage in self.stages:
            stage.attach(wake)

    def feed(self, data: bytes) -> Iterator[Action]:
        return _through([data], self.stages)

    def woken(self) -> Iterator[Action]:
        for index, stage in enumerate(self.stages, 1):
            yield from _through(stage.woken(), self.stages[index:])

    def idle(self) -> Iterator[Action]:
        for index, stage in enumerate(self.stages, 1):
            yield from _through(stage.idle(), self.stages[index:])

    def eof(self) -> Iterator[Action]:
        for index, stage in enumerate(self.stages, 1):
            yield from _through(stage.eof(), self.stages[index:])


def _through(actions: Iterable[Action], stages: Sequence[Stage]) -> Iterator[Action]:
    for action in actions:
        if stages and isinstance(action, bytes):
            yield from _through(stages[0].feed(action), stages[1:])
        elif action != b"":
            yield action
