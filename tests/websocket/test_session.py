"""Our client of WebSocket: with the bundled server, and with servers that are none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import ByteStream
from seatrial.fixtures.websocket import Switchboard
from seatrial.protocols.exchange import FLOOD
from seatrial.protocols.outcome import Answer, Ending, Lost, Outcome, Refusal
from seatrial.protocols.websocket.carrier import ACCEPT, BINDING, WebSocketCarrier
from seatrial.protocols.websocket.session import Session
from seatrial.transcript import Kind, Transcript
from seatrial.transport.http import HttpClient
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.wire.websocket import Frame, Opcode

from tests.clock import virtual
from tests.networks import on_both_networks

SWITCH = f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {ACCEPT}\r\n\r\n".encode()


@asynccontextmanager
async def session_with(network: Network, serve: Callable[[ByteStream], Awaitable[None]]) -> AsyncIterator[Session]:
    async with anyio.create_task_group() as tasks:
        listener = await network.listen()
        tasks.start_soon(listener.serve, serve, tasks)
        recorder = Transcript(lambda: 0.0).scope("case")
        url = f"ws://{listener.host}:{listener.port}/chat?a=b"
        session = Session(WebSocketCarrier(BINDING, url, HttpClient(network), tasks, recorder), "13")
        yield session
        await session.aclose()
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def bundled(network: Network) -> AsyncIterator[Session]:
    async with (
        anyio.create_task_group() as tasks,
        session_with(network, Switchboard(tasks).serve_connection) as session,
    ):
        yield session


def saying(*said: bytes, ends: bool = True) -> Callable[[ByteStream], Awaitable[None]]:
    """A server that says this to the first thing that comes."""

    async def serve(stream: ByteStream) -> None:
        await stream.receive()
        for data in said:
            await stream.send(data)
        if ends:
            await stream.send_eof()
        await anyio.sleep(60)

    return serve


@on_both_networks
async def test_a_session_with_the_bundled_server(network: Network) -> None:
    async with bundled(network) as session:
        assert isinstance(await session.open(), Answer)
        assert isinstance(await session.fence(), Answer)
        pinged = await session.request("ping")
        unknown = await session.request("nothing")
        assert isinstance(pinged, Answer) and pinged.result == {}
        assert isinstance(unknown, Refusal) and unknown.code == -32601
        assert session.carrier.idle


@on_both_networks
async def test_a_close_is_said_and_answered_once(network: Network) -> None:
    async with bundled(network) as session:
        await session.open()
        await session.frame(Opcode.CLOSE, (1000).to_bytes(2, "big"))
        close = await session.closed()
        assert close and close.frame.payload == (1000).to_bytes(2, "big")
        assert session.carrier.connection.ending is Ending.CLOSED
        assert [r.data["verb"] for r in session.carrier.recorder.records if r.kind is Kind.SENT] == ["GET", "close"]
        assert isinstance(await session.request("ping"), Lost)


@virtual
async def test_a_ping_of_the_server_is_answered_with_its_data() -> None:
    heard = bytearray()

    async def serve(stream: ByteStream) -> None:
        await stream.receive()
        await stream.send(SWITCH + Frame(Opcode.PING, b"42").encode())
        heard.extend(await stream.receive())
        await anyio.sleep(60)

    async with session_with(SimNetwork(), serve) as session:
        await session.open()
        await anyio.sleep(1)
        assert bytes(heard) == Frame(Opcode.PONG, b"42", key=b"sail").encode()


@virtual
async def test_a_message_in_fragments_is_one_answer() -> None:
    answer = b'{"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}'

    async def serve(stream: ByteStream) -> None:
        await stream.receive()
        await stream.send(SWITCH)
        await stream.receive()
        for opcode, part, fin in ((1, answer[:9], False), (9, b"", True), (0, answer[9:], True)):
            await stream.send(Frame(opcode, part, fin=fin).encode())
        await anyio.sleep(60)

    async with session_with(SimNetwork(), serve) as session:
        await session.open()
        outcome = await session.request("ping")
        assert isinstance(outcome, Answer) and outcome.result == {"a": 1}


@pytest.mark.parametrize(
    ("serve", "status", "told"),
    [
        (saying(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), 400, "HTTP 400"),
        (saying(SWITCH.replace(ACCEPT.encode(), b"other")), 101, "HTTP 101"),
        (saying(b"HTTP/1.1 200 OK\r\n\r\n"), 200, "HTTP 200"),
        (saying(b"\x00\x01 no HTTP\r\n\r\n"), None, "what came is no response of HTTP"),
        (saying(), None, "what came is no response of HTTP"),
        (saying(ends=False), None, "the handshake was not answered in time"),
    ],
)
def test_a_handshake_that_is_not_taken_is_told(
    serve: Callable[[ByteStream], Awaitable[None]], status: int | None, told: str
) -> None:
    @virtual
    async def run() -> None:
        async with session_with(SimNetwork(), serve) as session:
            outcome: Outcome = await session.open()
            assert isinstance(outcome, Refusal | Lost)
            assert (outcome.reply.status, outcome.text if isinstance(outcome, Refusal) else outcome.why) == (
                status,
                told,
            )

    run()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"\x82\x7f" + (1 << 40).to_bytes(8, "big"), "a frame is longer than 16777216 bytes"),
        (Frame(Opcode.PONG).encode() * (FLOOD + 1), f"more than {FLOOD} frames came in one case"),
    ],
    ids=["long", "many"],
)
def test_what_has_no_end_is_left(said: bytes, why: str) -> None:
    @virtual
    async def run() -> None:
        async with session_with(SimNetwork(), saying(SWITCH, said, ends=False)) as session:
            await session.open()
            await session.carrier.connection.finished()
            assert (session.carrier.connection.ending, session.carrier.connection.why) == (Ending.LEFT, why)

    run()
