"""What a fault asks of those who run the target's processes, or the clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signal:
    """Send a signal to the process."""

    number: int


@dataclass(frozen=True, slots=True)
class Suspend:
    """SIGSTOP at once, SIGCONT so many seconds later. What is sent meanwhile waits where the kernel keeps it."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Noise:
    """Bytes that appear on the standard error of the process."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Restart:
    """End the server and start it again on its port; `kept`: it is told to end, and may save what it knows."""

    kept: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """Kill a replica, which nobody is sent to any more."""

    replica: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Let the clock of this process, a virtual one, jump ahead by so many seconds."""

    seconds: float


Operation = Signal | Suspend | Noise | Restart | Stop | Jump
