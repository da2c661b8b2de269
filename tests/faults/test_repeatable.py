"""One seed gives the same firings and the same bytes on each connection, however the connections interleave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress

import anyio
from anyio.abc import ByteStream
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import (
    BOTH,
    RESET,
    Fault,
    Mount,
    corrupt,
    cut,
    drop_event,
    duplicate_event,
    events,
    mutate_id,
    octets,
    reorder_events,
    retry_field,
    stall,
    unterminated_tail,
)
from seatrial.relay import Link, Relay
from seatrial.relay.link import dialer
from seatrial.relay.message import Channel, Request, read_request

from tests.clock import virtual
from tests.faults.harbour import Client, call, event, stream_of
from tests.faults.plans import benign_plans

CONNECTIONS = 3
SENT = [[b"%d" % number + bytes(range(48, 48 + 20 * size)) for size in (1, 2, 3)] for number in range(CONNECTIONS)]
"""What each connection says, in chunks."""
SEEDS = st.integers(0, 9999)
TURNS = st.permutations([number for number in range(CONNECTIONS) for _ in range(3)])
"""Whose turn it is to say something."""
MALIGN = st.sampled_from(
    [
        corrupt(times=0, rate=0.2, direction=BOTH),
        cut(times=0, after=octets(40), how=RESET),
        stall(times=0, after=octets(30), seconds=0.5),
    ]
)
MANGLING = st.sampled_from(
    [
        drop_event(times=0, after=events(2)),
        duplicate_event(times=0, after=events(3)),
        reorder_events(times=0, after=events(1)),
        mutate_id(times=0, after=events(2)),
        retry_field(times=0, after=events(3)),
        unterminated_tail(times=0, wait=60.0),
    ]
)

Seen = dict[str, list[tuple[str, str]]]


class Firings:
    """Firings by connection or exchange, and there by direction: which of the two is first may be a matter of pace."""

    def __init__(self) -> None:
        self.seen: Seen = defaultdict(list)

    def note(self, fault: Fault, where: str) -> None:
        self.seen[where.split(",")[0]].append((str(fault), where))


async def through_a_link(plan: Iterable[Fault], seed: int, turns: Iterable[int]) -> tuple[Seen, list[bytes]]:
    """The firings, and what came back on each connection from a target that sends back what it gets."""
    firings = Firings()
    async with anyio.create_task_group() as tasks:
        link = Link(dialer(echo, tasks), tuple(plan), Chance(seed), firings.note)
        clients = [Client(await link.dialer(tasks)()) for _ in range(CONNECTIONS)]
        await anyio.sleep(1)
        left = [iter(chunks) for chunks in SENT]
        for turn in turns:
            await say(clients[turn], next(left[turn]))
        for client in clients:
            await say(client, b"")
        received = [await client.rest() for client in clients]
        tasks.cancel_scope.cancel()
    return firings.seen, received


async def say(client: Client, data: bytes) -> None:
    """Something, or the end; and give it time to arrive. A connection may have been reset."""
    with suppress(anyio.BrokenResourceError):
        await (client.stream.send(data) if data else client.stream.send_eof())
    await anyio.sleep(60)


async def echo(stream: ByteStream) -> None:
    """Send back each saying in one piece: whether pieces that come at one moment are read as one is chance."""
    with suppress(anyio.BrokenResourceError):
        async for data in stream:
            await stream.send(data + await _more(stream))
        await stream.send_eof()


async def _more(stream: ByteStream) -> bytes:
    """What comes until nothing has come for two seconds."""
    more = b""
    with suppress(TimeoutError, anyio.EndOfStream):
        while True:
            with anyio.fail_after(2):
                more += await stream.receive()
    return more


@settings(max_examples=60, deadline=None)
@given(benign_plans(Mount.LINK), MALIGN, SEEDS, TURNS)
@virtual
async def test_on_a_link(plan: tuple[Fault, ...], malign: Fault, seed: int, turns: list[int]) -> None:
    in_order = await through_a_link([*plan, malign], seed, sorted(turns))
    assert in_order[0]
    assert await through_a_link([*plan, malign], seed, turns) == in_order


async def through_a_relay(plan: Iterable[Fault], seed: int, gaps: list[float]) -> tuple[Seen, list[bytes]]:
    """The firings, and the body of each of several streams that flow at once, each at a pace of its own."""
    firings, bodies = Firings(), [b""] * CONNECTIONS

    async def target(stream: ByteStream) -> None:
        channel = Channel(stream)
        while isinstance(message := await read_request(channel), Request):
            number = int(message.http.target.rpartition("/")[2] or 0)
            for piece in stream_of(*(event(10 * number + n) for n in range(4))):
                await anyio.sleep(gaps[number])
                await stream.send(piece)

    async def ask(number: int, client: Client) -> None:
        asked = call(number=number).replace(b"POST /mcp", b"POST /%d" % number)
        bodies[number] = (await client.ask(asked, patience=3000.0)).response.body

    async with anyio.create_task_group() as tasks:
        relay = Relay([dialer(target, tasks)], tuple(plan), Chance(seed), firings.note)
        async with anyio.create_task_group() as asking:
            for number in range(CONNECTIONS):
                asking.start_soon(ask, number, Client(await relay.dialer(tasks)()))
                await anyio.sleep(0.01)
        tasks.cancel_scope.cancel()
    return firings.seen, bodies


@settings(max_examples=60, deadline=None)
@given(
    benign_plans(Mount.RELAY),
    MANGLING,
    SEEDS,
    st.lists(st.floats(0.0, 2.0), min_size=CONNECTIONS, max_size=CONNECTIONS),
)
@virtual
async def test_on_a_relay(plan: tuple[Fault, ...], mangling: Fault, seed: int, gaps: list[float]) -> None:
    together = await through_a_relay([*plan, mangling], seed, [0.0] * CONNECTIONS)
    assert await through_a_relay([*plan, mangling], seed, gaps) == together
