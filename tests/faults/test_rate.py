"""Faults of the rate and the end of a connection, and of what is in its bytes, as the other side sees them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import pytest
from anyio.abc import ByteStream
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import (
    DOWN,
    UP,
    Armed,
    Fault,
    FaultError,
    corrupt,
    first,
    latency,
    limit,
    octets,
    slices,
    slow_close,
    slow_loris,
    stall,
    throttle,
)
from seatrial.faults.rate import Part
from seatrial.faults.stage import Bucket, Chain, Flow, How
from seatrial.faults.stream import BANDWIDTH
from seatrial.relay import Link, Relay
from seatrial.relay.link import end
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork, connection

from tests.clock import virtual
from tests.faults.harbour import Client, call, event, harbour, plain, stream_of
from tests.networks import on_both_networks

WHOLE = plain()[0]
HEAD, BODY = call()[: call().index(b"\r\n\r\n") + 4], call()[call().index(b"\r\n\r\n") + 4 :]

Arrivals = list[tuple[float, bytes]]
"""When which bytes came."""


async def arrivals(stream: ByteStream, seen: Arrivals) -> None:
    try:
        async for data in stream:
            seen.append((anyio.current_time(), data))
        seen.append((anyio.current_time(), b""))
    except anyio.BrokenResourceError:
        pass


async def through(network: Network, *faults: Fault, sent: Callable[[ByteStream], Awaitable[None]]) -> Arrivals:
    """What a peer gets through a link, on its own clock, until the end."""
    seen: Arrivals = []
    async with anyio.create_task_group() as tasks:
        listener, front = await network.listen(), await network.listen()
        link = Link(lambda: network.connect("127.0.0.1", listener.port), faults, Chance(7), lambda fault, where: None)
        over = anyio.Event()

        async def peer(stream: ByteStream) -> None:
            await arrivals(stream, seen)
            over.set()

        tasks.start_soon(listener.serve, peer, tasks)
        tasks.start_soon(link.serve, front, tasks)
        await sent(await network.connect("127.0.0.1", front.port))
        await over.wait()
        tasks.cancel_scope.cancel()
    return seen


def said(data: bytes) -> Callable[[ByteStream], Awaitable[None]]:
    async def send(stream: ByteStream) -> None:
        await stream.send(data)
        await stream.send_eof()

    return send


@on_both_networks
async def test_a_throttled_connection_carries_its_rate_and_no_more(network: Network) -> None:
    began = anyio.current_time()
    seen = await through(network, throttle(rate=20_000.0, burst=1000), sent=said(bytes(5000)))
    assert b"".join(data for _, data in seen) == bytes(5000)
    assert seen[-1][0] - began > 0.19


@virtual
async def test_a_burst_passes_at_once_and_silence_fills_the_bucket() -> None:
    async def sent(stream: ByteStream) -> None:
        for pause in (30.0, 0.0):
            await stream.send(bytes(3000))
            await anyio.sleep(pause)
        await stream.send_eof()

    seen = await through(SimNetwork(), throttle(rate=100.0, burst=1000), sent=sent)
    began = seen[0][0]
    assert [(round(at - began), len(data)) for at, data in seen[:-1]] == [
        *[(0, 1000), (10, 1000), (20, 1000)],
        *[(30, 1000), (40, 1000), (50, 1000)],
    ]


@given(st.lists(st.tuples(st.floats(0, 9), st.integers(1, 50)), max_size=30), st.floats(0.5, 50.0))
def test_a_bucket_never_lets_more_through_than_its_rate(takes: list[tuple[float, int]], rate: float) -> None:
    bucket, now, passed = Bucket(rate, 50), 0.0, 0
    for pause, size in takes:
        now += pause
        now += bucket.take(size, now)
        passed += size
        assert passed <= 50 + rate * now + 1e-6


@on_both_networks
async def test_a_head_drips_and_the_body_comes_at_once(network: Network) -> None:
    began = anyio.current_time()
    seen = await through(network, slow_loris(rate=200.0), sent=said(call()))
    assert b"".join(data for _, data in seen) == call()
    assert len(seen) > 10 and seen[-2][1].endswith(BODY)
    assert seen[-1][0] - began > (len(HEAD) - 1) / 200.0


@pytest.mark.parametrize("part", Part)
@virtual
async def test_the_selected_request_drips_and_no_other(part: Part) -> None:
    moments: list[float] = []
    fault = slow_loris(on="tools/call", rate=1.0, part=part)
    async with harbour(SimNetwork(), fault, scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        for method in ("ping", "tools/call", "tools/call"):
            began = anyio.current_time()
            assert (await client.ask(call(method), patience=600.0)).response.body == b"{}"
            moments.append(anyio.current_time() - began)
        assert sea.server.requests == [call("ping"), call(), call()]
        assert sea.fired == [("slow_loris", f"post:2, {part}")]
    assert moments == [0.0, pytest.approx(len(HEAD if part is Part.HEADERS else BODY)), 0.0]


@on_both_networks
async def test_the_end_comes_late_and_nothing_is_lost(network: Network) -> None:
    seen = await through(network, slow_close(seconds=0.3), sent=said(b"all of it"))
    (at, data), (ended, end) = seen
    assert (data, end) == (b"all of it", b"")
    assert 0.25 < ended - at < 5.0


@virtual
async def test_the_end_of_the_target_comes_late_too() -> None:
    near, far = connection()

    async def dial() -> ByteStream:
        return near

    seen: Arrivals = []
    async with anyio.create_task_group() as tasks:
        link = Link(dial, [slow_close(seconds=9.0, direction=DOWN)], Chance(7), lambda fault, where: None)
        client = await link.dialer(tasks)()
        await far.send(b"bye")
        await far.send_eof()
        await client.send_eof()
        await arrivals(client, seen)
    (at, data), (ended, end) = seen
    assert (data, end) == (b"bye", b"")
    assert ended - at == pytest.approx(9.0)


@on_both_networks
async def test_a_byte_is_corrupted_where_it_is_said(network: Network) -> None:
    async with harbour(network, corrupt(after=octets(20), direction=DOWN), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        while len(client.received) < len(WHOLE):
            await client.read()
        assert [n for n in range(len(WHOLE)) if client.received[n] != WHOLE[n]] == [20]
        assert client.received[20] ^ WHOLE[20] == 0x80
        assert sea.fired == [("corrupt", "connection:1 down, byte 20")]


@virtual
async def test_a_chosen_request_is_corrupted_on_its_way() -> None:
    fault = corrupt(on="tools/call", after=first("jsonrpc"), count=2, xor=1)
    async with harbour(SimNetwork(), fault, scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        for method in ("ping", "tools/call", "ping"):
            await client.ask(call(method))
        assert sea.server.requests == [call("ping"), call().replace(b'jsonrpc":', b"jsonrpc#;"), call("ping")]


@given(st.binary(min_size=1, max_size=400), st.integers(0, 9), st.integers(1, 20))
@settings(max_examples=30, deadline=None)
def test_corruption_flips_no_more_bytes_than_it_says_and_the_same_again(data: bytes, seed: int, count: int) -> None:
    def corrupted() -> bytes:
        armed = Armed(corrupt(count=count, rate=0.5, xor=0), Chance(seed), lambda fault, where: None)
        chain = Chain(armed.stages(Flow("connection:1", UP)))
        pieces = (made for piece in (b"", data[:9], data[9:]) for made in chain.feed(piece))
        return b"".join(piece for piece in pieces if isinstance(piece, bytes))

    made = corrupted()
    assert len(made) == len(data) and made == corrupted()
    assert sum(one != other for one, other in zip(made, data, strict=True)) <= count


@virtual
async def test_a_limit_can_be_put_at_every_offset() -> None:
    for n in range(len(WHOLE)):
        async with harbour(SimNetwork(), limit(n), scripts=[lambda _: plain()]) as sea:
            client = await sea.client()
            await client.stream.send(call())
            assert (await client.rest(), client.ending) == (WHOLE[:n], "fin")


@pytest.mark.parametrize(
    "make",
    [
        lambda: throttle(rate=0.0),
        lambda: slow_loris(rate=0.0),
        lambda: slow_close(after=octets(3)),
        lambda: corrupt(xor=256),
        lambda: corrupt(rate=2.0),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], Fault]) -> None:
    with pytest.raises(FaultError, match=r"throttle|slow_loris|slow_close|corrupt"):
        make()


@on_both_networks
async def test_a_target_may_answer_before_a_dripping_request_is_whole(network: Network) -> None:
    async def impatient(stream: ByteStream) -> None:
        await stream.receive()
        await stream.send(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await end(How.FIN, stream)

    async with anyio.create_task_group() as tasks:
        listener = await network.listen()
        tasks.start_soon(listener.serve, impatient, tasks)
        dial = lambda: network.connect("127.0.0.1", listener.port)  # noqa: E731
        relay = Relay([dial], [slow_loris(on="tools/call", rate=50.0)], Chance(7), lambda fault, where: None)
        client = Client(await relay.dialer(tasks)())
        answer = await client.ask(call(), patience=10.0)
        await client.rest()
        assert (answer.response.status, client.ending) == (408, "fin")
        tasks.cancel_scope.cancel()


@on_both_networks
async def test_faults_of_bytes_work_inside_the_exchanges_that_they_select(network: Network) -> None:
    quiet = [
        latency(on="tools/call", seconds=0.01),
        slices(on="tools/call"),
        throttle(on="tools/call", rate=9000.0, burst=50),
    ]
    async with harbour(network, *quiet, scripts=[lambda _: stream_of(event(1), event(2))]) as sea:
        client = await sea.client()
        for method in ("ping", "tools/call"):
            assert (await client.ask(call(method))).response.body == event(1) + event(2)
        assert sea.server.requests == [call("ping"), call()]
        assert {where for _, where in sea.fired} == {"post:2 up", "post:2 down"}
        assert {name for name, _ in sea.fired} == {"latency", "slice", "throttle"}


@virtual
async def test_a_selected_request_stalls_on_its_way_or_ends_there() -> None:
    faults = stall(on="tools/call", after=octets(40), direction=UP, seconds=30.0), limit(60, on="ping", direction=UP)
    async with harbour(SimNetwork(), *faults, scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        began = anyio.current_time()
        assert (await client.ask(call(), patience=60.0)).response.body == b"{}"
        assert anyio.current_time() - began == pytest.approx(30.0)
        await client.ask(call("ping"))
        await sea.server.ended.wait()
        assert (client.ending, sea.server.requests, sea.server.opaque) == ("fin", [call()], call("ping")[:60])
        assert sea.fired == [("stall", "post:1 up, byte 40"), ("cut", "post:2 up, byte 60")]


async def taken(seconds: float) -> int:
    """Bytes that a link with such a latency takes from a target to whose connection nobody listens."""
    near, far = connection()
    taken = 0

    async def dial() -> ByteStream:
        return near

    async with anyio.create_task_group() as tasks:
        await Link(dial, [latency(seconds=seconds)], Chance(7), lambda fault, where: None).dialer(tasks)()
        with anyio.move_on_after(60.0):
            while True:
                await far.send(bytes(1024))
                taken += 1024
        tasks.cancel_scope.cancel()
    return taken


@virtual
async def test_no_more_is_taken_ahead_than_is_under_way() -> None:
    """Otherwise a target would not notice that nobody reads what it says."""
    pipes = 2 * SimNetwork().capacity
    for seconds in (0.001, 0.1, 0.2):
        room = max(64 * 1024, BANDWIDTH * seconds)
        assert pipes < await taken(seconds) <= pipes + room + 1024 * 64


@virtual
async def test_a_long_body_takes_as_long_as_its_latency_and_the_bandwidth_make_it() -> None:
    async def sent(stream: ByteStream) -> None:
        await stream.send(bytes(BANDWIDTH))
        await stream.send_eof()

    for seconds in (0.1, 0.4):
        took = (await through(SimNetwork(), latency(seconds=seconds), sent=sent))[-1][0]
        assert seconds <= took <= 1.0 + 3 * seconds
