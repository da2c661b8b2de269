"""The reference as a real process, on real sockets and pipes."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import wraps
from subprocess import PIPE
from typing import Any

import anyio
import pytest
from anyio.abc import Process
from seatrial.transport.network import reset
from seatrial.transport.tcp import TcpNetwork

from .client import Client, call, initialize, modern, request, serving

COMMAND = [sys.executable, "-m", "seatrial.fixtures.reference", "mcp"]


def really(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test in real time."""

    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def bounded() -> None:
            with anyio.fail_after(30):
                await test(*args, **kwargs)

        anyio.run(bounded, backend="trio")

    return run


@asynccontextmanager
async def process(*arguments: str) -> AsyncIterator[Process]:
    async with await anyio.open_process([*COMMAND, *arguments], stdin=PIPE, stdout=PIPE, stderr=PIPE) as running:
        yield running
        if running.returncode is None:
            running.kill()


async def line(running: Process) -> Any:
    assert running.stdout
    text = b""
    while b"\n" not in text:
        text += await running.stdout.receive()
    return json.loads(text.partition(b"\n")[0])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@really
async def test_http_serves_and_ends_on_a_signal(number: signal.Signals) -> None:
    async with process("--http", "0") as running:
        url = (await line(running))["url"]
        port = int(url.rpartition(":")[2].partition("/")[0])
        client = Client(TcpNetwork(), port)
        assert (await client.post(initialize("2025-11-25"))).status == 200
        listening = await client.start_modern(modern("s", "subscriptions/listen", {"notifications": {}}))
        await listening.messages(1)
        running.send_signal(number)
        assert (await listening.reply()).answer["id"] == "s"
        assert await running.wait() == 0


@really
async def test_a_protected_process_wants_a_token() -> None:
    async with process("--http", "0", "--protected") as running:
        client = Client(TcpNetwork(), int((await line(running))["url"].rpartition(":")[2].partition("/")[0]))
        assert (await client.modern(modern(1, "tools/list"))).status == 401
        assert (await client.modern(modern(1, "tools/list"), {"Authorization": "Bearer token-1"})).status == 200


@pytest.mark.parametrize("how", ["end of input", "signal"])
@really
async def test_stdio_ends_although_a_call_runs(how: str) -> None:
    async with process("--stdio") as running:
        assert running.stdin
        await running.stdin.send(json.dumps(initialize("2025-11-25")).encode() + b"\n")
        assert (await line(running))["id"] == 0
        slow = request(1, "tools/call", call("slow", seconds=60, key="k"))
        await running.stdin.send(json.dumps(slow).encode() + b"\n")
        if how == "signal":
            running.send_signal(signal.SIGTERM)
        else:
            await running.stdin.aclose()
        with anyio.fail_after(5):
            assert await running.wait() == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--stdio", "--break", "cancel.swalowed"], "--break: there is no mutant 'cancel.swalowed'"),
        (["--http", "99999999"], "--http 99999999: cannot listen there"),
    ],
)
@really
async def test_a_wrong_option_is_one_sentence(arguments: list[str], sentence: str) -> None:
    finished = await anyio.run_process([*COMMAND, *arguments], check=False)
    assert finished.returncode == 1
    assert finished.stderr.decode().startswith(sentence)
    assert finished.stderr.count(b"\n") == 1


@pytest.mark.parametrize("how", ["fin", "reset", "half"])
@really
async def test_a_close_on_tcp_cancels_and_a_half_close_does_not(how: str) -> None:
    async with serving(network=TcpNetwork()) as client:
        exchange = await client.start_modern(modern(1, "tools/call", call("slow", seconds=1, key="k")))
        await anyio.sleep(0.25)
        match how:
            case "fin":
                await exchange.stream.aclose()
            case "reset":
                await reset(exchange.stream)
            case "half":
                await exchange.stream.send_eof()
                assert (await exchange.reply()).answer["id"] == 1
        await anyio.sleep(1)
        assert client.server.ledger.reading("k").endswith("start,done" if how == "half" else "start,cancelled")
