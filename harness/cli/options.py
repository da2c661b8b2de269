"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ..model import Level

Function = TypeVar("Function", bound=Callable[..., Any])

ALLOW = "--allow-inconclusive"
EVERY_REASON = "all"


class TargetCommand(click.Command):
    """A command whose words after `--` are the command line of the target, whatever they look like.

    They are `ctx.meta[SPAWN]`, None where there is no `--`.
    """

    SPAWN = "seatrial.spawn"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else None
        ctx.meta[self.SPAWN] = None if end is None else tuple(args[end + 1 :])
        own = args if end is None else args[:end]
        # An option with an optional value would otherwise swallow the target that follows it.
        return super().parse_args(ctx, [f"{ALLOW}={EVERY_REASON}" if word == ALLOW else word for word in own])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The values of `run_options`, as typed."""

    keyword: str
    suite: tuple[str, ...]
    check: tuple[str, ...]
    level: str | None
    protocol_version: tuple[str, ...]
    binding: tuple[str, ...]
    faults: str
    seed: int | None
    tempo: float
    concurrency: int
    strict: bool
    strict_info: bool
    verbose: bool
    allow_inconclusive: str | None
    report: tuple[str, ...]
    output: Path | None
    suites: tuple[Path, ...]


suites_option = click.option(
    "--suites", multiple=True, type=click.Path(path_type=Path), metavar="PATH", help="Load further suites from a file."
)

_SELECTION = (
    click.option("-k", "--keyword", default="", metavar="TEXT", help="Only checks whose suite, id or title has TEXT."),
    click.option("--suite", multiple=True, metavar="NAME", help="Only this suite (repeatable)."),
    click.option("--check", multiple=True, metavar="ID", help="Only this check; * stands for any text (repeatable)."),
    click.option("--level", type=click.Choice(list(Level), case_sensitive=False), help="Only this level or stronger."),
    suites_option,
)

_RUN = (
    click.option("--protocol-version", multiple=True, metavar="VERSION", help="Only this version (repeatable)."),
    click.option("--binding", multiple=True, metavar="NAME", help="Only this binding (repeatable)."),
    click.option(
        "--faults",
        type=click.Choice(["none", "benign"]),
        default="none",
        show_default=True,
        help="Faults around the whole run; benign ones must change no verdict.",
    ),
    click.option("--seed", type=click.IntRange(min=0), help="Repeat the random choices of an earlier run."),
    click.option(
        "--tempo",
        type=click.FloatRange(min=0.1, max=100),
        default=1.0,
        show_default=True,
        help="Factor on every duration; 3 suits a slow machine.",
    ),
    click.option(
        "--concurrency",
        type=click.IntRange(min=1, max=256),
        default=8,
        show_default=True,
        help="Cases that run at the same time; as many more of those that mostly wait, if it is above 1.",
    ),
    click.option(
        "-v", "--verbose", is_flag=True, help="Show every check, note and reason, not only what needs a look."
    ),
    click.option("--strict", is_flag=True, help="A WARN fails the run too."),
    click.option("--strict-info", is_flag=True, help="A note counts as a WARN."),
    click.option(
        ALLOW,
        metavar="[=REASON,…]",
        help="Cases that could not be judged, for these or all reasons, do not fail the run.",
    ),
    click.option("--report", multiple=True, metavar="NAME=PATH", help="A further report; - is standard output."),
    click.option(
        "--output",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Where evidence and reports go.  [default: .seatrial/runs/TIME-SEED]",
    ),
)


def selection_options(function: Function) -> Function:
    """Which checks."""
    return _added(function, _SELECTION)


def run_options(function: Function) -> Function:
    """Which checks, and everything about the run but its target."""
    return _added(function, (*_SELECTION, *_RUN))


def _added(function: Function, options: tuple[Callable[[Any], Any], ...]) -> Function:
    for option in reversed(options):
        function = option(function)
    return function
