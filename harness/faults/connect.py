"""Faults of connections that are none: refused, or accepted and never served."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from .fault import Armed, Fault, FaultError, Mount
from .stream import SOCKETS
from .trigger import CONNECT


class Reception(StrEnum):
    """What becomes of a connection that a client makes."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectFault(Fault):
    """Meets connections, before anything flows: the first `times` of them."""

    mounts: ClassVar[frozenset[Mount]] = SOCKETS
    reception: ClassVar[Reception]

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.after != CONNECT or self.on:
            raise FaultError(f"{self.name}: it meets connections, so it has neither on nor after")

    def meets(self, armed: Armed, connection: str) -> bool:
        """Whether it takes effect on this connection; when it does, this is reported."""
        return armed.fire(f"{connection}, {self.reception}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse(ConnectFault):
    """A connection is refused, and all others for so many `seconds` after it.

    A listener, whose system accepts for it, resets the first one and is closed for those seconds.
    """

    name: ClassVar[str] = "refuse"
    reception: ClassVar[Reception] = Reception.REFUSED
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Blackhole(ConnectFault):
    """A connection is accepted and never read; it is reset after so many seconds."""

    name: ClassVar[str] = "blackhole"
    reception: ClassVar[Reception] = Reception.UNREAD
    seconds: float = math.inf
