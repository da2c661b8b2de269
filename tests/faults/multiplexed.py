"""A small server and client of HTTP/2, as gRPC has them below: many streams on one connection (sans-IO by h2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import anyio
import h2.config
import h2.connection
import h2.events
import h2.exceptions
from anyio.abc import ByteStream

HEADERS = [(":method", "POST"), (":path", "/a.Service/Call"), (":scheme", "http"), (":authority", "target")]


@dataclass(slots=True)
class Peer:
    """One end of a connection. `ending`: fin or reset once it is over, protocol when what came was no HTTP/2."""

    stream: ByteStream
    client: bool
    bodies: dict[int, bytearray] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    """Streams whose end has come."""
    ending: str = ""
    http: h2.connection.H2Connection = field(init=False)

    def __post_init__(self) -> None:
        config = h2.config.H2Configuration(client_side=self.client, header_encoding="utf-8")
        self.http = h2.connection.H2Connection(config)

    async def begin(self) -> None:
        self.http.initiate_connection()
        await self.flush()

    async def flush(self) -> None:
        await self.stream.send(self.http.data_to_send())

    async def events(self) -> Iterable[h2.events.Event]:
        """What came next; nothing once it is over."""
        try:
            events = self.http.receive_data(await self.stream.receive())
        except anyio.EndOfStream:
            return self._over("fin")
        except anyio.BrokenResourceError:
            return self._over("reset")
        except h2.exceptions.ProtocolError:
            return self._over("protocol")
        for event in events:
            self._take(event)
        await self.flush()
        return events

    def _over(self, how: str) -> Iterable[h2.events.Event]:
        self.ending = how
        return ()

    def _take(self, event: h2.events.Event) -> None:
        if isinstance(event, h2.events.DataReceived):
            self.bodies.setdefault(event.stream_id, bytearray()).extend(event.data)
            self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        if isinstance(event, h2.events.StreamEnded):
            self.whole.add(event.stream_id)

    async def call(self, body: bytes) -> int:
        """Begin a call; its stream."""
        number = int(self.http.get_next_available_stream_id())
        self.http.send_headers(number, HEADERS)
        self.http.send_data(number, body, end_stream=True)
        await self.flush()
        return number

    async def answers(self, *streams: int, patience: float = 5.0) -> list[bytes]:
        """The bodies of the answers, as far as they came before the end or so many seconds had passed."""
        with anyio.move_on_after(patience):
            while not self.ending and not self.whole.issuperset(streams):
                await self.events()
        return [bytes(self.bodies.get(number, b"")) for number in streams]


@dataclass(slots=True)
class Echo:
    """Answers each call with its body in upper case and trailers, as gRPC ends a call."""

    endings: list[str] = field(default_factory=list)
    calls: list[bytes] = field(default_factory=list)
    ended: anyio.Event = field(default_factory=anyio.Event)

    async def handle(self, stream: ByteStream) -> None:
        peer = Peer(stream, client=False)
        await peer.begin()
        while not peer.ending:
            for event in await peer.events():
                if isinstance(event, h2.events.StreamEnded) and event.stream_id is not None:
                    await self._answer(peer, event.stream_id)
        self.endings.append(peer.ending)
        self.ended.set()

    async def _answer(self, peer: Peer, number: int) -> None:
        self.calls.append(bytes(peer.bodies[number]))
        peer.http.send_headers(number, [(":status", "200"), ("content-type", "application/grpc")])
        peer.http.send_data(number, self.calls[-1].upper())
        peer.http.send_headers(number, [("grpc-status", "0")], end_stream=True)
        await peer.flush()
