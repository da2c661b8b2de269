"""`seatrial init`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from ...config import FILE
from ...matrix import Exit
from ...protocols import protocol_of
from ..options import TargetCommand
from ..refusal import Refused
from ..run import headers, target_config


@click.command(cls=TargetCommand, options_metavar="[OPTIONS] [URL | -- COMMAND...]")
@click.argument("places", nargs=-1, metavar="")
@click.option("--header", multiple=True, metavar="'NAME: VALUE'", help="Send this header with every request.")
@click.option("--name", default="", help="What to call the target, if not as it calls itself.")
@click.option("--output", type=click.Path(path_type=Path), default=FILE, show_default=True, metavar="FILE")
@click.option("--force", is_flag=True, help="Overwrite the file.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing, take what is found; so it is too without a terminal.")
@click.option("--allow-effects", is_flag=True, help="Try tools that may have effects too, but no destructive ones.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    places: tuple[str, ...],
    header: tuple[str, ...],
    name: str,
    output: Path,
    force: bool,
    yes: bool,
    allow_effects: bool,
) -> None:
    """Ask a target what it offers and write a seatrial.toml with stimuli to check.

    Tools that say they only read are tried once each, so that only what works is proposed; at a terminal
    you may change, try or skip each proposal, or press Enter.
    """
    spawn = ctx.meta[TargetCommand.SPAWN]
    if len(places) > 1 or (spawn is None and "://" not in "".join(places)):
        raise Refused("give the URL of the target, or the command that starts it after --")
    described = target_config("".join(places), spawn, None)
    if protocol_of(described.url):
        raise Refused("a WebSocket has no stimuli that a file could name; just run it: seatrial run URL")
    target = replace(described, name=name or described.name, headers=headers(header))
    from .introduction import introduce  # It brings the engine, which no help needs.

    alone = yes or not attended()
    try:
        introduce(target, output, alone=alone, force=force, named=bool(name), bold=allow_effects)
    except click.Abort:
        click.echo("\nStopped; nothing was written.", err=True)
        ctx.exit(int(Exit.INTERRUPTED))


def attended() -> bool:
    """Is there somebody who can answer?"""
    return sys.stdin.isatty() and sys.stdout.isatty()
