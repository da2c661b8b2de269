"""What a fault of requests works on: one exchange inside an HTTP-aware proxy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..wire import json, jsonrpc
from .stage import Action, Framing, Headers, Stage

Forward = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A whole request as it arrived."""

    verb: str
    target: str
    headers: Headers
    body: bytes

    @property
    def methods(self) -> frozenset[str]:
        """The JSON-RPC methods that the body calls; none when it is no JSON-RPC."""
        try:
            message = jsonrpc.classify(json.loads(self.body)) if self.body else None
        except json.JsonError:
            return frozenset()
        items = message.items if isinstance(message, jsonrpc.Batch) else (message,)
        return frozenset(item.method for item in items if isinstance(item, jsonrpc.Request | jsonrpc.Notification))

    def matches(self, on: str) -> bool:
        return on in ("", self.verb) or on in self.methods or self.target.partition("?")[0].endswith(on)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The head of an answer."""

    status: int
    headers: Headers

    def header(self, name: str) -> str:
        return header(self.headers, name)

    @property
    def framing(self) -> Framing:
        """Events can be told in a stream that is not compressed."""
        coded = self.header("content-encoding").lower() not in ("", "identity")
        events = self.header("content-type").lower().startswith("text/event-stream")
        return Framing.SSE if events and not coded else Framing.BODY


@dataclass(frozen=True, slots=True)
class Rewritten:
    """An answer with another head, and what its body then goes through.

    The headers say how the body is framed: in chunks with Transfer-Encoding, as it is without.
    """

    answer: HttpAnswer
    stage: Stage | None = None


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """The bytes of an answer, interim ones before it included. `last`: its connection ends behind it."""

    raw: bytes
    last: bool


def header(headers: Headers, name: str) -> str:
    """The first value of a header, whatever its case; "" without one."""
    return next((value for key, value in headers if key.lower() == name.lower()), "")


class Exchange(Protocol):
    """One request on its way. Every method may be called more than once, but only one may answer the client."""

    @property
    def request(self) -> HttpRequest: ...
    @property
    def name(self) -> str:
        """The logical operation, like `post:3`."""
        ...

    def change(self, request: HttpRequest) -> None:
        """Let the target get this instead. A body that differs is framed anew, by Content-Length."""
        ...

    def misframe(self, raw: bytes, *, torn: bool = False) -> None:
        """Let the target get these bytes as the request; `torn`: and the end of sending behind them."""
        ...

    async def swallow(self, request: HttpRequest | None = None) -> WholeAnswer:
        """Send the request, or another, to the target on a connection of its own, and read the whole answer."""
        ...

    def send_beside(self, request: HttpRequest, delay: float) -> None:
        """Send another request on a connection of its own, so many seconds later, while the exchange goes on."""
        ...

    async def pipeline(self, behind: Sequence[Exchange]) -> list[WholeAnswer]:
        """Send the request and those of other exchanges on one new connection, and then read the answers in order."""
        ...

    async def deliver(self, answer: WholeAnswer) -> None:
        """Give the client an answer of the target as it came."""
        ...

    async def answer(self, status: int, headers: Headers, body: bytes) -> None:
        """Answer in the target's place; with a status below 200, before its answer."""
        ...

    async def perform(self, action: Action) -> None:
        """Wait, or end the exchange towards both sides."""
        ...

    def close_after(self) -> None:
        """Announce `Connection: close` in the answer, and close after it."""
        ...
