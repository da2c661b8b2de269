"""Faults on the pipes of a process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import anyio
from anyio.abc import TaskGroup

from ..chance import Chance
from ..faults.fault import Armed, Fault, Fired
from ..faults.operation import Noise, Operation, Signal, Suspend
from ..faults.stage import Chain, Direction, Flow, Framing
from ..transport.network import Process
from ..transport.sim import SimReceiver, SimSender, pipe
from .link import Ending, noting_end
from .pump import Outlet, pump
from .supervision import suspend


@dataclass(slots=True)
class PipedProcess:
    """A process seen through faults."""

    process: Process
    stdin: SimSender
    stdout: SimReceiver
    stderr: SimReceiver

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        return self.process.returncode

    def send_signal(self, number: int) -> None:
        self.process.send_signal(number)

    async def wait(self) -> int:
        return await self.process.wait()

    async def aclose(self) -> None:
        await self.process.aclose()
        for stream in (self.stdin, self.stdout, self.stderr):
            await stream.aclose()


def piped(process: Process, faults: Sequence[Fault], chance: Chance, fired: Fired, tasks: TaskGroup) -> Process:
    """The process with its standard input and output pumped through faults, in `tasks`."""
    armed = [Armed(fault, chance, fired) for fault in faults]
    name = "stdio:1"
    up, down = (_chain(armed, Flow(name, way, Framing.LINES)) for way in (Direction.UP, Direction.DOWN))
    (near_in, far_in), (far_out, near_out), (far_err, near_err) = pipe(), pipe(), pipe()
    operator = _Operator(process, far_err, tasks)
    tasks.start_soon(_feed, far_in, up, process, operator)
    tasks.start_soon(_drain, process, down, far_out, operator)
    tasks.start_soon(_spill, process, far_err)
    return PipedProcess(process, near_in, near_out, near_err)


def _chain(armed: Sequence[Armed], flow: Flow) -> Chain:
    return Chain([stage for one in armed for stage in one.stages(flow)])


@dataclass(frozen=True, slots=True)
class _Operator:
    """Does to a process what faults ask for; `stderr` is the pipe that its client reads."""

    process: Process
    stderr: SimSender
    tasks: TaskGroup

    async def operate(self, operation: Operation) -> None:
        match operation:
            case Signal(number):
                self.process.send_signal(number)
            case Suspend(seconds):
                suspend(self.process, seconds, self.tasks)
            case Noise(data):
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await self.stderr.send(data)


async def _feed(far_in: SimReceiver, chain: Chain, process: Process, operator: _Operator) -> None:
    with noting_end(Ending()):
        await pump(far_in, chain, Outlet(process.stdin, operator.operate))
    with anyio.CancelScope(shield=True):
        await process.stdin.aclose()
        await far_in.aclose()


async def _drain(process: Process, chain: Chain, far_out: SimSender, operator: _Operator) -> None:
    with noting_end(Ending()):
        await pump(process.stdout, chain, Outlet(far_out, operator.operate))
    await far_out.aclose()


async def _spill(process: Process, far_err: SimSender) -> None:
    """Noise may come between its lines, and after its end none does."""
    with noting_end(Ending()):
        await pump(process.stderr, Chain(), Outlet(far_err))
