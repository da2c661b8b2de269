"""Who does to the target's processes what faults ask for."""

from __future__ import annotations

import signal

import anyio
from anyio.abc import TaskGroup

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
