"""`seatrial report`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from ..events import Event
from .refusal import Refused
from .reporting import STANDARD_OUTPUT, Reporter, Request, opened, parsed
from .runs import evidence_of, kept


@click.command()
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--report", multiple=True, metavar="NAME=PATH", help="Write this report; - is standard output.")
@click.option("--verbose", is_flag=True, help="Show every check, note and reason.")
def command(run: Path | None, report: tuple[str, ...], verbose: bool) -> None:
    """Tell RUN again (a folder or a report; the newest by default): its matrix, or the reports that are asked for."""
    told = kept(run)
    options = {**told.started.options, **({"verbose": True} if verbose else {})}
    started = replace(told.started, options=options, evidence=evidence_of(told))
    # The progress of a run that is over is of no interest at a terminal.
    events = (started, *list(told.events())[1:]) if report else (started, told.finished)
    with opened(parsed(report) or (Request("console", STANDARD_OUTPUT),)) as reporters:
        for reporter in reporters:
            replay(reporter, events)


def replay(reporter: Reporter, events: Iterable[Event]) -> None:
    """Raises Refused."""
    try:
        for event in events:
            reporter.handle(event)
        reporter.close()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Refused(f"{type(reporter).__name__} cannot write: {error.strerror or error}") from None
