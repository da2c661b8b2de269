"""The bundled WebSocket server behind faults, and a client of wsproto, both with the bytes that they got."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import anyio
from anyio.abc import ByteStream
from seatrial.chance import Chance
from seatrial.faults import Fault, Mount, mount_for
from seatrial.fixtures.serving import Part
from seatrial.fixtures.websocket import Frames, Switchboard
from seatrial.relay import Dial, Link, Relay
from seatrial.transport.network import Network
from seatrial.wire.json import dumps
from seatrial.wire.websocket import Frame, FrameDecoder
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, Request, TextMessage


def call(method: str, params: Mapping[str, Any] | None = None, number: int = 1) -> str:
    return dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params or {})}).decode()


class Tapped(Frames):
    """Keeps the bytes that come behind the handshake."""

    def taken(self, data: bytes) -> bytes:
        assert isinstance(self.server, Watched)
        self.server.heard += data
        return data


class Watched(Switchboard):
    """The bundled server, `heard` and how its connections ended."""

    replaced: ClassVar[Mapping[type[Part[Any]], type[Part[Any]]]] = {Frames: Tapped}

    def __init__(self, tasks: anyio.abc.TaskGroup) -> None:
        super().__init__(tasks)
        self.heard = bytearray()
        self.ended = anyio.Event()

    async def serve_connection(self, stream: ByteStream) -> None:
        await super().serve_connection(stream)
        self.ended.set()

    @property
    def frames_heard(self) -> list[Frame]:
        return frames(self.heard)


def frames(data: bytes | bytearray) -> list[Frame]:
    """Whole frames of some bytes."""
    return [frame for frame, _ in FrameDecoder().feed(bytes(data))]


@dataclass(slots=True)
class Client:
    """One connection; `ending` is "" while it has none. `answers` are whole text messages."""

    stream: ByteStream
    socket: WSConnection = field(default_factory=lambda: WSConnection(ConnectionType.CLIENT))
    received: bytearray = field(default_factory=bytearray)
    events: list[Event] = field(default_factory=list)
    ending: str = ""
    opened: bool = False

    async def open(self) -> None:
        await self.say(Request(host="target", target="/"))
        await self.until(lambda: self.opened)
        self.received.clear()

    async def say(self, event: Event) -> None:
        await self.stream.send(self.socket.send(event))

    async def read(self) -> None:
        try:
            data = await self.stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError) as error:
            self.ending = "fin" if isinstance(error, anyio.EndOfStream) else "reset"
            return
        self.received += data
        self.socket.receive_data(data)
        for event in self.socket.events():
            self.opened |= isinstance(event, AcceptConnection)
            self.events.append(event)

    async def until(self, found: Callable[[], bool], patience: float = 5.0) -> bool:
        """Read until something is found, or the end."""
        with anyio.move_on_after(patience):
            while not found() and not self.ending:
                await self.read()
        return found()

    async def rest(self) -> None:
        await self.until(lambda: False)

    async def ask(self, text: str) -> list[str]:
        """Say a text, and the answers once there is one more; fewer when the connection ends before."""
        before = len(self.answers)
        await self.say(TextMessage(text))
        await self.until(lambda: len(self.answers) > before)
        return self.answers

    @property
    def answers(self) -> list[str]:
        whole, part = list[str](), ""
        for event in self.events:
            if isinstance(event, TextMessage):
                part += event.data
                if event.message_finished:
                    whole, part = [*whole, part], ""
        return whole

    @property
    def closes(self) -> list[tuple[int, str]]:
        """Codes and reasons of the Close frames that came."""
        return [(int(e.code), e.reason or "") for e in self.events if isinstance(e, CloseConnection)]


@dataclass(slots=True)
class Quay:
    """The server, and the way to it through faults."""

    server: Watched
    dial: Dial
    fired: list[str]

    async def client(self) -> Client:
        """One that has shaken hands."""
        client = Client(await self.dial())
        await client.open()
        return client


@asynccontextmanager
async def quay(network: Network, *faults: Fault, seed: int = 7, relayed: bool = False) -> AsyncIterator[Quay]:
    """Byte faults on a Link, those of frames on a Relay before it; `relayed`: a Relay in any case."""
    fired: list[str] = []

    def note(fault: Fault, where: str) -> None:
        fired.append(fault.name)

    async with anyio.create_task_group() as tasks:

        async def listening(handler: Callable[[ByteStream], Any]) -> Dial:
            listener = await network.listen()
            tasks.start_soon(listener.serve, handler, tasks)
            return lambda: network.connect(listener.host, listener.port)

        server = Watched(tasks)
        dial = await listening(server.serve_connection)
        places = {mount: [one for one in faults if mount_for(one, "websocket") is mount] for mount in Mount}
        if places[Mount.LINK]:
            dial = await listening(Link(dial, places[Mount.LINK], Chance(seed), note).handle)
        if places[Mount.RELAY] or relayed:
            dial = await listening(Relay([dial], places[Mount.RELAY], Chance(seed), note).handle)
        yield Quay(server, dial, fired)
        tasks.cancel_scope.cancel()
