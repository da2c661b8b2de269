"""What happens in a gateway, for a person who looks on, and for the transcript."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..faults import Fault
from ..faults.profile import Profile
from ..transcript import Kind, Transcript


@dataclass(frozen=True, slots=True)
class Opened:
    """An event stream has begun. `asked` is the request in short."""

    operation: str
    asked: str
    status: int

    def __str__(self) -> str:
        return f"{self.operation}  {self.asked}  {self.status}, a stream is open"


@dataclass(frozen=True, slots=True)
class Exchanged:
    """An exchange is over, as its client saw it. `size` is in bytes, heads included. `ending`: why before its end, or
    "". `events`: None of an answer that is no event stream. `status` 0: there was no answer of HTTP."""

    operation: str
    asked: str
    status: int
    media_type: str
    events: int | None
    size: int
    seconds: float
    ending: str = ""

    def __str__(self) -> str:
        came = f"{self.status} {self.media_type}".rstrip() if self.status else "no answer"
        events = () if self.events is None else (f"{self.events} events",)
        parts = (self.operation, self.asked, came, *events, f"{self.size} bytes", f"{self.seconds:.3f} s", self.ending)
        return "  ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Said:
    """A line on the pipes of a process. `up`: of the client's."""

    up: bool
    about: str
    size: int

    def __str__(self) -> str:
        return f"{'client' if self.up else 'server'}  {self.about}  {self.size} bytes"


@dataclass(frozen=True, slots=True)
class Fired:
    """A fault took effect."""

    operation: str
    fault: str

    def __str__(self) -> str:
        return f"{self.operation}  fired {self.fault}"


@dataclass(frozen=True, slots=True)
class Rearmed:
    """Another plan holds from now on."""

    faults: tuple[str, ...]

    def __str__(self) -> str:
        return f"the plan was read again: {'; '.join(self.faults) or 'no fault'}"


@dataclass(frozen=True, slots=True)
class NotRearmed:
    """A new plan cannot be, so the old one stays."""

    why: str

    def __str__(self) -> str:
        return f"the old plan stays: {self.why}"


Event = Opened | Exchanged | Said | Fired | Rearmed | NotRearmed


@dataclass(slots=True)
class Logged:
    """Where it is told: to who looks on, and in the transcript, where there is one. Nothing is kept in memory."""

    tell: Callable[[Event], None]
    transcript: Transcript | None = None

    def note(self, kind: Kind, operation: str = "", **data: Any) -> None:
        if self.transcript:
            self.transcript.append("relay", kind, operation, data)

    def fired(self, fault: Fault, where: str) -> None:
        self.note(Kind.FIRED, where, fault=str(fault))
        self.tell(Fired(where, str(fault)))

    def armed(self, profile: Profile) -> None:
        """Record a plan with every value."""
        self.note(Kind.NOTE, text=f"the plan: {'; '.join(profile.told) or 'no fault'}")

    def rearmed(self, profile: Profile) -> None:
        self.armed(profile)
        self.tell(Rearmed(tuple(map(str, profile.plan))))

    def refused(self, why: str) -> None:
        self.note(Kind.NOTE, text=f"the old plan stays: {why}")
        self.tell(NotRearmed(why))
