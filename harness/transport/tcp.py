"""Real TCP."""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.abc import ByteStream, SocketAttribute, SocketStream, TaskGroup
from anyio.abc import Listener as AnyioListener

from .network import Abortive, Handler, Listener, Waiting

_LINGER_NOT = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class TcpStream(ByteStream):
    """A TCP connection that can also be ended by RST."""

    socket: SocketStream

    async def send(self, item: bytes) -> None:
        await self.socket.send(item)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        return await self.socket.receive(max_bytes)

    async def send_eof(self) -> None:
        await self.socket.send_eof()

    async def aclose(self) -> None:
        await self.socket.aclose()

    async def _reset(self) -> None:
        # SO_LINGER with time 0 makes close(2) send RST instead of FIN.
        raw = self.socket.extra(SocketAttribute.raw_socket)
        if raw.fileno() >= 0:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        await self.socket.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        own = {Abortive.reset: lambda: self._reset, Waiting.readable: self._readable}
        return {**self.socket.extra_attributes, **own}

    def _readable(self) -> bool:
        raw = self.socket.extra(SocketAttribute.raw_socket)
        if raw.fileno() < 0:
            return True
        poll = select.poll()
        poll.register(raw, select.POLLIN)
        return bool(poll.poll(0))


@dataclass(slots=True)
class TcpListener:
    """A bound TCP listener."""

    host: str
    port: int
    _listener: AnyioListener[SocketStream]

    async def serve(self, handler: Handler, tasks: TaskGroup) -> None:
        async def serve_one(accepted: SocketStream) -> None:
            async with accepted:
                await handler(TcpStream(accepted))

        try:
            await self._listener.serve(serve_one, tasks)
        except* anyio.ClosedResourceError:
            pass  # closed by `aclose`

    async def aclose(self) -> None:
        await self._listener.aclose()


@dataclass(frozen=True, slots=True)
class TcpNetwork:
    """The network of real runs."""

    capacity = 8 * 1024 * 1024
    """What the sockets of a loopback connection may hold at most, on both its sides."""

    async def connect(self, host: str, port: int) -> ByteStream:
        """Raises OSError with the reason of the only attempt, where there was only one."""
        try:
            return TcpStream(await anyio.connect_tcp(host, port))
        except OSError as error:
            reason = error.__cause__ if isinstance(error.__cause__, OSError) else error
            if isinstance(reason, ConnectionRefusedError):
                reason = ConnectionRefusedError(f"nobody listens on {host}:{port}")
            raise reason from None

    async def listen(self, host: str = "127.0.0.1", port: int = 0) -> Listener:
        listener = await anyio.create_tcp_listener(local_host=host, local_port=port)
        return TcpListener(host, listener.extra(SocketAttribute.local_port), listener)

    async def addresses(self, host: str) -> tuple[str, ...]:
        try:
            found = await anyio.getaddrinfo(host, None)
        except (OSError, UnicodeError):
            return ()
        return tuple(dict.fromkeys(str(place[0]) for *_, place in found))
