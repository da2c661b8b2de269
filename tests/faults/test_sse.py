"""Faults of server-sent events, as the bytes that come out at the client, on the simulated network and on TCP."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio
import pytest
from seatrial.faults import (
    EventId,
    Fault,
    blank,
    bom,
    cr_only,
    drop_event,
    duplicate_event,
    events,
    inject_comment,
    mutate_id,
    reorder_events,
    request,
    retry_field,
    two_streams,
    unterminated_tail,
)
from seatrial.relay.message import Request
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.transport.tcp import TcpNetwork
from seatrial.wire import jsonrpc, sse
from seatrial.wire.http1 import Ending, chunked
from seatrial.wire.json import dumps

from tests.clock import real, virtual
from tests.faults.harbour import GET, Client, Harbour, call, event, harbour, stream_of
from tests.networks import on_both_networks

BOM = b"\xef\xbb\xbf"
THREE = [event(n) for n in range(3)]
FOREIGN = b": never-given-by-this-target"
CRLF = [one.replace(b"\n", b"\r\n") for one in THREE]


def second(new: bytes) -> list[bytes]:
    """The three, with the second one's id line replaced."""
    return [THREE[0], THREE[1].replace(b"id: 1\n", new), THREE[2]]


CHANGES: list[tuple[Fault, list[bytes]]] = [
    (duplicate_event(after=events(2), copies=2), [THREE[0], *[THREE[1]] * 3, THREE[2]]),
    (reorder_events(window=3), THREE[::-1]),
    (drop_event(after=events(3)), THREE[:2]),
    (mutate_id(kind=EventId.ABSENT, after=events(2)), second(b"")),
    (mutate_id(kind=EventId.REPEATED, after=events(2)), second(b"id: 0\n")),
    (mutate_id(kind=EventId.NUL, after=events(2)), second(b"id: 1\0\n")),
    (mutate_id(kind=EventId.HUGE, after=events(2)), second(b"id: 1" + b"x" * 65536 + b"\n")),
    (mutate_id(kind=EventId.FOREIGN, after=events(2)), second(b"id" + FOREIGN + b"\n")),
    (inject_comment(after=events(1), text="é"), [THREE[0], ": é\n\n".encode(), *THREE[1:]]),
    (blank(after=events(2), count=3), [*THREE[:2], b"\n\n\n", THREE[2]]),
    (retry_field(after=events(3), value=250), [*THREE, b"retry: 250\n\n"]),
    (bom(), [BOM, *THREE]),
    (bom(after=events(2)), [THREE[0], BOM, *THREE[1:]]),
    (cr_only(), [one.replace(b"\n", b"\r") for one in THREE]),
    (unterminated_tail(), [*THREE[:2], THREE[2][:-1]]),
]


async def comes_out(network: Network, fault: Fault, sent: Sequence[bytes], expected: bytes) -> None:
    async with harbour(network, fault, scripts=[lambda _: stream_of(*sent)]) as sea:
        client = await sea.client()
        for body in (expected, b"".join(sent)):
            response = (await client.ask(call())).response
            assert (response.body, response.ending) == (expected if fault.benign else body, Ending.CLOSED)
        assert [name for name, _ in sea.fired] == [fault.name] * (2 if fault.benign else 1)


@pytest.mark.parametrize(("fault", "expected"), CHANGES, ids=[str(fault) for fault, _ in CHANGES])
@pytest.mark.parametrize("kind", [virtual, real])
def test_a_stream_is_changed_once(
    kind: Callable[..., Callable[..., None]], fault: Fault, expected: list[bytes]
) -> None:
    network = SimNetwork() if kind is virtual else TcpNetwork()
    kind(comes_out)(network, fault, THREE, b"".join(expected))


BYTE_BY_BYTE = [bytes([byte]) for one in CRLF for byte in one]


@pytest.mark.parametrize("sent", [CRLF, BYTE_BY_BYTE], ids=["whole", "byte by byte"])
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (mutate_id(kind=EventId.ABSENT, after=events(2)), b"".join(CRLF).replace(b"id: 1\r\n", b"")),
        (
            mutate_id(kind=EventId.FOREIGN, after=events(3)),
            b"".join(CRLF).replace(b": 2\r", FOREIGN + b"\r"),
        ),
        (bom(after=events(2)), CRLF[0] + BOM + CRLF[1] + CRLF[2]),
        (cr_only(), b"".join(CRLF).replace(b"\n", b"")),
        (unterminated_tail(), b"".join(CRLF)[:-2]),
    ],
    ids=lambda value: str(value) if isinstance(value, Fault) else "",
)
@virtual
async def test_lines_may_end_with_crlf(fault: Fault, expected: bytes, sent: list[bytes]) -> None:
    await comes_out(SimNetwork(), fault, sent, expected)


NO_ID = sse.encode(sse.SseEvent(data="x"))


