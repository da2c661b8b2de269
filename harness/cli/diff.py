"""`seatrial diff`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import click

from ..comparison import ChangeKind, Comparison, changes
from ..kept import Kept
from ..matrix import Exit
from .refusal import Refused
from .runs import kept

GROUP = "seatrial.comparisons"
"""Entry points: what makes a text of a Comparison, by the name of its format."""

FORMATS = ("text", "markdown", "json")


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("head", required=False, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--strict", is_flag=True, help="New cases that were not judged fail too, and judged ones that are gone.")
@click.pass_context
def command(ctx: click.Context, base: Path, head: Path | None, form: str, strict: bool) -> None:
    """Tell what changed from the run BASE to the run HEAD (folders or reports; HEAD is the newest by default).

    It exits with 1 for regressions alone: a graver verdict, a requirement that was not broken before, a case that was
    judged and is not any more. A failure that the baseline accepted in HEAD is not one.
    """
    before, after = kept(base), kept(head)
    _require_comparable(before, after)
    found = Comparison(before.started, after.started, changes(before.finished.results, after.finished.results, strict))
    (point,) = entry_points(group=GROUP, name=form)
    render: Callable[[Comparison], str] = point.load()
    click.echo(render(found), nl=False)
    ctx.exit(Exit.BROKEN if found.of(ChangeKind.REGRESSION) else Exit.WELL)


def _require_comparable(base: Kept, head: Kept) -> None:
    """Raises Refused."""
    for run in (base, head):
        if run.finished.failure or not run.finished.results:
            why = run.finished.failure or "it has no case"
            raise Refused(f"{run.file} cannot be compared: {why}; make that run again")
    before, after = ({result.case.target: None for result in run.finished.results} for run in (base, head))
    if before.keys().isdisjoint(after):
        names = f"{base.file} is of {', '.join(before)}, {head.file} of {', '.join(after)}"
        raise Refused(f"{names}; compare runs of targets with the same name")
