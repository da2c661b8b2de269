"""The options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from ..conduct import Conduct
from ..model import Level
from ..planning import Shard

Function = TypeVar("Function", bound=Callable[..., Any])

ALLOW = "--allow-inconclusive"
EVERY_REASON = "all"

TARGET, CHECKS, CASES, CONDITIONS = "Target", "Which checks", "Which cases", "How"
CARE = "With what care"
VERDICTS, REPORTS, OPTIONS = "Verdicts", "Reports", "Options"
SECTIONS = (TARGET, CHECKS, CASES, CARE, CONDITIONS, VERDICTS, REPORTS, OPTIONS)
"""The sections of a help, in their order."""


class Option(click.Option):
    """An option that knows in which section of the help it stands, and whether it is `common`."""

    def __init__(self, *names: Any, section: str = OPTIONS, common: bool = False, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.section, self.common = section, common

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Names and help alone: ranges and defaults stand in the help where they matter."""
        told = super().get_help_record(ctx)
        return told and (told[0], self.help or "")


class Sectioned(click.Command):
    """A command whose help fits a screen: the common options alone. --help-all shows all of them, by section."""

    WHOLE = "seatrial.whole-help"

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        return [*params, _HELP_ALL] if any(_rare(each) for each in params) else params

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        whole, sections = ctx.meta.get(self.WHOLE, False), dict[str, list[tuple[str, str]]]()
        for each in self.get_params(ctx):
            told = each.get_help_record(ctx) if isinstance(each, click.Option) else None
            if told and (whole or not _rare(each)):
                sections.setdefault(getattr(each, "section", OPTIONS) if whole else OPTIONS, []).append(told)
        for name in sorted(sections, key=(*SECTIONS, *sections).index):
            with formatter.section(name):
                formatter.write_dl(sections[name])


def _rare(param: click.Parameter) -> bool:
    return isinstance(param, Option) and not param.common


def _show_all(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.meta[Sectioned.WHOLE] = True
        click.echo(ctx.get_help())
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show every option and exit.",
)


class TargetCommand(Sectioned):
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
    requirement: tuple[str, ...]
    level: str | None
    protocol_version: tuple[str, ...]
    binding: tuple[str, ...]
    last_failed: bool
    failed_first: bool
    source: Path | None
    exitfirst: bool
    maxfail: int | None
    repeat: int
    shard: Shard | None
    faults: str
    seed: int | None
    tempo: float
    concurrency: int
    strict: bool
    strict_info: bool
    verbose: bool
    durations: int | None
    allow_inconclusive: str | None
    baseline: Path | None
    no_baseline: bool
    report: tuple[str, ...]
    output: Path | None
    suites: tuple[Path, ...]
    config: Path | None = None
    conduct: Conduct = field(default_factory=Conduct)

    @property
    def partial(self) -> bool:
        """Is less wanted than every case that the target speaks, all shards taken together?"""
        checks = (self.keyword, self.suite, self.check, self.requirement, self.level)
        return any((*checks, self.protocol_version, self.binding, self.last_failed))


def option(
    *names: str, section: str = OPTIONS, common: bool = False, **settings: Any
) -> Callable[[Function], Function]:
    """An option with a place in the help: among the `common` ones, or told by --help-all only."""
    return click.option(*names, cls=Option, section=section, common=common, **settings)


def added(function: Function, options: Sequence[Callable[[Any], Any]]) -> Function:
    """A command with these options, in their order."""
    for each in reversed(options):
        function = each(function)
    return function


def _shard(ctx: click.Context, param: click.Parameter, text: str | None) -> Shard | None:
    """The value of --shard. Raises BadParameter."""
    if text is None:
        return None
    found = re.fullmatch(r"([1-9]\d{0,3})/([1-9]\d{0,3})", text)
    if not found or int(found[1]) > int(found[2]):
        raise click.BadParameter(f"{text!r:.20} is no part; write it as 2/4: the second of four")
    return Shard(int(found[1]), int(found[2]))


suites_option = option(
    "--suites",
    section=CHECKS,
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Load further suites from a file.",
)


def faults_option(common: bool = False) -> Callable[[Any], Any]:
    """`profile` reads its value."""
    return option(
        "--faults",
        section=CONDITIONS,
        common=common,
        default="none",
        metavar="PLAN",
        help="none, benign, a FILE, or faults such as 'cut()'.",
    )


