"""The simulated network behaves as loopback TCP does: each test runs on both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import ByteStream
from seatrial.transport.network import Network, Waiting, reset
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.networks import everything, on_both_networks


@asynccontextmanager
async def connected(network: Network) -> AsyncIterator[tuple[ByteStream, ByteStream]]:
    """The client's and the server's end of one connection."""
    listener = await network.listen()
    accepted: list[ByteStream] = []
    arrived, done = anyio.Event(), anyio.Event()

    async def hold(stream: ByteStream) -> None:
        accepted.append(stream)
        arrived.set()
        await done.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, hold, tasks)
        client = await network.connect(listener.host, listener.port)
        await arrived.wait()
        yield client, accepted[0]
        done.set()
        await client.aclose()
        await listener.aclose()


@on_both_networks
async def test_bytes_arrive_both_ways(network: Network) -> None:
    async with connected(network) as (client, server):
        await client.send(b"ping")
        assert await server.receive() == b"ping"
        await server.send(b"pong")
        assert await client.receive(2) == b"po"
        assert await client.receive() == b"ng"


@on_both_networks
async def test_a_half_close_leaves_the_other_half_open(network: Network) -> None:
    async with connected(network) as (client, server):
        await client.send(b"question")
        await client.send_eof()
        assert await everything(server) == b"question"
        await server.send(b"answer")
        assert await client.receive() == b"answer"


@on_both_networks
async def test_a_close_is_an_end_of_stream_after_what_was_sent(network: Network) -> None:
    async with connected(network) as (client, server):
        await server.send(b"last words")
        await server.aclose()
        assert await everything(client) == b"last words"


@on_both_networks
async def test_a_reset_is_an_error_at_the_peer(network: Network) -> None:
    async with connected(network) as (client, server):
        await reset(client)
        with pytest.raises(anyio.BrokenResourceError):
            await server.receive()


@on_both_networks
async def test_a_full_peer_makes_the_sender_wait(network: Network) -> None:
    async with connected(network) as (client, server):
        sent = 0
        with anyio.move_on_after(0.3):
            while True:
                await client.send(bytes(65536))
                sent += 65536
        assert sent < 64 * 1024 * 1024
        received = 0
        while received < sent:
            received += len(await server.receive())


@on_both_networks
async def test_sending_to_a_closed_peer_fails(network: Network) -> None:
    async with connected(network) as (client, server):
        await server.aclose()
        with pytest.raises(anyio.BrokenResourceError):
            while True:
                await client.send(b"x")
                await anyio.sleep(0.001)


@on_both_networks
async def test_an_idle_connection_tells_that_its_peer_ended(network: Network) -> None:
    async with connected(network) as (client, server):
        assert client.extra(Waiting.readable) is False
        await server.aclose()
        with anyio.fail_after(1):
            while not client.extra(Waiting.readable):
                await anyio.sleep(0.01)


@on_both_networks
async def test_a_port_without_listener_refuses(network: Network) -> None:
    listener = await network.listen()
    await listener.aclose()
    with pytest.raises(OSError):
        await network.connect(listener.host, listener.port)


@on_both_networks
async def test_a_port_is_taken_once(network: Network) -> None:
    listener = await network.listen()
    with pytest.raises(OSError):
        await network.listen(listener.host, listener.port)
    await listener.aclose()


@virtual
async def test_who_waits_to_be_accepted_is_reset_when_the_listener_closes() -> None:
    network = SimNetwork()
    listener = await network.listen()
    client = await network.connect("localhost", listener.port)
    await listener.aclose()
    with pytest.raises(anyio.BrokenResourceError):
        await client.receive()
