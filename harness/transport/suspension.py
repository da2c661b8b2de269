"""How a simulated process is stopped: nothing that it sends or hears passes its gate until it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from anyio import Event
from anyio.abc import ByteReceiveStream, ByteSendStream, ByteStream, TaskGroup

from .network import Handler, Listener, Network


@dataclass(slots=True)
class Gate:
    """Open while its process runs. The timers of a stopped process go on, as the machine's clock does; what they
    make it say waits here."""

    _going_on: Event | None = None

    @property
    def closed(self) -> bool:
        return self._going_on is not None

    def close(self) -> None:
        self._going_on = self._going_on or Event()

    def open(self) -> None:
        if self._going_on:
            self._going_on.set()
            self._going_on = None

    async def passed(self) -> None:
        while self._going_on:
            await self._going_on.wait()


@dataclass(slots=True)
class GatedSender(ByteSendStream):
    """The writing end of a pipe, as its process sees it."""

    inner: ByteSendStream
    gate: Gate

    async def send(self, item: bytes) -> None:
        await self.gate.passed()
        await self.inner.send(item)

    async def aclose(self) -> None:
        await self.inner.aclose()


@dataclass(slots=True)
class GatedReceiver(ByteReceiveStream):
    """The reading end of a pipe, as its process sees it."""

    inner: ByteReceiveStream
    gate: Gate

    async def receive(self, max_bytes: int = 65536) -> bytes:
        await self.gate.passed()
        data = await self.inner.receive(max_bytes)
        await self.gate.passed()
        return data

    async def aclose(self) -> None:
        await self.inner.aclose()


@dataclass(slots=True)
class GatedStream(ByteStream):
    """A connection, as its process sees it."""

    inner: ByteStream
    gate: Gate

    async def send(self, item: bytes) -> None:
        await self.gate.passed()
        await self.inner.send(item)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        await self.gate.passed()
        data = await self.inner.receive(max_bytes)
        await self.gate.passed()
        return data

    async def send_eof(self) -> None:
        await self.gate.passed()
        await self.inner.send_eof()

    async def aclose(self) -> None:
        await self.inner.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return self.inner.extra_attributes


@dataclass(slots=True)
class GatedListener:
    """Connections are accepted while the process is stopped, by the kernel, and served when it goes on."""

    inner: Listener
    gate: Gate
    host: str = field(init=False)
    port: int = field(init=False)

    def __post_init__(self) -> None:
        self.host, self.port = self.inner.host, self.inner.port

    async def serve(self, handler: Handler, tasks: TaskGroup) -> None:
        await self.inner.serve(partial(self._handle, handler), tasks)

    async def _handle(self, handler: Handler, stream: ByteStream) -> None:
        await handler(GatedStream(stream, self.gate))

    async def aclose(self) -> None:
        await self.inner.aclose()


@dataclass(slots=True)
class GatedNetwork:
    """A network, as a process sees it that can be stopped."""

    inner: Network
    gate: Gate
    capacity: int = field(init=False)

    def __post_init__(self) -> None:
        self.capacity = self.inner.capacity

    async def connect(self, host: str, port: int) -> ByteStream:
        """Raises OSError."""
        await self.gate.passed()
        return GatedStream(await self.inner.connect(host, port), self.gate)

    async def listen(self, host: str = "127.0.0.1", port: int = 0) -> Listener:
        return GatedListener(await self.inner.listen(host, port), self.gate)

    async def addresses(self, host: str) -> tuple[str, ...]:
        return await self.inner.addresses(host)
