"""Byte faults as they are seen on the wire, on the simulated network and on TCP."""

from __future__ import annotations

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import (
    BOTH,
    RESET,
    STALL,
    UP,
    Fault,
    cut,
    first,
    half_close,
    latency,
    octets,
    slices,
    split_at,
    stall,
    throttle,
)
from seatrial.faults.stream import INSIDES
from seatrial.relay import Link
from seatrial.transport.network import Network, reset
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.faults.harbour import GET, Client, call, harbour, plain, stream_of
from tests.networks import on_both_networks

WHOLE = plain()[0]


@on_both_networks
async def test_fin_ends_both_sides_after_so_many_bytes(network: Network) -> None:
    async with harbour(network, cut(after=octets(20)), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        assert await client.rest() == WHOLE[:20]
        await sea.server.ended.wait()
        assert (client.ending, sea.server.endings) == ("fin", ["fin"])
        assert sea.fired == [("cut", "connection:1 down, byte 20")]


@on_both_networks
async def test_reset_ends_both_sides_abortively(network: Network) -> None:
    async with harbour(network, cut(after=octets(20), how=RESET), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        await client.rest()
        await sea.server.ended.wait()
        assert (client.ending, sea.server.endings) == ("reset", ["reset"])


@on_both_networks
async def test_a_fault_fires_as_often_as_it_says(network: Network) -> None:
    async with harbour(network, cut(after=octets(0), times=2), scripts=[lambda _: plain()]) as sea:
        endings = []
        for _ in range(3):
            client = await sea.client()
            await client.ask(call())
            endings.append(client.ending)
        assert endings == ["fin", "fin", ""]
        assert [name for name, _ in sea.fired] == ["cut", "cut"]


@on_both_networks
async def test_a_request_can_be_cut_on_its_way(network: Network) -> None:
    async with harbour(network, cut(after=octets(10), direction=UP, how=RESET), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.ask(call())
        await sea.server.ended.wait()
        assert (sea.server.requests, sea.server.endings) == ([], ["reset"])


@on_both_networks
async def test_a_half_close_still_gets_its_answer(network: Network) -> None:
    after_the_request = first('"tools/call"}')
    async with harbour(network, half_close(after=after_the_request), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        assert (await client.ask(call())).response.body == b"{}"
        await sea.server.ended.wait()
        assert sea.server.endings == ["fin"]
        assert [name for name, _ in sea.fired] == ["half_close"]


@on_both_networks
async def test_a_reset_of_the_client_reaches_the_target(network: Network) -> None:
    async with harbour(network, cut(after=first("never")), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.ask(call())
        await reset(client.stream)
        await sea.server.ended.wait()
        assert sea.server.endings == ["reset"]
        assert sea.fired == []


@on_both_networks
async def test_a_target_that_is_gone_resets_the_client(network: Network) -> None:
    listener = await network.listen()
    await listener.aclose()
    async with anyio.create_task_group() as tasks:
        link = Link(lambda: network.connect(listener.host, listener.port), [], Chance(7), lambda fault, where: None)
        client = Client(await link.dialer(tasks)())
        await client.rest()
        assert client.ending == "reset"


@on_both_networks
async def test_a_stall_keeps_the_socket_and_says_nothing_more(network: Network) -> None:
    for fault in (stall(after=octets(20)), cut(after=octets(20), how=STALL)):
        async with harbour(network, fault, scripts=[lambda _: plain()]) as sea:
            client = await sea.client()
            await client.ask(call(), patience=0.5)
            assert (bytes(client.received), client.ending, sea.server.endings) == (WHOLE[:20], "", [])


@virtual
async def test_a_stall_may_end() -> None:
    async with harbour(SimNetwork(), stall(after=octets(20), seconds=30.0), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        started = anyio.current_time()
        assert (await client.ask(call(), patience=60.0)).done
        assert anyio.current_time() - started == pytest.approx(30.0)


@on_both_networks
async def test_every_byte_comes_later_both_ways(network: Network) -> None:
    async with harbour(network, latency(seconds=0.1), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        began = anyio.current_time()
        assert (await client.ask(call())).response.body == b"{}"
        assert anyio.current_time() - began + 1e-6 >= 0.2


@virtual
async def test_delays_do_not_add_up() -> None:
    async with harbour(SimNetwork(), latency(seconds=1.0), scripts=[lambda _: [*plain(b"x" * 50)] * 50]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        started = anyio.current_time()
        while len(client.received) < 50 * len(plain(b"x" * 50)[0]):
            await client.read()
        assert anyio.current_time() - started == pytest.approx(2.0)


@virtual
async def test_slices_are_small_and_apart() -> None:
    async with harbour(SimNetwork(), slices(smallest=3, largest=3, gap=1.0), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        chunks = [await client.read() for _ in range(4)]
        assert [len(chunk) for chunk in chunks] == [3, 3, 3, 3]


@on_both_networks
async def test_slices_come_in_many_reads(network: Network) -> None:
    async with harbour(network, slices(smallest=5, largest=5, gap=0.02), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        reads = 0
        while bytes(client.received) != WHOLE:
            reads += bool(await client.read())
        assert reads > 3


@on_both_networks
async def test_a_code_point_is_split(network: Network) -> None:
    body = '{"a":"é"}'.encode()
    async with harbour(network, split_at(gap=0.5), scripts=[lambda _: plain(body)]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        assert (await client.read()).endswith(b'"\xc3')
        assert await client.read() == b'\xa9"}'


@virtual
async def test_a_chunk_size_is_split() -> None:
    fault = split_at(inside="chunk-size", gap=1.0)
    async with harbour(SimNetwork(), fault, scripts=[lambda _: [b"".join(stream_of(b"x" * 20, b"y"))]]) as sea:
        client = await sea.client()
        await client.stream.send(GET)
        pieces = [await client.read() for _ in range(4)]
        assert [piece[-1:] for piece in pieces] == [b"1", b"1", b"0", b"\n"]
        assert pieces[1:] == [b"4\r\n" + b"x" * 20 + b"\r\n1", b"\r\ny\r\n0", b"\r\n\r\n"]


@virtual
async def test_of_many_places_some_are_drawn() -> None:
    body = b'{"a":"' + b"\\n" * 50 + b'"}'
    async with harbour(SimNetwork(), split_at(inside="any", gap=1.0, most=3), scripts=[lambda _: plain(body)]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        pieces = [await client.read() for _ in range(4)]
        assert b"".join(pieces) == plain(body)[0]
        assert all(piece[-1:] in (b"\r", b"\\") for piece in pieces[:3])


BENIGN = st.one_of(
    st.builds(latency, seconds=st.floats(0, 9), jitter=st.floats(0, 9)),
    st.builds(slices, smallest=st.just(1), largest=st.integers(1, 40), gap=st.floats(0, 1)),
    st.builds(split_at, inside=st.sampled_from([*INSIDES]), most=st.integers(0, 9)),
    st.builds(throttle, rate=st.floats(1000, 1e6), burst=st.integers(1, 5000)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(BENIGN, min_size=1, max_size=3), st.binary(max_size=3000), st.integers(0, 9))
def test_benign_faults_lose_nothing(faults: list[Fault], body: bytes, seed: int) -> None:
    @virtual
    async def run() -> None:
        async with harbour(SimNetwork(), *faults, scripts=[lambda _: plain(body)], seed=seed) as sea:
            client = await sea.client()
            assert (await client.ask(call(), patience=3000.0)).response.body == body
            assert bytes(client.received) == plain(body)[0]
            assert sea.server.requests == [call()]

    assert all(fault.benign for fault in faults)
    run()


@virtual
async def test_chance_is_the_same_for_the_same_seed() -> None:
    async def chunks(seed: int) -> list[bytes]:
        async with harbour(SimNetwork(), slices(), scripts=[lambda _: plain(b"x" * 300)], seed=seed) as sea:
            client = await sea.client()
            await client.stream.send(call())
            return [await client.read() for _ in range(6)]

    assert await chunks(1) == await chunks(1) != await chunks(2)


@virtual
async def test_a_direction_can_be_chosen() -> None:
    async with harbour(SimNetwork(), slices(direction=UP), slices(direction=BOTH), scripts=[lambda _: plain()]) as sea:
        await (await sea.client()).ask(call())
        assert [where for _, where in sea.fired] == ["connection:1 up", "connection:1 up", "connection:1 down"]