def seed_option(common: bool = False) -> Callable[[Any], Any]:
    return option(
        "--seed",
        section=CONDITIONS,
        common=common,
        type=click.IntRange(min=0),
        metavar="N",
        help="Repeat the random choices of a run.",
    )


_SELECTION = (
    option(
        "-k",
        "--keyword",
        section=CHECKS,
        common=True,
        default="",
        metavar="TEXT",
        help="Only checks named so; and, or, not join words.",
    ),
    option("--suite", section=CHECKS, common=True, multiple=True, metavar="NAME", help="Only this suite (repeatable)."),
    option("--check", section=CHECKS, multiple=True, metavar="ID", help="Only this check; * is any text."),
    option(
        "--requirement",
        section=CHECKS,
        multiple=True,
        metavar="ID",
        help="Only checks of this requirement; * likewise.",
    ),
    option(
        "--level",
        section=CHECKS,
        common=True,
        type=click.Choice(list(Level), case_sensitive=False),
        metavar="LEVEL",
        help="Only MUST, or SHOULD and stronger, and so on.",
    ),
    suites_option,
)

_CASES = (
    option(
        "--protocol-version", section=CASES, multiple=True, metavar="VERSION", help="Only this version (repeatable)."
    ),
    option("--binding", section=CASES, multiple=True, metavar="NAME", help="Only this binding (repeatable)."),
    option("--last-failed", "--lf", section=CASES, common=True, is_flag=True, help="Only what failed last time."),
    option("--failed-first", "--ff", section=CASES, is_flag=True, help="First what failed last time."),
    option(
        "--from",
        "source",
        section=CASES,
        type=click.Path(path_type=Path),
        metavar="RUN",
        help="Another run than the last (for --lf, --ff).",
    ),
    option("-x", "--exitfirst", section=CASES, common=True, is_flag=True, help="Stop at the first failure."),
    option("--maxfail", section=CASES, type=click.IntRange(min=1), metavar="N", help="Stop after so many failures."),
    option(
        "--repeat",
        section=CASES,
        type=click.IntRange(1, 1000),
        default=1,
        metavar="N",
        help="Run each case N times: which are flaky?",
    ),
    option(
        "--shard", section=CASES, metavar="I/N", callback=_shard, help="Only part I of N; seatrial merge joins them."
    ),
)

_CONDITIONS = (
    faults_option(),
    seed_option(),
    option(
        "--tempo",
        section=CONDITIONS,
        type=click.FloatRange(min=0.1, max=100),
        default=1.0,
        metavar="N",
        help="Factor on all durations; 3: a slow machine.",
    ),
    option(
        "--concurrency",
        section=CONDITIONS,
        type=click.IntRange(min=1, max=256),
        default=8,
        metavar="N",
        help="Cases at the same time, 8 without it.",
    ),
)

policy_options = (
    option("--strict", section=VERDICTS, common=True, is_flag=True, help="A WARN fails the run too."),
    option("--strict-info", section=VERDICTS, is_flag=True, help="A note counts as a WARN."),
    option(
        ALLOW,
        section=VERDICTS,
        common=True,
        metavar="[=…]",
        help="What was not judged fails nothing.",
    ),
    option(
        "--baseline",
        section=VERDICTS,
        common=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Another file of accepted failures.",
    ),
    option("--no-baseline", section=VERDICTS, is_flag=True, help="Accept no failure."),
)
"""What a user counts as a failure."""

report_options = (
    option(
        "-v",
        "--verbose",
        section=REPORTS,
        common=True,
        is_flag=True,
        help="Show every check, note and reason.",
    ),
    option(
        "--durations", section=REPORTS, type=click.IntRange(min=1), metavar="N", help="Show the N slowest cases too."
    ),
    option(
        "--report",
        section=REPORTS,
        common=True,
        multiple=True,
        metavar="NAME=PATH",
        help="A further report; - is standard output.",
    ),
    option(
        "--output",
        section=REPORTS,
        common=True,
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="The folder of the run instead of .seatrial/…",
    ),
)
"""What a user wants to see of a run."""

_RUN = (*_CASES, *_CONDITIONS, *policy_options, *report_options)


def selection_options(function: Function) -> Function:
    """Which checks."""
    return added(function, _SELECTION)


def run_options(function: Function) -> Function:
    """Which checks, and everything about the run but its target."""
    return added(function, (*_SELECTION, *_RUN))
