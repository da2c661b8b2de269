"""A scripted HTTP server behind faults, seen from both sides."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import ByteStream
from seatrial.chance import Chance
from seatrial.faults import Fault, Mount, mount_for
from seatrial.relay import Dial, Link, Relay
from seatrial.relay.message import Channel, Request, read_request
from seatrial.transport.coding import unpacker
from seatrial.transport.network import Network
from seatrial.wire import jsonrpc, sse
from seatrial.wire.http1 import Response, ResponseReader, chunked, request
from seatrial.wire.json import dumps

Script = Callable[[Request], Iterable[bytes]]


def event(n: int) -> bytes:
    return sse.encode(sse.SseEvent(id=str(n), data=dumps(jsonrpc.notification("tick", {"n": n})).decode()))


def stream_of(*events: bytes, end: bool = True) -> list[bytes]:
    """An SSE response in pieces: its head, each event in a chunk, and with `end` the last chunk."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    return [head, *(chunked(one, end=False) for one in events), *([chunked()] if end else [])]


def plain(body: bytes = b"{}", extra: bytes = b"") -> list[bytes]:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%bContent-Length: %d\r\n\r\n" % (extra, len(body))
    return [head + body]


def call(method: str = "tools/call", number: int = 1) -> bytes:
    """A POST with one JSON-RPC request."""
    body = dumps(jsonrpc.request(number, method))
    headers = [("Host", "target"), ("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    return request("POST", "/mcp", headers, body)


def content(response: Response) -> bytes:
    """The body without its content coding, which must be whole."""
    coding = unpacker(response.header("Content-Encoding") or "")
    if coding is None:
        return response.body
    body = b"".join(coding.feed(response.body))
    assert coding.whole
    return body


GET = request("GET", "/mcp", [("Host", "target"), ("Accept", "text/event-stream")])


@dataclass(slots=True)
class Server:
    """Answers by script; keeps each request's bytes and how each of its connections ended."""

    script: Script
    requests: list[bytes] = field(default_factory=list)
    endings: list[str] = field(default_factory=list)
    opaque: bytes = b""
    """What came at last and was no whole request."""
    ended: anyio.Event = field(default_factory=anyio.Event)

    async def handle(self, stream: ByteStream) -> None:
        channel = Channel(stream)
        try:
            while isinstance(message := await read_request(channel), Request):
                self.requests.append(message.raw)
                for piece in self.script(message):
                    await stream.send(piece)
            self.opaque = message.raw if message else b""
            self.endings.append("fin")
        except anyio.BrokenResourceError:
            self.endings.append("reset")
        self.ended.set()


@dataclass(slots=True)
class Client:
    """One connection, and how it ended: "" while it has not."""

    stream: ByteStream
    received: bytearray = field(default_factory=bytearray)
    ending: str = ""

    async def ask(self, raw: bytes, verb: str = "POST", *, patience: float = 2.0) -> ResponseReader:
        """Send a request and read its response, at most for so long."""
        reader = ResponseReader(verb)
        await self.stream.send(raw)
        with anyio.move_on_after(patience):
            while not reader.done and not self.ending:
                reader.feed(await self.read())
        return reader

    async def read(self) -> bytes:
        try:
            data = await self.stream.receive()
        except anyio.EndOfStream:
            self.ending = "fin"
            return b""
        except anyio.BrokenResourceError:
            self.ending = "reset"
            return b""
        self.received += data
        return data

    async def rest(self) -> bytes:
        while not self.ending:
            await self.read()
        return bytes(self.received)


@dataclass(slots=True)
class Harbour:
    """Servers, and the way to them through faults."""

    network: Network
    servers: Sequence[Server]
    dial: Dial
    fired: list[tuple[str, str]]

    @property
    def server(self) -> Server:
        return self.servers[0]

    async def client(self) -> Client:
        return Client(await self.dial())


@asynccontextmanager
async def harbour(network: Network, *faults: Fault, scripts: Sequence[Script], seed: int = 7) -> AsyncIterator[Harbour]:
    """Byte faults on a Link, exchange faults on a Relay before it, both behind listeners of the network."""
    fired: list[tuple[str, str]] = []

    def note(fault: Fault, where: str) -> None:
        fired.append((fault.name, where))

    servers = [Server(script) for script in scripts]
    async with anyio.create_task_group() as tasks:

        async def listening(station: Server | Link | Relay) -> Dial:
            listener = await network.listen()
            tasks.start_soon(listener.serve, station.handle, tasks)
            return lambda: network.connect(listener.host, listener.port)

        dials = [await listening(server) for server in servers]
        by_mount = {
            mount: [fault for fault in faults if mount_for(fault, "streamable-http") is mount] for mount in Mount
        }

        if by_mount[Mount.LINK]:
            dials = [await listening(Link(dials[0], by_mount[Mount.LINK], Chance(seed), note))]
        if by_mount[Mount.RELAY] or len(servers) > 1:
            dials = [await listening(Relay(dials, by_mount[Mount.RELAY], Chance(seed), note))]
        yield Harbour(network, servers, dials[0], fired)
        tasks.cancel_scope.cancel()
