"""HTTP/2 through a link, which knows nothing of it: what gRPC needs of the faults of bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import (
    RESET,
    UP,
    Fault,
    corrupt,
    cut,
    first,
    half_close,
    latency,
    limit,
    octets,
    slices,
    split_at,
    stall,
    throttle,
)
from seatrial.relay import Link
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.faults.multiplexed import Echo, Peer
from tests.networks import on_both_networks

QUIET = [slices(), latency(seconds=0.01, jitter=0.01), split_at(inside="crlf"), throttle(rate=50_000.0, burst=500)]


@asynccontextmanager
async def linked(network: Network, *faults: Fault, seed: int = 7) -> AsyncIterator[tuple[Echo, Peer, list[str]]]:
    server, fired = Echo(), list[str]()
    async with anyio.create_task_group() as tasks:
        listener, front = await network.listen(), await network.listen()
        tasks.start_soon(listener.serve, server.handle, tasks)
        link = Link(
            lambda: network.connect(listener.host, listener.port),
            faults,
            Chance(seed),
            lambda fault, where: fired.append(fault.name),
        )
        tasks.start_soon(link.serve, front, tasks)
        client = Peer(await network.connect(front.host, front.port), client=True)
        await client.begin()
        yield server, client, fired
        tasks.cancel_scope.cancel()


@on_both_networks
async def test_benign_faults_change_nothing(network: Network) -> None:
    async with linked(network, *QUIET) as (server, client, fired):
        calls = [await client.call(f"call {n} ".encode() * 20) for n in range(5)]
        assert await client.answers(*calls) == [f"CALL {n} ".encode() * 20 for n in range(5)]
        assert (client.ending, server.endings) == ("", [])
        assert {"slice", "latency", "throttle"} <= set(fired)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.sampled_from(QUIET), max_size=3),
    st.lists(st.binary(max_size=500), min_size=1, max_size=5),
    st.integers(0, 9),
)
def test_no_slicing_changes_a_call(faults: list[Fault], bodies: list[bytes], seed: int) -> None:
    @virtual
    async def run() -> None:
        async with linked(SimNetwork(), *faults, seed=seed) as (server, client, _):
            calls = [await client.call(body) for body in bodies]
            assert await client.answers(*calls, patience=600.0) == [body.upper() for body in bodies]
            assert server.calls == bodies

    run()


@on_both_networks
async def test_a_reset_ends_every_call_of_the_connection(network: Network) -> None:
    async with linked(network, cut(after=first("FIRST"), how=RESET)) as (server, client, fired):
        calls = [await client.call(body) for body in (b"first", b"second")]
        await client.answers(*calls)
        await server.ended.wait()
        assert (client.ending, client.whole, server.endings, fired) == ("reset", set(), ["reset"], ["cut"])


@on_both_networks
async def test_a_cut_is_an_end_before_the_trailers(network: Network) -> None:
    async with linked(network, cut(after=first("FIRST"))) as (server, client, _):
        assert await client.answers(await client.call(b"first")) in ([b""], [b"FIRST"])
        await server.ended.wait()
        assert (client.ending, client.whole, server.endings) == ("fin", set(), ["fin"])


@on_both_networks
async def test_a_half_close_is_heard_and_the_call_is_answered(network: Network) -> None:
    async with linked(network, half_close(after=first("first"))) as (server, client, _):
        call = await client.call(b"first")
        assert await client.answers(call) == [b"FIRST"]
        await server.ended.wait()
        assert server.endings == ["fin"]


@virtual
async def test_a_stall_is_silence_on_an_open_connection_and_may_end() -> None:
    async with linked(SimNetwork(), stall(after=octets(30), direction=UP, seconds=30.0)) as (server, client, _):
        call = await client.call(b"first")
        assert (await client.answers(call, patience=29.0), client.ending, server.calls) == ([b""], "", [])
        assert await client.answers(call, patience=2.0) == [b"FIRST"]


@on_both_networks
async def test_a_byte_of_the_preface_that_is_corrupted_is_no_protocol(network: Network) -> None:
    async with linked(network, corrupt(after=octets(3))) as (server, client, _):
        await client.answers(await client.call(b"first"))
        await server.ended.wait()
        assert (server.endings, server.calls) == (["protocol"], [])


@pytest.mark.parametrize("n", [0, 5, 9, 30, 60])
@virtual
async def test_no_limit_makes_half_a_call_a_whole_one(n: int) -> None:
    async with linked(SimNetwork(), limit(n, direction=UP)) as (server, client, _):
        await client.answers(await client.call(b"first"))
        assert (server.calls, client.ending) == ([], "fin")
