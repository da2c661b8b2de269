"""Servers behind a gateway that speak TLS, or another protocol after HTTP."""

from __future__ import annotations

import anyio
from seatrial.chance import Chance
from seatrial.faults import cut, octets
from seatrial.faults.profile import Profile
from seatrial.gateway import Event, Exchanged, Gateway, Logged, Upstream
from seatrial.relay.message import Request
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.wire.http1 import request

from tests.clock import virtual
from tests.faults.harbour import Client, Server, call, plain
from tests.faults.test_tls import Authority
from tests.gateway.passage import passage
from tests.networks import on_both_networks


@on_both_networks
async def test_a_client_without_tls_reaches_a_server_with_it_through_faults(network: Network) -> None:
    authority, server, told = Authority(), Server(lambda _: plain()), list[Event]()
    async with anyio.create_task_group() as tasks:
        behind, front = await network.listen(), await network.listen()
        tasks.start_soon(behind.serve, authority.serving(server.handle), tasks)
        upstream = Upstream(f"https://{behind.host}:{behind.port}/mcp", authority.client)
        gateway = Gateway([upstream], front, network, Chance(7), Logged(told.append), tasks)
        gateway.arm(Profile("mine", (cut(after=octets(20)),)))
        tasks.start_soon(gateway.serve)
        for whole in (False, True):
            client = Client(await network.connect(front.host, front.port))
            found = await client.ask(call())
            assert (found.response.body == b"{}") is whole
        assert len(server.requests) == 2
        tasks.cancel_scope.cancel()


@virtual
async def test_a_protocol_that_follows_http_passes() -> None:
    def switch(message: Request) -> list[bytes]:
        head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        return [head, b"\x81\x04ahoy"]

    async with passage(SimNetwork(), scripts=[switch]) as sea:
        client = await sea.client()
        headers = [("Host", sea.authority), ("Upgrade", "websocket"), ("Connection", "Upgrade")]
        await client.stream.send(request("GET", "/ws", headers))
        while b"ahoy" not in client.received:
            await client.read()
        await client.stream.aclose()
        await anyio.sleep(1)
        (told,) = [event for event in sea.told if isinstance(event, Exchanged)]
        assert (told.status, told.ending) == (101, "")