@pytest.mark.parametrize(
    ("fault", "sent"),
    [
        *((mutate_id(kind=kind), [NO_ID]) for kind in EventId),
        (mutate_id(kind=EventId.REPEATED), THREE),
        (duplicate_event(copies=0), THREE),
        (blank(count=0), THREE),
        (inject_comment(after=events(4)), THREE),
        (retry_field(after=events(4)), THREE),
        (bom(after=events(4)), THREE),
        (cr_only(), [b"data: x\r\r"]),
        (unterminated_tail(), [NO_ID[:-1]]),
        (unterminated_tail(), []),
        (two_streams(), THREE),
    ],
    ids=lambda value: str(value) if isinstance(value, Fault) else "",
)
@virtual
async def test_what_cannot_be_changed_is_left_alone_and_nothing_has_fired(fault: Fault, sent: list[bytes]) -> None:
    async with harbour(SimNetwork(), fault, scripts=[lambda _: stream_of(*sent)]) as sea:
        assert (await (await sea.client()).ask(call())).response.body == b"".join(sent)
        assert sea.fired == []


@pytest.mark.parametrize("fault", [cr_only(), bom(), unterminated_tail(), mutate_id(), two_streams()], ids=str)
@virtual
async def test_only_event_streams_are_changed(fault: Fault) -> None:
    plain = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"a":1,\n\n"b":2}'
    async with harbour(SimNetwork(), fault, scripts=[lambda _: [plain]]) as sea:
        client = await sea.client()
        await client.ask(call())
        assert (bytes(client.received), sea.fired) == (plain, [])


@virtual
async def test_the_end_of_an_event_is_held_back_no_longer_than_said() -> None:
    async with harbour(
        SimNetwork(), unterminated_tail(wait=3.0), scripts=[lambda _: stream_of(*THREE, end=False)]
    ) as sea:
        client = await sea.client()
        before = (await client.ask(call(), patience=2.9)).response
        assert before.body == b"".join(THREE)[:-2]
        with anyio.move_on_after(0.2):
            await client.read()
        assert bytes(client.received).endswith(chunked(b"\n\n", end=False))
        assert sea.fired == []


@virtual
async def test_line_ends_without_end_are_not_kept() -> None:
    blanks = [b"\n" * 100] * 50
    async with harbour(
        SimNetwork(), unterminated_tail(wait=1e6), scripts=[lambda _: stream_of(*blanks, end=False)]
    ) as sea:
        response = (await (await sea.client()).ask(call(), patience=1.0)).response
        assert len(response.body) >= 5000 - 64


ANSWER = sse.encode(sse.SseEvent(data=dumps(jsonrpc.response(1, {})).decode()))


async def more(client: Client, patience: float = 0.2) -> bytes:
    """What comes in so many seconds."""
    start = len(client.received)
    with anyio.move_on_after(patience):
        while not client.ending:
            await client.read()
    return bytes(client.received[start:])


def two(message: Request) -> list[bytes]:
    return stream_of(THREE[0], end=False) if message.http.verb == "GET" else stream_of(THREE[1], ANSWER)


async def listener(sea: Harbour) -> Client:
    """A client with an open GET stream."""
    client = await sea.client()
    assert (await client.ask(GET, "GET", patience=0.2)).response.body == THREE[0]
    return client


@on_both_networks
async def test_an_answer_comes_on_the_get_stream(network: Network) -> None:
    async with harbour(network, two_streams(on="tools/call"), scripts=[two]) as sea:
        listening = await listener(sea)
        response = (await (await sea.client()).ask(call())).response
        assert (response.body, response.ending) == (THREE[1], Ending.CLOSED)
        assert await more(listening) == chunked(ANSWER, end=False)
        assert sea.fired == [("two_streams", "post:1, its response on get:1")]
        assert (await (await sea.client()).ask(call())).response.body == THREE[1] + ANSWER


@virtual
async def test_a_stream_that_was_left_carries_nobodys_answer() -> None:
    async with harbour(SimNetwork(), two_streams(on="tools/call"), scripts=[two]) as sea:
        listening = await listener(sea)
        await listening.stream.aclose()
        await anyio.sleep(1)
        assert (await (await sea.client()).ask(call())).response.body == THREE[1] + ANSWER
        assert sea.fired == []


@virtual
async def test_a_stream_of_another_session_carries_nobodys_answer() -> None:
    async with harbour(SimNetwork(), two_streams(on="tools/call"), scripts=[two]) as sea:
        stranger = await sea.client()
        await stranger.ask(GET.replace(b"Host", b"Mcp-Session-Id: other\r\nHost"), "GET", patience=0.2)
        assert (await (await sea.client()).ask(call())).response.body == THREE[1] + ANSWER
        assert (await more(stranger), sea.fired) == (b"", [])


@virtual
async def test_the_nth_call_loses_its_answer_to_the_other_stream() -> None:
    async with harbour(SimNetwork(), two_streams(on="tools/call", after=request(2)), scripts=[two]) as sea:
        await listener(sea)
        client = await sea.client()
        bodies = [(await client.ask(call(method))).response.body for method in ("tools/call", "ping", "tools/call")]
        assert bodies == [THREE[1] + ANSWER, THREE[1] + ANSWER, THREE[1]]


def halves(message: Request) -> list[bytes]:
    """A GET stream that is in the middle of an event."""
    if message.http.verb == "GET":
        return stream_of(THREE[0], THREE[2][:9], end=False)
    return stream_of(THREE[1], ANSWER)


@virtual
async def test_an_answer_does_not_come_inside_an_event_of_the_other_stream() -> None:
    async with harbour(SimNetwork(), two_streams(on="tools/call"), scripts=[halves]) as sea:
        listening = await listener(sea)
        await (await sea.client()).ask(call())
        assert await more(listening) == chunked(ANSWER, end=False)
