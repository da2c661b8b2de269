"""Faults on the pipes of simulated processes, in virtual time, and of real ones."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import ByteReceiveStream, ByteSendStream
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import (
    DOWN,
    Fault,
    corrupt,
    cut,
    full_pipe,
    latency,
    messages,
    pipe_merge,
    pipe_split,
    sigkill,
    sigterm,
    slices,
    slow_close,
    stdin_eof,
    throttle,
)
from seatrial.relay import piped
from seatrial.transport.network import Process
from seatrial.transport.process import OsSpawner
from seatrial.transport.sim import Program, SimSpawner
from seatrial.wire import jsonrpc
from seatrial.wire.json import dumps

from tests.clock import real, virtual
from tests.networks import everything

CALL = dumps(jsonrpc.request(1, "tools/call")) + b"\n"
PING = dumps(jsonrpc.request(2, "ping")) + b"\n"


async def echo(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
    async for data in stdin:
        await stdout.send(data)
    return 3


@asynccontextmanager
async def aboard(*faults: Fault, fired: list[str]) -> AsyncIterator[Process]:
    async with anyio.create_task_group() as tasks:
        process = await SimSpawner(tasks, lambda command, env: Program(echo)).spawn(["echo"])
        yield piped(process, faults, Chance(7), lambda fault, where: fired.append(fault.name), tasks)
        await process.aclose()
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (sigterm(after=messages(1, "tools/call")), -15),
        (sigkill(after=messages(1, "tools/call")), -9),
        (stdin_eof(after=messages(1, "tools/call")), 3),
        (cut(after=messages(2), direction=DOWN), -9),
    ],
)
@virtual
async def test_a_process_ends_at_a_message(fault: Fault, code: int) -> None:
    fired: list[str] = []
    async with aboard(fault, fired=fired) as process:
        await process.stdin.send(PING)
        assert await process.stdout.receive() == PING
        await process.stdin.send(CALL)
        if fault.name == "cut":
            assert await everything(process.stdout) == CALL
            await process.aclose()
        assert await process.wait() == code
        assert fired == [fault.name]


@virtual
async def test_a_full_pipe_is_not_read() -> None:
    fired: list[str] = []
    async with aboard(full_pipe(after=messages(1)), fired=fired) as process:
        sent = 0
        with anyio.move_on_after(10.0):
            while sent < 1024:
                await process.stdin.send(PING * 1000)
                sent += 1
        assert 0 < sent < 1024
        assert fired == ["full_pipe"]


@virtual
async def test_messages_come_in_pieces_or_together() -> None:
    async with aboard(pipe_split(pieces=2, gap=1.0, direction=DOWN), fired=[]) as process:
        await process.stdin.send(PING)
        assert len(await process.stdout.receive()) < len(PING)
    async with aboard(pipe_merge(count=2, wait=9.0, direction=DOWN), fired=[]) as process:
        await process.stdin.send(PING)
        await anyio.sleep(1.0)
        await process.stdin.send(CALL)
        assert await process.stdout.receive() == PING + CALL


@virtual
async def test_no_message_waits_for_company_for_ever() -> None:
    async with aboard(pipe_merge(count=2, wait=5.0, direction=DOWN), fired=[]) as process:
        await process.stdin.send(PING)
        started = anyio.current_time()
        assert await process.stdout.receive() == PING
        assert anyio.current_time() - started == pytest.approx(5.0)


@virtual
async def test_the_end_of_standard_input_comes_late() -> None:
    fired: list[str] = []
    async with aboard(slow_close(seconds=9.0), fired=fired) as process:
        await process.stdin.send(PING)
        await process.stdin.aclose()
        began = anyio.current_time()
        assert await process.wait() == 3
        assert anyio.current_time() - began == pytest.approx(9.0)
        assert await everything(process.stdout) == PING
        assert fired == ["slow_close"]


@virtual
async def test_a_message_is_corrupted_and_its_neighbours_are_not() -> None:
    async with aboard(corrupt(after=messages(1)), fired=[]) as process:
        for line in (PING, CALL, PING):
            await process.stdin.send(line)
        await process.stdin.aclose()
        assert await everything(process.stdout) == PING + bytes([CALL[0] ^ 0x80]) + CALL[1:] + PING


BENIGN = st.sampled_from(
    [pipe_split(), pipe_merge(), slices(), throttle(rate=5000.0), latency(seconds=2.0, jitter=1.0)]
)


@settings(max_examples=30, deadline=None)
@given(st.lists(BENIGN, min_size=1, max_size=3), st.lists(st.binary(max_size=200), max_size=8))
def test_benign_faults_lose_nothing(faults: list[Fault], messages: list[bytes]) -> None:
    @virtual
    async def run() -> None:
        async with aboard(*faults, fired=[]) as process:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_send, process, messages)
                assert await everything(process.stdout) == b"".join(messages)
            assert await process.wait() == 3

    run()


async def _send(process: Process, messages: list[bytes]) -> None:
    for message in messages:
        await process.stdin.send(message)
    await process.stdin.aclose()


@real
async def test_a_real_process_is_signalled_at_a_message() -> None:
    fired: list[str] = []
    program = "import os\nwhile data := os.read(0, 4096): os.write(1, data)"
    async with anyio.create_task_group() as tasks:
        process = await OsSpawner().spawn([sys.executable, "-c", program])
        note = lambda fault, where: fired.append(fault.name)  # noqa: E731
        faulty = piped(process, [pipe_split(), sigterm(after=messages(1, "tools/call"))], Chance(7), note, tasks)
        await faulty.stdin.send(PING)
        assert PING.startswith(await faulty.stdout.receive())
        await faulty.stdin.send(CALL)
        assert await faulty.wait() == -15
        assert set(fired) == {"pipe_split", "sigterm"}
        await faulty.aclose()
        tasks.cancel_scope.cancel()


@real
async def test_faults_of_bytes_work_on_the_pipes_of_a_real_process() -> None:
    program = "import os\nwhile data := os.read(0, 4096): os.write(1, data)"
    faults = corrupt(after=messages(1)), slow_close(seconds=0.3), throttle(rate=2000.0, burst=20)
    fired: set[str] = set()
    async with anyio.create_task_group() as tasks:
        process = await OsSpawner().spawn([sys.executable, "-c", program])
        faulty = piped(process, faults, Chance(7), lambda fault, where: fired.add(fault.name), tasks)
        await faulty.stdin.send(PING + CALL)
        await faulty.stdin.aclose()
        began = anyio.current_time()
        assert await everything(faulty.stdout) == PING + bytes([CALL[0] ^ 0x80]) + CALL[1:]
        assert await faulty.wait() == 0
        assert anyio.current_time() - began > 0.3
        assert fired == {"corrupt", "slow_close", "throttle"}
        await faulty.aclose()
        tasks.cancel_scope.cancel()
