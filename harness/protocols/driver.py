"""The seam between the engine and the protocols: what a session must do, and what a protocol must know of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from uuid import UUID

from anyio.abc import TaskGroup

from ..chance import Chance
from ..claims import Claims, Spoken
from ..stimuli import Filled, Stimulus
from ..transcript import Recorder
from ..transport.network import Process
from .carrier import Carrier
from .exchange import Exchange
from .outcome import Message, Outcome

PIPES = "stdio"
"""The binding that a process speaks over its standard streams; all others are spoken over HTTP."""

Replies = Mapping[str, Any]
"""Method of a request from the server -> its result, a function of its params, or SILENT."""

S = TypeVar("S", bound="Session")


class Unspoken(Exception):
    """What is there is known, and Seatrial does not speak it; the text is one sentence for the user."""


@dataclass(frozen=True, slots=True)
class Play:
    """A stimulus made ready: the request that plays it, and what it amounts to (seconds, steps)."""

    role: str
    method: str
    params: dict[str, Any]
    lasts: float
    count: int
    gap: float
    key: str


@dataclass(frozen=True, slots=True)
class Manner:
    """What a session tells the target of itself, how it answers requests of the target, whence its ids come, and what
    discovery learnt of its column."""

    capabilities: Mapping[str, Any] = field(default_factory=dict)
    replies: Replies = field(default_factory=dict)
    chance: Chance = field(default_factory=lambda: Chance(0))
    known: Spoken | None = None

    def idents(self) -> Iterator[str]:
        """Ids that no other session of the run has: UUIDs drawn from its own chance."""
        random = self.chance.random()
        while True:
            yield str(UUID(bytes=random.randbytes(16), version=4))


class Session(Protocol):
    """One protocol lifecycle with the target, as far as the engine is concerned."""

    version: str
    received: list[tuple[Exchange, Message]]

    @property
    def carrier(self) -> Carrier: ...

    @property
    def binding(self) -> str: ...

    @property
    def lasting(self) -> str:
        """What the target keeps of this session when its sockets are gone, by name; "" where nothing outlives them."""
        ...

    async def open(self) -> Outcome:
        """Begin: an Answer when the target speaks this version here."""
        ...

    async def fence(self, within: float | None = None) -> Outcome:
        """A cheap request: an Answer says that the session is alive."""
        ...

    async def healthy(self) -> bool:
        """Does the session still answer?"""
        ...

    async def start(self, play: Play) -> Exchange:
        """Begin to play a stimulus."""
        ...

    def take_over(self: S, other: S) -> None:
        """Go on where another session stands."""
        ...

    async def farewell(self: S, other: S) -> None:
        """Tell the target that another session, whose sockets are gone, is over; nobody cares for the answer."""
        ...

    async def aclose(self) -> None: ...


Opener = Callable[[str, str], AbstractAsyncContextManager[Any]]
"""Opens a fresh session of a version over a binding, with nothing sent yet."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What discovery is asked: these columns, where the protocol has them. The owner states the rest.

    `beside`: the versions of the protocol that are not to be judged, but that matter where one server speaks several.
    """

    versions: tuple[str, ...]
    bindings: tuple[str, ...]
    beside: tuple[str, ...] = ()
    release: str = ""
    milestone: str = ""
    stimuli: Mapping[str, Stimulus] = field(default_factory=dict)
    capabilities_url: str = ""


class HttpOnly:
    """What a driver says that has no binding of pipes, and of whose targets anything may be asked."""

    async def offer(self, session: Any) -> tuple[frozenset[str] | None, frozenset[str]]:
        return None, frozenset()

    def piped(self, process: Process, tasks: TaskGroup, recorder: Recorder, patience: float) -> Carrier:
        raise ValueError("this protocol is spoken over HTTP only")


class Driver(Protocol):
    """One protocol: its columns, its sessions, and how it is recognised."""

    name: str
    title: str
    versions: tuple[str, ...]

    def bindings(self, listens: bool) -> tuple[str, ...]:
        """The bindings of a target that listens for HTTP, or of one that is a process only."""
        ...

    def session(self, carrier: Carrier, version: str, binding: str, manner: Manner) -> Any:
        """A Session of this protocol that has sent nothing yet."""
        ...

    def piped(self, process: Process, tasks: TaskGroup, recorder: Recorder, patience: float) -> Carrier:
        """The carrier of a process's standard streams. Raises ValueError where the protocol has no such binding."""
        ...

    def name_of(self, outcome: Outcome) -> str:
        """What a witness may call the work that ended so: the id of its task; "" where it has no name."""
        ...

    def request(self, filled: Filled) -> tuple[str, dict[str, Any]]:
        """Method and parameters that play a filled stimulus. Raises KeyError for a verb of another protocol."""
        ...

    def asks(self, message: Any) -> Iterator[str]:
        """What a message makes the target do, beside reading: tools by name, or what the user says."""
        ...

    async def offer(self, session: Any) -> tuple[frozenset[str] | None, frozenset[str]]:
        """What there is to be asked for so, None where that is anything; and what of it is declared read-only."""
        ...

    async def discover(self, asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
        """What the target speaks of what was asked, and the outcomes of what it does not."""
        ...

    def reason(self, failures: Sequence[Outcome]) -> str:
        """Why it speaks no version, as the rest of a sentence that begins with its address."""
        ...
