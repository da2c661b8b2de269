"""`seatrial checklist`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import date, datetime, timedelta
from importlib.metadata import entry_points
from pathlib import Path

import click

from ..checklist.answers import AnsweredLine, Checklist
from ..checklist.lines import Who, lines
from ..checklist.making import NoChecklist, make
from ..checklist.signatures import FILE, Signature, load, write
from ..document import ConfigError
from ..matrix import Exit
from ..spelling import unknown
from .options import TargetCommand
from .refusal import Refused
from .runs import kept

GROUP = "seatrial.checklists"
"""Entry points: what makes a text of a Checklist, by the name of its format."""

FORMATS = ("text", "markdown", "html", "json")
DAYS = 180
"""So long a signature counts if nobody says otherwise."""

_file = click.option(
    "--file",
    type=click.Path(path_type=Path),
    default=FILE,
    show_default=True,
    metavar="FILE",
    help="Where the signatures are.",
)
_run = click.option(
    "--run",
    "past_run",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Of this run, a folder or a report, instead of a fresh one.",
)
_form = click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
_output = click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it there.")


class Checklists(click.Group):
    """A group whose first word may be a target: then the list of that target is made."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["make", *args]
        return super().parse_args(ctx, args)


@click.group(cls=Checklists, options_metavar="[NAME | URL | --run RUN | -- COMMAND...]", subcommand_metavar="")
def command() -> None:
    """Make the pre-launch checklist of a target: what the checks decide, and what a person has to sign.

    Without a command the list is made. It exits with 1 while a blocker is open.
    """


@command.command(
    "make",
    cls=TargetCommand,
    options_metavar="[OPTIONS] [NAME | URL | -- COMMAND...]",
    short_help="Run all checks, or take a run that is over, and make the list.",
    epilog="The other commands: seatrial checklist show, seatrial checklist sign.",
)
@click.argument("place", default="", metavar="")
@_run
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Where NAME is described.")
@click.option("--header", multiple=True, metavar="'NAME: VALUE'", help="Send this header with every request.")
@_form
@_output
@_file
@click.pass_context
def list_(
    ctx: click.Context,
    /,
    place: str,
    past_run: Path | None,
    config: Path | None,
    header: tuple[str, ...],
    form: str,
    output: Path | None,
    file: Path,
) -> None:
    """Run all checks against a target, or take a run that is over, and make the list (the default)."""
    spawn = ctx.meta[TargetCommand.SPAWN]
    if past_run and (spawn is not None or config or header or "://" in place):
        raise Refused("--run names a run that is over; give it, or a target to run now, not both")
    if past_run is None:
        _sail(ctx, _words(place, spawn, config, header))
    found = _made(past_run, "" if "://" in place else place, file)
    _tell(found, form, output)
    ctx.exit(Exit.BROKEN if found.blockers else Exit.WELL)


def _words(place: str, spawn: tuple[str, ...] | None, config: Path | None, header: tuple[str, ...]) -> list[str]:
    """The command line of the run."""
    words = [word for text in header for word in ("--header", text)]
    words += ["--config", str(config)] if config else []
    words += [place] if place else []
    return words if spawn is None else [*words, "--", *spawn]


def _sail(ctx: click.Context, words: list[str]) -> None:
    """A run, whose matrix goes to standard error. What keeps it from its end ends this command too."""
    from .run import command as run

    own = run.make_context("run", words, parent=ctx.find_root())
    try:
        with own, redirect_stdout(sys.stderr):
            run.invoke(own)
    except click.exceptions.Exit as end:
        if end.exit_code in (Exit.USAGE, Exit.UNREACHABLE, Exit.INTERRUPTED):
            ctx.exit(end.exit_code)


def _made(past_run: Path | None, name: str, file: Path) -> Checklist:
    """The list of a run, the newest if none is named. Raises Refused."""
    try:
        return make(kept(past_run), name, load(file), date.today())
    except (ConfigError, NoChecklist) as error:
        raise Refused(str(error)) from None


