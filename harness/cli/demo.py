"""`seatrial demo`."""

from __future__ import annotations

from typing import Any

import click

from ..target import Target, simulated
from .catalogue import Catalogue
from .execution import perform, prepare
from .options import TargetCommand, Wanted, run_options
from .refusal import Refused


@click.command(cls=TargetCommand)
@click.option("--break", "mutant", metavar="MUTANT", help="Break one behaviour of the server, to see it found.")
@run_options
@click.pass_context
def command(ctx: click.Context, /, mutant: str | None, **typed: Any) -> None:
    """Run every check against the bundled server, in memory and in virtual time."""
    if ctx.meta[TargetCommand.SPAWN] is not None:
        raise Refused("demo brings its own server; use seatrial run for a command")

    def make(catalogue: Catalogue) -> Target:
        catalogue.require_mutants([mutant] if mutant else [])
        return simulated(mutant)

    words = ("seatrial", "demo", *(("--break", mutant) if mutant else ()))
    ctx.exit(perform(prepare(Wanted(**typed), make, words)))
