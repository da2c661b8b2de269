"""Connections that are refused, or accepted and never served, as the client and the target see them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import pytest
from anyio.abc import TaskGroup
from seatrial.chance import Chance
from seatrial.faults import Fault, FaultError, blackhole, octets, refuse
from seatrial.relay import Dial, Link
from seatrial.transport.network import Listener, Network
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.faults.harbour import Client, Server, call, plain
from tests.networks import on_both_networks


@dataclass(slots=True)
class Quay:
    """A server, and a link before it: dialled without a socket, or served on a port of its own."""

    network: Network
    server: Server
    link: Link
    tasks: TaskGroup
    fired: list[str]

    async def front(self) -> tuple[Listener, Dial]:
        listener = await self.network.listen()
        self.tasks.start_soon(self.link.serve, listener, self.tasks, self.network)
        return listener, lambda: self.network.connect(listener.host, listener.port)


@asynccontextmanager
async def quay(network: Network, *faults: Fault) -> AsyncIterator[Quay]:
    server, fired = Server(lambda _: plain()), list[str]()
    async with anyio.create_task_group() as tasks:
        listener = await network.listen()
        tasks.start_soon(listener.serve, server.handle, tasks)
        link = Link(
            lambda: network.connect(listener.host, listener.port), faults, Chance(7), lambda fault, at: fired.append(at)
        )
        yield Quay(network, server, link, tasks, fired)
        tasks.cancel_scope.cancel()


async def answered(dial: Dial, patience: float = 2.0) -> str:
    """How a request went on a new connection: refused, reset, fin, silence, or its answer."""
    try:
        client = Client(await dial())
    except ConnectionRefusedError:
        return "refused"
    try:
        reader = await client.ask(call(), patience=patience)
    except anyio.BrokenResourceError:
        return "reset"
    return reader.response.body.decode() or client.ending or "silence"


@on_both_networks
async def test_as_many_connections_are_refused_as_it_says(network: Network) -> None:
    async with quay(network, refuse(times=2)) as at:
        dial = at.link.dialer(at.tasks)
        assert [await answered(dial) for _ in range(4)] == ["refused", "refused", "{}", "{}"]
        assert at.server.requests == [call()] * 2
        assert at.fired == ["connection:1, refused", "connection:2, refused"]


@virtual
async def test_connections_are_refused_for_a_while() -> None:
    async with quay(SimNetwork(), refuse(seconds=5.0)) as at:
        dial = at.link.dialer(at.tasks)
        assert [await answered(dial), await answered(dial)] == ["refused", "refused"]
        await anyio.sleep(5.1)
        assert await answered(dial) == "{}"
        assert at.fired == ["connection:1, refused"]


@on_both_networks
async def test_a_listener_is_closed_for_a_while_and_open_again_on_its_port(network: Network) -> None:
    async with quay(network, refuse(seconds=0.5)) as at:
        _, dial = await at.front()
        assert await answered(dial) == "reset"
        assert await answered(dial) == "refused"
        await anyio.sleep(0.7)
        assert await answered(dial) == "{}"
        assert at.server.requests == [call()]


@on_both_networks
async def test_a_listener_resets_the_first_connections(network: Network) -> None:
    async with quay(network, refuse(times=2)) as at:
        listener, dial = await at.front()
        assert [await answered(dial) for _ in range(3)] == ["reset", "reset", "{}"]
        await listener.aclose()
        assert await answered(dial) == "refused"


@on_both_networks
async def test_a_black_hole_takes_a_connection_and_says_nothing(network: Network) -> None:
    async with quay(network, blackhole(times=2)) as at:
        for dial in (at.link.dialer(at.tasks), (await at.front())[1]):
            assert await answered(dial, patience=0.3) == "silence"
        assert at.server.requests == []
        assert await answered(dial) == "{}"
        assert at.fired == ["connection:1, unread", "connection:2, unread"]


@virtual
async def test_a_black_hole_ends_by_reset_and_nothing_of_it_arrives() -> None:
    async with quay(SimNetwork(), blackhole(seconds=30.0)) as at:
        began = anyio.current_time()
        assert await answered(at.link.dialer(at.tasks), patience=600.0) == "reset"
        assert anyio.current_time() - began == pytest.approx(30.0)
        assert (at.server.requests, at.server.endings) == ([], [])


@virtual
async def test_a_black_hole_takes_no_more_than_sockets_hold() -> None:
    async with quay(SimNetwork(), blackhole()) as at:
        stream = await at.link.dialer(at.tasks)()
        with anyio.move_on_after(9.0) as waiting:
            await stream.send(bytes(1024 * 1024))
        assert waiting.cancelled_caught


@pytest.mark.parametrize("make", [lambda: refuse(on="tools/call"), lambda: blackhole(after=octets(3))])
def test_what_meets_connections_knows_no_requests(make: Callable[[], Fault]) -> None:
    with pytest.raises(FaultError, match="neither on nor after"):
        make()
