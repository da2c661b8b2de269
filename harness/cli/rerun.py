"""`seatrial rerun`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from ..curl import curl_line, incomplete
from ..evidence import Evidence
from ..kept import Kept
from ..model import Case
from ..repetition import rerun_words
from ..spelling import unknown
from ..transcript import REDACTED
from .refusal import Refused
from .runs import evidence_of, kept

RUNS = ("run", "demo")
"""The commands that run cases."""
NAMED = 3
"""So many cases are named when more than one is meant."""


@click.command(options_metavar="[OPTIONS] [RUN]")
@click.argument("words", nargs=-1, required=True, metavar="CASE")
@click.option("--curl", is_flag=True, help="Do not run it: print the requests that it sent, as curl lines.")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], curl: bool) -> None:
    """Run a case of RUN again: the same check, column, target and seed.

    RUN is a folder or a report, the newest run if left out; CASE an id, or a part of one that no other case has.
    """
    *place, name = words
    if len(place) > 1:
        raise Refused("name one run and one case: seatrial rerun RUN CASE")
    told = kept(Path(place[0]) if place else None)
    case = named(told, name)
    if curl:
        _print_requests(told, case)
        return
    _run(ctx, rerun_words(case, told.started))


def named(told: Kept, name: str) -> Case:
    """The case of this id, or the one whose id has this part. Raises Refused."""
    cases = {case.id: case for case in told.started.cases}
    found = [name] if name in cases else [id_ for id_ in cases if name in id_]
    if not found:
        checks = {case.check.id for case in cases.values()}
        raise Refused(f"{told.file} has no such case: {unknown('check', name, checks)}")
    if len(found) > 1:
        raise Refused(f"{name} is a part of {len(found)} cases; give more of the id: {_some(found)}")
    return cases[found[0]]


def _some(found: Sequence[str]) -> str:
    more = len(found) - NAMED
    return ", ".join(found[:NAMED]) + (f" and {more} more" if more > 0 else "")


def _run(ctx: click.Context, words: Sequence[str]) -> None:
    """Run a command line of Seatrial, by this program and by no other. Raises Refused."""
    line = shlex.join(words)
    place = next((place for place, word in enumerate(words) if word in RUNS), None)
    if place is None:
        raise Refused(f"this run was not made by seatrial run; it can be repeated by: {line}")
    if any(map(incomplete, words)):
        raise Refused(f"secrets are not kept: put them back where it says {REDACTED}, then run: {line}")
    click.echo(line, err=True)
    root = ctx.find_root()
    assert isinstance(root.command, click.Group)
    again = root.command.get_command(root, words[place])
    assert again is not None
    with again.make_context(words[place], list(words[place + 1 :]), parent=root) as inner:
        again.invoke(inner)


def _print_requests(told: Kept, case: Case) -> None:
    """Raises Refused."""
    file = Path(evidence_of(told))
    try:
        evidence = Evidence.read(file)
        lines = [line for record in evidence.records(evidence.of(case.id)) if (line := curl_line(record))]
    except OSError as error:
        raise Refused(f"the evidence {file} cannot be read: {error.strerror}; keep it beside the report") from None
    if not lines:
        raise Refused(f"{case.id} sent nothing of its own")
    click.echo("\n".join(lines))
    if any(map(incomplete, lines)):
        click.echo(f"secrets are not kept: put them back where it says {REDACTED}", err=True)
