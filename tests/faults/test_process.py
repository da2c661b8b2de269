"""Faults of a process, seen on its pipes: of a simulated one in virtual time, and of a real one."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import ByteReceiveStream, ByteSendStream, TaskGroup
from seatrial.chance import Chance
from seatrial.faults import (
    Fault,
    FaultError,
    events,
    full_pipe,
    messages,
    octets,
    pipe_merge,
    pipe_split,
    sigkill,
    sigstop,
    sigterm,
    stderr_noise,
    stdin_eof,
    stdout_garbage,
)
from seatrial.relay import piped
from seatrial.transport.network import Process, Spawner
from seatrial.transport.process import OsSpawner
from seatrial.transport.sim import Program, SimSpawner
from seatrial.wire import jsonrpc
from seatrial.wire.json import dumps

from tests.clock import real, virtual
from tests.networks import everything

CALL = dumps(jsonrpc.request(1, "tools/call")) + b"\n"
PING = dumps(jsonrpc.request(2, "ping")) + b"\n"
ECHO = "import os\nos.write(2, b'up\\n')\nwhile data := os.read(0, 4096): os.write(1, data)\nos.write(2, b'down\\n')"
NOISE = stderr_noise().text.encode() + b"\n"

Scenario = Callable[["Aboard"], Awaitable[None]]


async def echo(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
    await stderr.send(b"up\n")
    async for data in stdin:
        await stdout.send(data)
    await stderr.send(b"down\n")
    return 0


class Aboard:
    """Starts a process that answers every line with that line, behind faults."""

    def __init__(self, spawner: Callable[[TaskGroup], Spawner], real: bool = False) -> None:
        self._spawner, self._real = spawner, real
        self.fired: list[str] = []

    @asynccontextmanager
    async def process(self, *faults: Fault) -> AsyncIterator[Process]:
        async with anyio.create_task_group() as tasks:
            process = await self._spawner(tasks).spawn([sys.executable, "-c", ECHO])
            piped_process = piped(process, faults, Chance(7), lambda fault, where: self.fired.append(fault.name), tasks)
            yield piped_process
            await piped_process.aclose()
            tasks.cancel_scope.cancel()

    async def stops(self, process: Process) -> None:
        """A real process stands still a little after it was told to."""
        while not self.fired:
            await anyio.sleep(0.01)
        while self._real and os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is None:
            await anyio.sleep(0.01)


def _run(kind: str, scenario: Scenario) -> None:
    if kind == "simulated":
        virtual(scenario)(Aboard(lambda tasks: SimSpawner(tasks, lambda command, env: Program(echo))))
    else:
        real(scenario)(Aboard(lambda tasks: OsSpawner(), real=True))


def on_both_processes(scenario: Scenario) -> Callable[[str], None]:
    def run(kind: str) -> None:
        _run(kind, scenario)

    run.__name__, run.__doc__ = scenario.__name__, scenario.__doc__
    return pytest.mark.parametrize("kind", ["simulated", "real"])(run)


async def said(stream: ByteReceiveStream, length: int) -> bytes:
    """The next so many bytes."""
    data = b""
    while len(data) < length:
        data += await stream.receive()
    return data


@on_both_processes
async def test_a_stopped_process_answers_when_it_goes_on(aboard: Aboard) -> None:
    async with aboard.process(sigstop(after=messages(2), seconds=0.4)) as process:
        await process.stdin.send(PING)
        assert await said(process.stdout, len(PING)) == PING
        assert aboard.fired == []
        begun = anyio.current_time()
        await process.stdin.send(CALL)
        await aboard.stops(process)
        await process.stdin.send(PING)
        assert await said(process.stdout, len(CALL + PING)) == CALL + PING
        assert anyio.current_time() - begun >= 0.4, "what was sent after the stop is answered when it is over"
        assert aboard.fired == ["sigstop"]


@on_both_processes
async def test_a_stopped_process_can_be_killed(aboard: Aboard) -> None:
    async with aboard.process(sigstop(after=messages(1), seconds=60.0)) as process:
        await process.stdin.send(CALL)
        await aboard.stops(process)
        process.send_signal(15)
        with anyio.move_on_after(0.2) as waited:
            await process.wait()
        assert waited.cancelled_caught, "SIGTERM waits until a stopped process goes on"
        process.send_signal(9)
        assert await process.wait() == -9


@on_both_processes
async def test_noise_on_standard_error_disturbs_nothing(aboard: Aboard) -> None:
    async with aboard.process(stderr_noise(rate=2)) as process:
        for line in (PING, CALL):
            await process.stdin.send(line)
            assert await said(process.stdout, len(line)) == line
        await process.stdin.aclose()
        assert await everything(process.stdout) == b""
        heard = await everything(process.stderr)
        assert heard.count(NOISE) == 8, "two lines with each message, both ways"
        assert sorted(heard.replace(NOISE, b"").splitlines()) == [b"down", b"up"]
        assert set(aboard.fired) == {"stderr_noise"}


@on_both_processes
async def test_garbage_stands_between_the_lines_of_standard_output(aboard: Aboard) -> None:
    async with aboard.process(stdout_garbage(after=messages(1), text="Listening on stdio")) as process:
        await process.stdin.send(PING + CALL)
        await process.stdin.aclose()
        assert await everything(process.stdout) == PING + b"Listening on stdio\n" + CALL
        assert aboard.fired == ["stdout_garbage"]


@on_both_processes
async def test_garbage_may_come_first(aboard: Aboard) -> None:
    async with aboard.process(stdout_garbage(text="> npm start")) as process:
        assert await said(process.stdout, 12) == b"> npm start\n"
        assert aboard.fired == ["stdout_garbage"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (sigterm(after=messages(1, "tools/call")), -15),
        (sigkill(after=messages(1, "tools/call")), -9),
        (stdin_eof(after=messages(1, "tools/call")), 0),
    ],
    ids=lambda value: getattr(value, "name", None),
)
@pytest.mark.parametrize("kind", ["simulated", "real"])
def test_a_process_ends_at_a_message(fault: Fault, code: int, kind: str) -> None:
    async def scenario(aboard: Aboard) -> None:
        async with aboard.process(fault) as process:
            await process.stdin.send(PING)
            assert await said(process.stdout, len(PING)) == PING
            assert process.returncode is None and aboard.fired == []
            await process.stdin.send(CALL)
            assert await process.wait() == code
            assert aboard.fired == [fault.name]

    _run(kind, scenario)


@on_both_processes
async def test_a_process_whose_output_nobody_reads_blocks(aboard: Aboard) -> None:
    async with aboard.process(full_pipe(after=messages(1))) as process:
        sent = 0
        with anyio.move_on_after(1.0):
            while sent < 1024:
                await process.stdin.send(PING * 100)
                sent += 1
        assert 0 < sent < 1024
        assert aboard.fired == ["full_pipe"]


@on_both_processes
async def test_lines_in_pieces_and_together_are_the_same_lines(aboard: Aboard) -> None:
    lines = [PING, CALL, PING, CALL]
    async with aboard.process(pipe_split(pieces=3), pipe_merge(count=2), stderr_noise()) as process:
        for line in lines:
            await process.stdin.send(line)
        await process.stdin.aclose()
        assert await everything(process.stdout) == b"".join(lines)
        assert {"pipe_split", "pipe_merge", "stderr_noise"} == set(aboard.fired)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: stdout_garbage(text="two\nlines"),
        lambda: stdout_garbage(after=octets(3)),
        lambda: stdout_garbage(after=events(1)),
        lambda: sigstop(seconds=-1.0),
        lambda: stderr_noise(rate=-1),
    ],
)
def test_what_cannot_be_is_refused(wrong: Callable[[], Fault]) -> None:
    with pytest.raises(FaultError):
        wrong()
