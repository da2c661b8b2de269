"""A small client, independent of the engine's sessions: what goes over the wire is what a test wrote."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Self

import anyio
import h11
from anyio.abc import ByteReceiveStream, ByteSendStream, ByteStream
from seatrial import Network, SimNetwork, sse
from seatrial.fixtures.reference import Reference
from seatrial.fixtures.reference.versions import D, E
from seatrial.transport.sim import pipe
from trio.testing import MockClock

META = {
    "io.modelcontextprotocol/protocolVersion": E,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
Build = Callable[[Any], Reference]
Headers = Mapping[str, str | None]


def virtual(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test in virtual time; it may take no longer than a simulated hour."""

    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def bounded() -> None:
            with anyio.fail_after(3600):
                await test(*args, **kwargs)

        anyio.run(bounded, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)})

    return run


def request(id: Any, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": dict(params or {})}


def modern(id: Any, method: str, params: Mapping[str, Any] | None = None, **meta: Any) -> dict[str, Any]:
    """`meta`: capabilities, logLevel, progressToken; a capability of a client is given as a dict."""
    changed = dict(META)
    for name, value in meta.items():
        key = {"capabilities": "clientCapabilities", "logLevel": "logLevel"}.get(name)
        changed[f"io.modelcontextprotocol/{key}" if key else name] = value
    return request(id, method, {**(params or {}), "_meta": changed})


def mirrored(message: Mapping[str, Any]) -> dict[str, str | None]:
    """The headers that repeat a modern message."""
    params = message.get("params", {})
    name = params.get("name", params.get("uri"))
    named = {"Mcp-Name": name} if isinstance(name, str) else {}
    return {"MCP-Protocol-Version": E, "Mcp-Method": message["method"], **named}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def initialize(version: str, capabilities: Mapping[str, Any] | None = None) -> dict[str, Any]:
    client = {"name": "test", "version": "1"}
    return request(
        0, "initialize", {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": client}
    )


@dataclass(slots=True)
class Reply:
    """One HTTP answer, as far as it was read."""

    status: int
    headers: dict[str, str]
    body: bytes
    ended: bool

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[sse.SseEvent]:
        return [event for event in sse.SseDecoder().feed(self.body) if event.comment is None]

    @property
    def messages(self) -> list[Any]:
        """Of an event stream, or the one of a JSON body."""
        if self.headers.get("content-type") == "application/json":
            return [self.json]
        return [json.loads(event.data) for event in self.events if event.data]

    @property
    def answer(self) -> Any:
        """The response among them."""
        return next(message for message in self.messages if "method" not in message)


@dataclass(slots=True)
class Exchange:
    """A request that was sent, and what came back so far."""

    stream: ByteStream
    http: h11.Connection
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    ended: bool = False

    async def pull(self) -> None:
        """Take in one event of HTTP."""
        event = self.http.next_event()
        while event is h11.NEED_DATA:
            try:
                self.http.receive_data(await self.stream.receive())
            except anyio.EndOfStream:
                self.http.receive_data(b"")
            event = self.http.next_event()
        match event:
            case h11.Response():
                self.status = event.status_code
                self.headers = {name.decode(): value.decode() for name, value in event.headers}
            case h11.Data():
                self.body += event.data
            case h11.EndOfMessage() | h11.ConnectionClosed():
                self.ended = True

    @property
    def seen(self) -> Reply:
        return Reply(self.status, self.headers, bytes(self.body), self.ended)

    async def until(self, look: Callable[[Reply], bool]) -> Reply:
        while not self.ended and not look(self.seen):
            await self.pull()
        return self.seen

    async def during(self, seconds: float) -> Reply:
        """Whatever comes in that time."""
        with anyio.move_on_after(seconds):
            await self.until(lambda reply: False)
        return self.seen

    async def reply(self) -> Reply:
        return await self.until(lambda reply: reply.ended)

    async def messages(self, count: int) -> list[Any]:
        return (await self.until(lambda reply: len(reply.messages) >= count)).messages


@dataclass(slots=True)
class Client:
    """Each exchange on a connection of its own. `session`: headers that go with every request."""

    network: Network
    port: int
    session: dict[str, str | None] = field(default_factory=dict)

    async def send(self, verb: str, body: bytes = b"", headers: Headers | None = None, path: str = "/mcp") -> Exchange:
        base: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }
        merged = {**base, **self.session, **(headers or {})}
        stream = await self.network.connect("127.0.0.1", self.port)
        http = h11.Connection(h11.CLIENT)
        named = [(name, value) for name, value in merged.items() if value is not None]
        head = http.send(h11.Request(method=verb, target=path, headers=named)) or b""
        await stream.send(head + (http.send(h11.Data(data=body)) or b"") + (http.send(h11.EndOfMessage()) or b""))
        return Exchange(stream, http)

    async def start(self, message: Any, headers: Headers | None = None) -> Exchange:
        return await self.send("POST", json.dumps(message).encode(), headers)

    async def post(self, message: Any, headers: Headers | None = None) -> Reply:
        return await (await self.start(message, headers)).reply()

    async def modern(self, message: dict[str, Any], headers: Headers | None = None) -> Reply:
        return await self.post(message, {**mirrored(message), **(headers or {})})

    async def start_modern(self, message: dict[str, Any], headers: Headers | None = None) -> Exchange:
        return await self.start(message, {**mirrored(message), **(headers or {})})

    async def tool(self, name: str, /, **arguments: Any) -> str:
        """The text of a quick tool, by the modern era, whatever else goes on."""
        answer = (await self.modern(modern("t", "tools/call", call(name, **arguments)))).answer
        return str(answer["result"]["content"][0]["text"])

    async def begin(self, version: str = D, capabilities: Mapping[str, Any] | None = None) -> Self:
        """A client in a session of its own."""
        reply = await self.post(initialize(version, capabilities))
        later = {"MCP-Protocol-Version": version} if version > "2025-03-26" else {}
        client = replace(self, session={"Mcp-Session-Id": reply.headers["mcp-session-id"], **later})
        await client.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return client


@dataclass(slots=True, kw_only=True)
class Served(Client):
    """A client that can also look into the server."""

    server: Reference


@asynccontextmanager
async def serving(build: Build = Reference, network: Network | None = None) -> AsyncIterator[Served]:
    network = network or SimNetwork()
    listener = await network.listen()
    async with anyio.create_task_group() as tasks:
        server = build(tasks)
        tasks.start_soon(listener.serve, server.serve_connection, tasks)
        yield Served(network, listener.port, server=server)
        tasks.cancel_scope.cancel()
    await listener.aclose()


@dataclass(slots=True)
class Console:
    """The other end of a stdio server."""

    server: Reference
    stdin: ByteSendStream
    stdout: ByteReceiveStream
    exit_code: int | None = None
    text: bytearray = field(default_factory=bytearray)

    async def write(self, *messages: Any) -> None:
        """Messages as lines; bytes as they are."""
        for message in messages:
            await self.stdin.send(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    async def read(self, count: int) -> list[Any]:
        """The first `count` messages so far, waiting for them."""
        while self.text.count(b"\n") < count:
            self.text += await self.stdout.receive()
        return self.seen

    async def during(self, seconds: float) -> list[Any]:
        with anyio.move_on_after(seconds):
            await self.read(1_000_000)
        return self.seen

    @property
    def seen(self) -> list[Any]:
        return [json.loads(line) for line in self.text.decode().split("\n")[:-1]]


@asynccontextmanager
async def talking(build: Build = Reference) -> AsyncIterator[Console]:
    near_in, far_in = pipe()
    far_out, near_out = pipe()
    async with anyio.create_task_group() as tasks:
        console = Console(build(tasks), near_in, near_out)

        async def serve() -> None:
            console.exit_code = await console.server.serve_stdio(far_in, far_out)

        tasks.start_soon(serve)
        yield console
        tasks.cancel_scope.cancel()
