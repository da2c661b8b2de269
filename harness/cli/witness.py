"""`seatrial witness`."""

from __future__ import annotations

import click

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
    from ..model_server.script import Script  # It brings what serves, which no help needs.
    from ..model_server.service import serve

    try:
        serve(host, port, Script(gap, count), click.echo)
    except OSError as error:
        raise Refused(f"--port {port}: cannot listen there: {error}") from None
