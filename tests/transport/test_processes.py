"""Real and simulated processes look the same from outside."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Awaitable, Callable

import anyio
import pytest
from anyio.abc import ByteReceiveStream, ByteSendStream
from seatrial.transport.network import Process
from seatrial.transport.process import OsSpawner
from seatrial.transport.sim import Main, Program, SimSpawner

from tests.clock import real, virtual
from tests.networks import everything

ECHO = """
import os, sys
sys.stderr.write("ready")
sys.stderr.flush()
while data := os.read(0, 4096):
    os.write(1, data)
sys.exit(3)
"""


async def echo(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
    await stderr.send(b"ready")
    async for data in stdin:
        await stdout.send(data)
    return 3


async def it_echoes_and_ends_with_its_input(process: Process) -> None:
    await process.stdin.send(b"hello")
    assert await process.stdout.receive() == b"hello"
    assert process.returncode is None
    await process.stdin.aclose()
    assert await everything(process.stdout) == b""
    assert await everything(process.stderr) == b"ready"
    assert await process.wait() == process.returncode == 3
    await process.aclose()


async def it_ends_by_sigterm(process: Process) -> None:
    await process.stderr.receive()
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == -signal.SIGTERM
    process.send_signal(signal.SIGKILL)
    assert await process.wait() == -signal.SIGTERM
    await process.aclose()


async def it_is_killed_when_it_is_closed(process: Process) -> None:
    await process.aclose()
    assert process.returncode == -signal.SIGKILL


Scenario = Callable[[Process], Awaitable[None]]
SCENARIOS: list[Scenario] = [it_echoes_and_ends_with_its_input, it_ends_by_sigterm, it_is_killed_when_it_is_closed]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_real(scenario: Scenario) -> None:
    @real
    async def run() -> None:
        await scenario(await OsSpawner().spawn([sys.executable, "-c", ECHO]))

    run()


async def simulated(program: Program, scenario: Scenario) -> None:
    async with anyio.create_task_group() as tasks:
        await scenario(await SimSpawner(tasks, lambda command, env: program).spawn(["echo"]))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_simulated(scenario: Scenario) -> None:
    virtual(simulated)(Program(echo), scenario)


@virtual
async def test_a_handler_keeps_a_simulated_process_alive_but_not_from_sigkill() -> None:
    told: list[str] = []

    async def stubborn(process: Process) -> None:
        await process.stderr.receive()
        process.send_signal(signal.SIGTERM)
        await process.stdin.send(b"still here")
        assert await process.stdout.receive() == b"still here"
        process.send_signal(signal.SIGKILL)
        assert await process.wait() == -signal.SIGKILL

    await simulated(Program(echo, {signal.SIGTERM: lambda: told.append("term")}), stubborn)
    assert told == ["term"]


@virtual
async def test_a_crash_is_exit_code_1_with_its_traceback() -> None:
    async def crash(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
        raise ValueError("overboard")

    async def crashes(process: Process) -> None:
        assert b"ValueError: overboard" in await everything(process.stderr)
        assert await process.wait() == 1
        with pytest.raises(anyio.BrokenResourceError):
            await process.stdin.send(b"anyone?")

    main: Main = crash
    await simulated(Program(main), crashes)


@real
async def test_the_environment_is_laid_over_ours() -> None:
    program = "import os; print(os.environ['HARBOUR'], os.environ['PATH'])"
    process = await OsSpawner().spawn([sys.executable, "-c", program], {"HARBOUR": "calm"})
    assert await everything(process.stdout) == f"calm {os.environ['PATH']}\n".encode()
    await process.aclose()


@real
async def test_a_command_that_cannot_start_is_an_os_error() -> None:
    with pytest.raises(OSError):
        await OsSpawner().spawn(["no-such-command-on-board"])


@real
async def test_grandchildren_end_with_their_launcher() -> None:
    launcher = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    process = await OsSpawner().spawn([sys.executable, "-c", launcher, ECHO])
    assert await process.stderr.receive()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    assert await everything(process.stdout) == b""  # nobody holds the writing end any more
    await process.aclose()
