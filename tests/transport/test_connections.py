"""Which connections the HTTP client uses again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import ByteStream
from seatrial.transport.http import KEEP_ALIVE, Holder, HttpClient
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual


@asynccontextmanager
async def served(status: int = 200) -> AsyncIterator[tuple[HttpClient, str, list[ByteStream]]]:
    """A client, the address of a server that answers all requests alike, and the connections that it accepts."""
    network, accepted = SimNetwork(), list[ByteStream]()

    async def serve(stream: ByteStream) -> None:
        accepted.append(stream)
        while await _request(stream):
            await stream.send(f"HTTP/1.1 {status} Said\r\nContent-Length: 2\r\n\r\nok".encode())

    listener = await network.listen()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, serve, tasks)
        client = HttpClient(network)
        yield client, f"http://{listener.host}:{listener.port}/", accepted
        await client.aclose()
        await listener.aclose()
        tasks.cancel_scope.cancel()


async def ask(client: HttpClient, url: str, holder: Holder | None = None) -> None:
    async with client.stream("GET", url, [("Host", "server")], None, holder or Holder()) as response:
        assert b"".join([chunk async for chunk in response.chunks]) == b"ok"


async def connections(status: int, pause: float = 0.0) -> int:
    """How many connections three requests take, one after another, when each is answered with this status. `pause`:
    seconds before each."""
    async with served(status) as (client, url, accepted):
        for _ in range(3):
            await anyio.sleep(pause)
            await ask(client, url)
        return len(accepted)


async def _request(stream: ByteStream) -> bool:
    """Read the head of a request; False at the end of the connection."""
    head = b""
    try:
        while not head.endswith(b"\r\n\r\n"):
            head += await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return False
    return True


@pytest.mark.parametrize(("status", "number"), [(200, 1), (404, 1), (500, 3), (503, 3)])
def test_a_connection_on_which_the_server_failed_is_not_used_again(status: int, number: int) -> None:
    async def count() -> None:
        assert await connections(status) == number

    virtual(count)()


@pytest.mark.parametrize(("pause", "number"), [(0.9 * KEEP_ALIVE, 1), (1.1 * KEEP_ALIVE, 3)])
def test_how_long_a_connection_is_kept_is_decided_by_the_clock_of_the_run(pause: float, number: int) -> None:
    async def count() -> None:
        assert await connections(200, pause) == number

    virtual(count)()


@pytest.mark.parametrize("later", range(12))
@virtual
async def test_no_connection_is_closed_under_a_request_that_got_it(later: int) -> None:
    """Connections are to be used no more in the moment in which requests have got them, but have not begun."""

    async def crossing(holders: list[Holder], client: HttpClient, url: str) -> None:
        for _ in range(later):
            await anyio.lowlevel.checkpoint()
        for holder in holders:
            holder.retire()
        await ask(client, url)

    for _ in range(20):
        holders = [Holder() for _ in range(6)]
        async with served() as (client, url, _):
            async with anyio.create_task_group() as tasks:
                for holder in holders:
                    tasks.start_soon(ask, client, url, holder)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(crossing, holders, client, url)
                for _ in range(3):
                    tasks.start_soon(ask, client, url)
