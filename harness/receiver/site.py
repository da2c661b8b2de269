"""One port of a receiver: accepts connections, reads requests, hands each to whom it is for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import anyio
import h11
from anyio.abc import ByteStream, TaskGroup

from ..transport.network import Listener, Network, reset
from .conversation import Arrival, Conversation

CONNECTIONS = 256
"""Connections that a port holds at a time; any other is reset."""

Take = Callable[[Arrival, Conversation], Awaitable[None]]


@dataclass(slots=True, eq=False)
class Site:
    """Opened, it keeps its port through every closing and opening again."""

    network: Network
    host: str
    tasks: TaskGroup
    take: Take
    port: int = 0
    _listener: Listener | None = None
    _connections: set[anyio.CancelScope] = field(default_factory=set)
    _ended: anyio.Event = field(default_factory=anyio.Event)

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    async def open(self) -> None:
        """Raises OSError when the port cannot be had."""
        self._listener = await self.network.listen(self.host, self.port)
        self.port = self._listener.port
        self.tasks.start_soon(self._listener.serve, self._handle, self.tasks)

    async def close(self) -> None:
        """Refuse connections, and end those that there are."""
        listener, self._listener = self._listener, None
        if listener:
            await listener.aclose()
        for scope in self._connections:
            scope.cancel()

    async def aclose(self) -> None:
        """Close, and wait until every connection has ended. Not for use inside a connection."""
        await self.close()
        while self._connections:
            await self._ended.wait()

    async def _handle(self, stream: ByteStream) -> None:
        if self._listener is None or len(self._connections) >= CONNECTIONS:
            return await reset(stream)
        scope = anyio.CancelScope()
        self._connections.add(scope)
        try:
            with scope, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await self._converse(Conversation(stream))
        finally:
            self._connections.discard(scope)
            self._ended.set()
            self._ended = anyio.Event()

    async def _converse(self, sender: Conversation) -> None:
        try:
            while arrival := await sender.next():
                await self.take(arrival, sender)
        except h11.RemoteProtocolError as error:
            await sender.refuse(error.error_status_hint)
