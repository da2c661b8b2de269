"""Faults on the pipes of a process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from anyio.abc import ByteReceiveStream, TaskGroup

from ..chance import Chance
from ..faults.fault import Armed, Fault, Fired
from ..faults.stage import Chain, Direction, Flow, Framing
from ..transport.network import Process
from ..transport.sim import SimReceiver, SimSender, pipe
from .link import Ending, noting_end
from .pump import Outlet, pump


@dataclass(slots=True)
class PipedProcess:
    """A process seen through faults."""

    process: Process
    stdin: SimSender
    stdout: SimReceiver

    @property
    def stderr(self) -> ByteReceiveStream:
        return self.process.stderr

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
        await self.stdin.aclose()
        await self.stdout.aclose()


def piped(process: Process, faults: Sequence[Fault], chance: Chance, fired: Fired, tasks: TaskGroup) -> Process:
    """The process with its standard input and output pumped through faults, in `tasks`."""
    armed = [Armed(fault, chance, fired) for fault in faults]
    name = "stdio:1"
    up, down = (_chain(armed, Flow(name, way, Framing.LINES)) for way in (Direction.UP, Direction.DOWN))
    (near_in, far_in), (far_out, near_out) = pipe(), pipe()
    tasks.start_soon(_feed, far_in, up, process)
    tasks.start_soon(_drain, process, down, far_out)
    return PipedProcess(process, near_in, near_out)


def _chain(armed: Sequence[Armed], flow: Flow) -> Chain:
    return Chain([stage for one in armed for stage in one.stages(flow)])


async def _feed(far_in: SimReceiver, chain: Chain, process: Process) -> None:
    with noting_end(Ending()):
        await pump(far_in, chain, Outlet(process.stdin, process.send_signal))
    with anyio.CancelScope(shield=True):
        await process.stdin.aclose()
        await far_in.aclose()


async def _drain(process: Process, chain: Chain, far_out: SimSender) -> None:
    with noting_end(Ending()):
        await pump(process.stdout, chain, Outlet(far_out, process.send_signal))
    await far_out.aclose()
