"""`seatrial demo`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import click

from ..options import Options
from ..protocols import driver_of, known, names
from ..target import Target
from .catalogue import Catalogue
from .options import TargetCommand, Wanted, run_options
from .refusal import Refused

SHOWN = {"mcp": ("2025-11-25", "2026-07-28"), "a2a": ("1.0",), "agui": ("1.0",), "websocket": ("13",)}
"""The versions that the demo shows: of MCP the newest of each era. The servers speak all the others too."""
SHORT = {"a2a": ("JSONRPC",)}
"""Where one binding must do, so that a demo stays one; `--binding` shows the others."""

GROUP = "seatrial.demos"
"""Bundled servers, by protocol: what makes one from a mutant's `build`, or from nothing."""


@click.command(cls=TargetCommand)
@click.option("--break", "mutant", metavar="MUTANT", help="Break one behaviour of the server, to see it found.")
@run_options
@click.pass_context
def command(ctx: click.Context, /, mutant: str | None, **typed: Any) -> None:
    """Run every check against the bundled servers of MCP, A2A and AG-UI, in memory and in virtual time: the newest
    versions of each, or those in which the MUTANT shows.
    """
    from .execution import perform, prepare  # It brings the engine, which no help needs.

    if ctx.meta[TargetCommand.SPAWN] is not None:
        raise Refused("demo brings its own server; use seatrial run for a command")

    def make(catalogue: Catalogue, options: Options) -> list[Target]:
        return fleet(catalogue, options, mutant)

    words = ("demo", *(("--break", mutant) if mutant else ()))
    ctx.exit(perform(prepare(Wanted(**typed), make, words)))


def fleet(catalogue: Catalogue, options: Options, mutant: str | None) -> list[Target]:
    """The bundled server of each protocol that the selection is about, or the one mutant; that of a transport where it
    is about nothing else. Raises Refused."""
    catalogue.require_mutants([mutant] if mutant else [])
    if mutant:
        broken = catalogue.mutants[mutant]
        return [bundled(broken.protocol, broken.versions, broken.build)]
    concerned = [name for name in known() if catalogue.concerns(name, options)]
    chosen = [name for name in concerned if name in names()] or concerned
    return [bundled(name, tuple(v for v in options.versions if v in driver_of(name).versions)) for name in chosen]


def bundled(protocol: str, versions: tuple[str, ...] = (), build: Callable[..., Any] | None = None) -> Target:
    """The bundled server of a protocol, or what `build` makes of it, in these versions or those that are shown.

    Raises Refused where a library is missing that it serves with.
    """
    (point,) = entry_points(group=GROUP, name=protocol)
    simulated: Callable[..., Target] = point.load()
    try:
        target = simulated(build) if build else simulated()
    except ImportError as error:
        raise Refused(str(error)) from None
    target.versions = versions or SHOWN[protocol]
    if build is None:
        target.bindings = SHORT.get(protocol, target.bindings)
    return target
