"""Answers that a scripted server gives, what it saw, and clients that ask within a moment."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from seatrial.relay.message import Request
from seatrial.wire.http1 import chunked

from tests.faults.harbour import Client, Harbour, event, plain, stream_of

ON_CALL = "tools/call"
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}'
FIVE = [event(n) for n in range(5)]
STREAM = b"".join(FIVE)


RAW = plain(ANSWER, b"X-Told: yes\r\n")[0]
APART = 0.05
"""Seconds between clients that ask one after another."""


def answered(message: Request) -> list[bytes]:
    return [RAW]


def five(message: Request) -> list[bytes]:
    return stream_of(*FIVE)


def endless(message: Request) -> list[bytes]:
    return stream_of(*FIVE, end=False)


def in_chunks(message: Request) -> list[bytes]:
    return [stream_of()[0].replace(b"text/event-stream", b"application/json"), chunked(ANSWER)]


def seen(sea: Harbour) -> bytes:
    (raw,) = sea.server.requests
    return raw


def body_of(raw: bytes) -> bytes:
    return raw.partition(b"\r\n\r\n")[2]


def named(sea: Harbour) -> list[str]:
    return [name for name, _ in sea.fired]


async def one_after_another(sea: Harbour, ask: Callable[[int, Client], Coroutine[Any, Any, None]]) -> None:
    """Three clients that ask within a moment."""
    clients = [await sea.client() for _ in range(3)]
    async with anyio.create_task_group() as tasks:
        for number, client in enumerate(clients, 1):
            tasks.start_soon(ask, number, client)
            await anyio.sleep(APART)
