"""Who does to the target's processes what faults ask for."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import anyio
from anyio.abc import TaskGroup

from ..faults.operation import Operation, Restart, Stop, Suspend
from ..transport.network import Process


def suspend(process: Process, seconds: float, tasks: TaskGroup) -> None:
    """Stop a process at once; it goes on after so many seconds, or when `tasks` are cancelled."""
    process.send_signal(signal.SIGSTOP)
    tasks.start_soon(_continued, process, seconds)


async def _continued(process: Process, seconds: float) -> None:
    try:
        await anyio.sleep(seconds)
    finally:
        process.send_signal(signal.SIGCONT)


class Supervised(Protocol):
    """A server; `process` is None where somebody else runs it."""

    @property
    def process(self) -> Process | None: ...

    async def restart(self, kept: bool) -> None:
        """End its process, by SIGTERM where `kept`, and start another on its port. One that does not come is gone."""
        ...


@dataclass(frozen=True, slots=True)
class Supervisor:
    """Runs the servers behind a relay, in the order of its replicas. The first is the one that faults mean."""

    servers: Sequence[Supervised]
    tasks: TaskGroup

    async def operate(self, operation: Operation) -> None:
        match operation:
            case Suspend(seconds):
                suspend(self._process(0), seconds, self.tasks)
            case Restart(kept):
                await self.servers[0].restart(kept)
            case Stop(replica):
                process = self._process(replica)
                process.send_signal(signal.SIGKILL)
                await process.wait()

    def _process(self, replica: int) -> Process:
        process = self.servers[replica].process
        assert process is not None, "a server that others run was asked to stop"
        return process
