"""Faults of a process and its pipes."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from .fault import Armed, Fault, FaultError, Mount
from .operation import Noise, Signal, Suspend
from .stage import Action, Direction, Flow, Gap, HalfClose, Stage
from .stream import AtTrigger, BenignFault, Reshaping, TriggeredFault
from .trigger import Connect, Eof, Messages

PIPED = frozenset({Mount.PIPE})


@dataclass(frozen=True, slots=True, kw_only=True)
class PipeFault(TriggeredFault):
    """Counts what the client sends, unless told otherwise."""

    mounts: ClassVar[frozenset[Mount]] = PIPED
    direction: Direction = Direction.UP


@dataclass(frozen=True, slots=True, kw_only=True)
class StderrNoise(BenignFault):
    """Lines that look like messages appear on standard error, `rate` of them with every message."""

    name: ClassVar[str] = "stderr_noise"
    mounts: ClassVar[frozenset[Mount]] = PIPED
    rate: int = 1
    text: str = '{"jsonrpc": "2.0", "method": "notifications/message"}'

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _Noisy(armed, flow, self)


class _Noisy(Reshaping):
    def __init__(self, armed: Armed, flow: Flow, fault: StderrNoise) -> None:
        super().__init__(armed, flow)
        self._lines = (fault.text.encode() + b"\n") * fault.rate

    def reshaped(self, data: bytes) -> Iterator[Action]:
        yield data
        if messages := data.count(b"\n"):
            self.note()
            yield Noise(self._lines * messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class StdoutGarbage(Fault):
    """A line that is no message appears on standard output, between messages."""

    name: ClassVar[str] = "stdout_garbage"
    mounts: ClassVar[frozenset[Mount]] = PIPED
    text: str = "Starting up..."

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if "\n" in self.text or not isinstance(self.after, Connect | Messages | Eof):
            raise FaultError("stdout_garbage: text is one line, after is connect, messages(n) or eof")

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        line = self.text.encode() + b"\n"
        return AtTrigger(armed, flow, (line,)) if flow.direction is Direction.DOWN else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StdinEof(PipeFault):
    """Standard input ends."""

    name: ClassVar[str] = "stdin_eof"
    fatal: ClassVar[bool] = True

    def effect(self) -> tuple[Action, ...]:
        return (HalfClose(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sigterm(PipeFault):
    """The process gets SIGTERM."""

    name: ClassVar[str] = "sigterm"
    fatal: ClassVar[bool] = True

    def effect(self) -> tuple[Action, ...]:
        return (Signal(signal.SIGTERM),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sigkill(PipeFault):
    """The process gets SIGKILL."""

    name: ClassVar[str] = "sigkill"
    fatal: ClassVar[bool] = True

    def effect(self) -> tuple[Action, ...]:
        return (Signal(signal.SIGKILL),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sigstop(PipeFault):
    """The process is stopped (SIGSTOP), and goes on (SIGCONT) so many seconds later."""

    name: ClassVar[str] = "sigstop"
    seconds: float = 1.0

    def effect(self) -> tuple[Action, ...]:
        return (Suspend(self.seconds),)


@dataclass(frozen=True, slots=True, kw_only=True)
class FullPipe(PipeFault):
    """Nobody reads standard output any more."""

    name: ClassVar[str] = "full_pipe"
    direction: Direction = Direction.DOWN

    def effect(self) -> tuple[Action, ...]:
        return (Gap(math.inf),)


@dataclass(frozen=True, slots=True, kw_only=True)
class PipeSplit(BenignFault):
    """Each message comes in several writes."""

    name: ClassVar[str] = "pipe_split"
    mounts: ClassVar[frozenset[Mount]] = PIPED
    pieces: int = 3
    gap: float = 0.001

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.pieces < 2:
            raise FaultError("pipe_split: pieces is at least 2")

    @property
    def delay(self) -> float:
        return self.pieces * self.gap

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _Split(armed, flow, self)


class _Split(Reshaping):
    def __init__(self, armed: Armed, flow: Flow, fault: PipeSplit) -> None:
        super().__init__(armed, flow)
        self._pieces, self._gap = fault.pieces, Gap(fault.gap)

    def reshaped(self, data: bytes) -> Iterator[Action]:
        for line in data.splitlines(keepends=True):
            size = max(1, -(-len(line) // self._pieces))
            for start in range(0, len(line), size):
                self.note()
                yield line[start : start + size]
                yield self._gap


@dataclass(frozen=True, slots=True, kw_only=True)
class PipeMerge(BenignFault):
    """Up to `count` messages come in one write; none waits longer than `wait` seconds for company."""

    name: ClassVar[str] = "pipe_merge"
    mounts: ClassVar[frozenset[Mount]] = PIPED
    count: int = 3
    wait: float = 0.02

    @property
    def delay(self) -> float:
        return self.wait

    def reshaping(self, armed: Armed, flow: Flow) -> Stage:
        return _Merged(armed, flow, self)


class _Merged(Reshaping):
    def __init__(self, armed: Armed, flow: Flow, fault: PipeMerge) -> None:
        super().__init__(armed, flow)
        self._count, self._wait, self._held = fault.count, fault.wait, bytearray()

    @property
    def patience(self) -> float:
        return self._wait if self._held else math.inf

    def reshaped(self, data: bytes) -> Iterator[Action]:
        self._held += data
        if self._held.count(b"\n") >= self._count:
            yield from self.idle()

    def idle(self) -> Iterator[Action]:
        if self._held:
            self.note()
            yield bytes(self._held)
            self._held.clear()
