"""`seatrial witness`."""

from __future__ import annotations

import json
import signal

import anyio
import click

from ..model_server import ModelServer
from ..model_server.script import Script
from ..transport.tcp import TcpNetwork
from .refusal import Refused


@click.group()
def command() -> None:
    """Run a witness: what a target leans on, so that it shows what reaches it."""


@command.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Where to listen; a free port without it.")
@click.option("--gap", default=0.2, show_default=True, type=click.FloatRange(0, 600), help="Seconds between chunks.")
@click.option("--count", default=50, show_default=True, type=click.IntRange(1, 100_000), help="Chunks of `slow`.")
def llm(host: str, port: int, gap: float, count: int) -> None:
    """Serve a fake model behind an API like OpenAI's, which sees who hangs up.

    Prints its addresses as one line of JSON and serves until it is interrupted.
    """
    try:
        anyio.run(_serve, host, port, Script(gap, count), backend="trio")
    except OSError as error:
        raise Refused(f"--port {port}: cannot listen there: {error}") from None


async def _serve(host: str, port: int, script: Script) -> None:
    """Raises OSError when the port cannot be had."""
    failure: OSError | None = None
    async with anyio.create_task_group() as tasks:
        server = ModelServer(TcpNetwork(), tasks, host, port, script)
        try:
            await server.open()
        except OSError as error:
            failure = error
        else:
            click.echo(json.dumps(server.addresses))
            await _interrupted()
        tasks.cancel_scope.cancel()
    if failure:
        raise failure


async def _interrupted() -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            return
