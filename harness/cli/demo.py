"""`seatrial demo`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import click

from ..target import Target
from .catalogue import Catalogue
from .execution import perform, prepare
from .options import TargetCommand, Wanted, run_options
from .refusal import Refused

NEWEST = ("2025-11-25", "2026-07-28")
"""The versions that the demo shows: the newest of each era. The server speaks all the others too."""

GROUP = "seatrial.demos"
"""Bundled servers, by protocol: what makes one from a mutant's `build`, or from nothing."""


@click.command(cls=TargetCommand)
@click.option("--break", "mutant", metavar="MUTANT", help="Break one behaviour of the server, to see it found.")
@run_options
@click.pass_context
def command(ctx: click.Context, /, mutant: str | None, **typed: Any) -> None:
    """Run every check against the bundled server, in memory and in virtual time.

    Without --protocol-version it shows the newest version of each era, or those in which the MUTANT shows.
    """
    if ctx.meta[TargetCommand.SPAWN] is not None:
        raise Refused("demo brings its own server; use seatrial run for a command")

    def make(catalogue: Catalogue) -> Target:
        return bundled(catalogue, mutant)

    words = ("demo", *(("--break", mutant) if mutant else ()))
    ctx.exit(perform(prepare(Wanted(**typed), make, words)))


def bundled(catalogue: Catalogue, mutant: str | None, protocol: str = "mcp") -> Target:
    """The bundled server of a protocol, or a mutant of it. Raises Refused when there is no such mutant."""
    catalogue.require_mutants([mutant] if mutant else [])
    (point,) = entry_points(group=GROUP, name=protocol)
    simulated: Callable[..., Target] = point.load()
    target = simulated(catalogue.mutants[mutant].build) if mutant else simulated()
    target.versions = (catalogue.mutants[mutant].versions if mutant else ()) or NEWEST
    return target
