"""Which connections the HTTP client uses again."""

from __future__ import annotations

import anyio
import pytest
from anyio.abc import ByteStream
from seatrial.transport.http import KEEP_ALIVE, Holder, HttpClient
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual


async def connections(status: int, pause: float = 0.0) -> int:
    """How many connections three requests take, one after another, when each is answered with this status. `pause`:
    seconds before each."""
    network, accepted = SimNetwork(), 0

    async def serve(stream: ByteStream) -> None:
        nonlocal accepted
        accepted += 1
        while await _request(stream):
            await stream.send(f"HTTP/1.1 {status} Said\r\nContent-Length: 2\r\n\r\nok".encode())

    listener = await network.listen()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, serve, tasks)
        client = HttpClient(network)
        for _ in range(3):
            await anyio.sleep(pause)
            url = f"http://{listener.host}:{listener.port}/"
            async with client.stream("GET", url, [("Host", "server")], None, Holder()) as response:
                assert b"".join([chunk async for chunk in response.chunks]) == b"ok"
        await client.aclose()
        await listener.aclose()
        tasks.cancel_scope.cancel()
    return accepted


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
