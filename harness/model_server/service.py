"""The model server as a process of its own."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import anyio

from ..transport.tcp import TcpNetwork
from .script import Script
from .server import ModelServer


def serve(host: str, port: int, script: Script, tell: Callable[[str], None]) -> None:
    """Tell the addresses as one line of JSON and serve until SIGINT or SIGTERM. Raises OSError without the port."""
    anyio.run(_serve, host, port, script, tell, backend="trio")


async def _serve(host: str, port: int, script: Script, tell: Callable[[str], None]) -> None:
    """Raises OSError when the port cannot be had."""
    failure: OSError | None = None
    async with anyio.create_task_group() as tasks:
        server = ModelServer(TcpNetwork(), tasks, host, port, script)
        try:
            await server.open()
        except OSError as error:
            failure = error
        else:
            tell(json.dumps(server.addresses))
            await _interrupted()
        tasks.cancel_scope.cancel()
    if failure:
        raise failure


async def _interrupted() -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            return
