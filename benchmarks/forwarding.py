"""The ends of the measured forwarding, each a process of its own: `python -m benchmarks.forwarding WHAT PORT [TO]`.

WHAT is `origin`, a server that answers /small, /large and /stream, or `link` or `relay`, which forward to the port TO.
"""

from __future__ import annotations

import sys
from functools import partial

import anyio
from anyio.abc import ByteStream
from seatrial.chance import Chance
from seatrial.faults import Fault
from seatrial.relay import Link, Relay
from seatrial.transport.tcp import TcpNetwork

LARGE = 64 * 1024 * 1024
EVENTS, GAP = 10, 1.0
"""Of one stream, and seconds between two."""
_PIECE = b"x" * 65536
_EVENT = b"data: %s\n\n" % (b"sea " * 25)


def unnoted(fault: Fault, where: str) -> None:
    """Nothing fires where there are no faults."""


async def origin(client: ByteStream) -> None:
    """Answers requests without a body, one after the other."""
    pending = b""
    while True:
        while b"\r\n\r\n" not in pending:
            try:
                pending += await client.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return
        head, _, pending = pending.partition(b"\r\n\r\n")
        await _ANSWERS[head.split(b" ", 2)[1]](client)


async def _small(client: ByteStream) -> None:
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + _PIECE[:100])


async def _large(client: ByteStream) -> None:
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE)
    for _ in range(LARGE // len(_PIECE)):
        await client.send(_PIECE)


async def _stream(client: ByteStream) -> None:
    length = EVENTS * len(_EVENT)
    await client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % length)
    for _ in range(EVENTS):
        await anyio.sleep(GAP)
        await client.send(_EVENT)


_ANSWERS = {b"/small": _small, b"/large": _large, b"/stream": _stream}


async def serve(what: str, port: int, to: int) -> None:
    network = TcpNetwork()
    dial = partial(network.connect, "127.0.0.1", to)
    handlers = {
        "origin": lambda: origin,
        "link": lambda: Link(dial, (), Chance(0), unnoted).handle,
        "relay": lambda: Relay([dial], (), Chance(0), unnoted).handle,
    }
    async with anyio.create_task_group() as tasks:
        await (await network.listen("127.0.0.1", port)).serve(handlers[what](), tasks)


if __name__ == "__main__":
    anyio.run(serve, sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0, backend="trio")
