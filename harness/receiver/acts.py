"""What a receiver does with one delivery, as frozen values. The lower-case names are the text form's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar

import anyio

from ..faults.fault import FaultError
from ..faults.notation import text
from ..faults.stage import Headers, How
from ..faults.syntax import Syntax, checked
from .conversation import Conversation


@dataclass(frozen=True, slots=True)
class Act:
    """A subclass says in `play` what becomes of a delivery that was read as a whole."""

    name: ClassVar[str]

    @property
    def benign(self) -> bool:
        """Whether it is what a receiver in good order does."""
        return False

    async def play(self, sender: Conversation) -> None:
        """Raises BrokenResourceError or ClosedResourceError when the sender has gone."""
        raise NotImplementedError

    def __str__(self) -> str:
        return text(self)


@dataclass(frozen=True, slots=True)
class Ack(Act):
    """An answer at once."""

    name: ClassVar[str] = "ack"
    code: int = 200
    headers: Headers = ()
    body: bytes = b""

    def __post_init__(self) -> None:
        if not 200 <= self.code <= 599:
            raise ValueError(f"{self.name}: code is {self.code}; give one from 200 to 599")

    @property
    def benign(self) -> bool:
        return self.code < 300

    async def play(self, sender: Conversation) -> None:
        await sender.answer(self.code, self.headers, self.body)


@dataclass(frozen=True, slots=True)
class Gone(Ack):
    """The receiver wants no more: 410, or 404."""

    name: ClassVar[str] = "gone"
    code: int = 410


@dataclass(frozen=True, slots=True)
class AckRedirect(Act):
    """The delivery is sent elsewhere."""

    name: ClassVar[str] = "ack_redirect"
    location: str = "http://elsewhere.invalid/"
    code: int = 307

    async def play(self, sender: Conversation) -> None:
        await sender.answer(self.code, (("Location", self.location),), b"")


@dataclass(frozen=True, slots=True)
class AckLost(Act):
    """The delivery counts as received, but its sender does not learn it: the connection is reset."""

    name: ClassVar[str] = "ack_lost"

    async def play(self, sender: Conversation) -> None:
        await sender.end(How.RESET)


@dataclass(frozen=True, slots=True)
class AcceptThenClose(Act):
    """The connection is closed without an answer.

    The delivery is read first, so that the record tells which one it was: the sender cannot know the difference.
    """

    name: ClassVar[str] = "accept_then_close"

    async def play(self, sender: Conversation) -> None:
        await sender.end(How.FIN)


@dataclass(frozen=True, slots=True)
class AckSlow(Act):
    """Another act after so many seconds, never by default; none once the sender has given up."""

    name: ClassVar[str] = "ack_slow"
    seconds: float = math.inf
    then: Act = Ack()

    async def play(self, sender: Conversation) -> None:
        with anyio.move_on_after(self.seconds):
            await sender.departure()
        if not sender.left:
            await self.then.play(sender)


@dataclass(frozen=True, slots=True)
class ReceiverDown(Act):
    """Connections are refused for so many seconds, or until the hook comes up again.

    It stands between two deliveries of a program: the hook goes down once it is its turn, without waiting for
    a delivery. What is refused cannot be seen, so it is neither counted nor recorded.
    """

    name: ClassVar[str] = "receiver_down"
    seconds: float = math.inf

    async def play(self, sender: Conversation) -> None:
        await sender.end(How.RESET)


ack = Ack
gone = Gone
ack_redirect = AckRedirect
ack_lost = AckLost
accept_then_close = AcceptThenClose
ack_slow = AckSlow
receiver_down = ReceiverDown

ACTS: dict[str, type[Act]] = {
    kind.name: kind for kind in (Ack, AckLost, AckSlow, Gone, AckRedirect, AcceptThenClose, ReceiverDown)
}


def _act(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Act:
    if name not in ACTS:
        raise FaultError(f"unknown act {name!r}; did you mean {', '.join(get_close_matches(name, ACTS, 3) or ACTS)}?")
    return ACTS[name](**checked(name, ACTS[name], positional, named, Act))


parse = Syntax("receiver program", _act, _act).read
"""Acts from their text form: `ack(code=503); ack_slow(seconds=5, then=gone())`. Raises FaultError."""
