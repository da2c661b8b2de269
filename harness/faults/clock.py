"""Faults of clocks: that of the target, and our own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from .fault import Fault, FaultError, Mount
from .operation import Jump
from .stage import Action, Direction
from .stream import TriggeredFault
from .trigger import CONNECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Skew(TriggeredFault):
    """The session is with a process of its own, whose clock is ahead by so many seconds; behind, where negative."""

    name: ClassVar[str] = "skew"
    mounts: ClassVar[frozenset[Mount]] = frozenset({Mount.RELAY, Mount.PIPE})
    direction: Direction = Direction.UP
    seconds: float = 3600.0

    def __post_init__(self) -> None:
        if self.after != CONNECT or not self.seconds or not math.isfinite(self.seconds) or self.times < 0:
            raise FaultError("skew: after is connect, seconds is a number other than 0")

    def effect(self) -> tuple[Action, ...]:
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessJump(TriggeredFault):
    """Seatrial's own clock jumps ahead, in virtual time only: whatever waits has waited so long."""

    name: ClassVar[str] = "harness_jump"
    mounts: ClassVar[frozenset[Mount]] = frozenset(Mount)
    seconds: float = 3600.0

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not math.isfinite(self.seconds):
            raise FaultError("harness_jump: seconds is finite")

    def effect(self) -> tuple[Action, ...]:
        return (Jump(self.seconds),)