def _tell(found: Checklist, form: str, output: Path | None) -> None:
    (point,) = entry_points(group=GROUP, name=form)
    render: Callable[[Checklist], str] = point.load()
    if output is None:
        click.echo(render(found), nl=False)
        return
    _written(output, lambda: output.write_text(render(found), encoding="utf-8", errors="backslashreplace"))
    click.echo(f"{output} written: {len(found.blockers)} open blockers")


def _written(place: Path, write_it: Callable[[], object]) -> None:
    try:
        write_it()
    except OSError as error:
        raise Refused(f"{place} cannot be written: {error.strerror}; choose another place") from None


@command.command(short_help="Show the list of a run that is over.")
@click.argument("name", default="")
@_run
@_form
@_output
@_file
@click.pass_context
def show(ctx: click.Context, name: str, past_run: Path | None, form: str, output: Path | None, file: Path) -> None:
    """Show the list of a run that is over, the newest by default, and of its target NAME where it has several."""
    found = _made(past_run, name, file)
    _tell(found, form, output)
    ctx.exit(Exit.BROKEN if found.blockers else Exit.WELL)


@command.command(short_help="Answer a line of the list.")
@click.argument("line", metavar="LINE")
@click.option("--by", required=True, metavar="WHO", help="Who answers for it.")
@click.option("--note", required=True, metavar="TEXT", help="The answer, and where it can be seen.")
@click.option("--waive", is_flag=True, help="The line stays open, and the launch goes on in spite of it.")
@click.option(
    "--until", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help=f"Its last day.  [default: in {DAYS} days]"
)
@click.option("--this-version", is_flag=True, help="For the version alone that the target has now.")
@click.option("--target", default="", metavar="NAME", help="For this target, where the run has several.")
@_run
@_file
def sign(
    line: str,
    by: str,
    note: str,
    waive: bool,
    until: datetime | None,
    this_version: bool,
    target: str,
    past_run: Path | None,
    file: Path,
) -> None:
    """Answer LINE of the list that the newest run gives, or the one of --run.

    A signature counts until its day is over, and as long as the facts that its signer was shown stay as they are.
    """
    found = _made(past_run, target, file)
    answer = _line(found, line)
    _require_signable(answer, waive)
    today, last = date.today(), until.date() if until else date.today() + timedelta(days=DAYS)
    if last < today:
        raise Refused(f"--until {last} is over; name a day to come")
    signature = Signature(
        target=found.target,
        line=line,
        by=_said("--by", by),
        on=today,
        until=last,
        note=_said("--note", note),
        shown=answer.facts.digest,
        waived=waive,
        version=_version(found) if this_version else "",
    )
    _put(file, signature)
    click.echo(f"{file}: {line} {'waived' if waive else 'signed'} for {found.target} until {last}")


def _line(found: Checklist, name: str) -> AnsweredLine:
    answers = found.all
    if name in answers:
        return answers[name]
    if name in lines():
        raise Refused(f"{name} is no question for {found.protocol}, so nobody has to sign it")
    raise Refused(unknown("line", name, answers))


def _require_signable(answer: AnsweredLine, waive: bool) -> None:
    if answer.facts.partial:
        raise Refused(f"the run left out checks of {answer.line.id}; make a whole one, or name one by --run")
    if answer.asked is Who.AUTO and not waive:
        raise Refused(f"{answer.line.id} is decided by checks; repair what they found, or sign it with --waive")
    if answer.facts.broken and not waive:
        raise Refused(f"a check of {answer.line.id} failed; repair what it found, or sign it with --waive")


def _said(option: str, text: str) -> str:
    if not text.strip():
        raise Refused(f"{option} is empty; a signature needs it, so that whoever reads it knows")
    return text.strip()


def _version(found: Checklist) -> str:
    if not found.version:
        raise Refused("the target does not tell its version, so nothing can be signed for it alone")
    return found.version


def _put(file: Path, signature: Signature) -> None:
    try:
        _written(file, lambda: write(file, signature))
    except ConfigError as error:
        raise Refused(str(error)) from None
