"""What a fault of requests works on: one exchange inside an HTTP-aware proxy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from ..wire import json, jsonrpc
from .stage import Action, Headers

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


class Exchange(Protocol):
    """One request on its way. Every method may be called more than once, but only one may answer the client."""

    @property
    def request(self) -> HttpRequest: ...
    @property
    def name(self) -> str:
        """The logical operation, like `post:3`."""
        ...

    async def swallow(self) -> None:
        """Send the request to the target on a connection of its own, read the whole answer, discard it."""
        ...

    async def answer(self, status: int, headers: Headers, body: bytes) -> None:
        """Answer in the target's place."""
        ...

    async def perform(self, action: Action) -> None:
        """Wait, or end the exchange towards both sides."""
        ...

    def close_after(self) -> None:
        """Announce `Connection: close` in the answer, and close after it."""
        ...
