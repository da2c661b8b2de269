"""`seatrial baseline`, and which baseline a run heeds."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from ..baseline import FILE, TABLE, AcceptedFailure, Baseline, load
from ..config import FILE as CONFIG
from ..document import ConfigError
from ..grading import BROKEN
from ..kept import Kept
from ..model import Acceptance, Result, Verdict
from .refusal import Refused
from .runs import kept

DAYS = 90
"""So long is a failure accepted if nobody says otherwise."""

_RUN = click.argument("run", required=False, type=click.Path(path_type=Path))
_FILE = click.option(
    "--baseline",
    "file",
    type=click.Path(path_type=Path),
    default=FILE,
    show_default=True,
    metavar="FILE",
    help="The baseline.",
)


def heeded(baseline: Path | None, no_baseline: bool, config: Path | None) -> Baseline:
    """The baseline that a run heeds. Raises Refused."""
    if baseline and no_baseline:
        raise Refused("give --baseline or --no-baseline, not both")
    beside = (config or CONFIG).parent / FILE
    if no_baseline or not (baseline or beside.exists()):
        return Baseline()
    return _loaded(baseline or beside)


def _loaded(file: Path) -> Baseline:
    try:
        return load(file, date.today())
    except ConfigError as error:
        raise Refused(str(error)) from None


@click.group()
def command() -> None:
    """Accept failures for a while: who says so, why, and until when stands in seatrial.baseline.toml."""


@command.command(short_help="Accept what fails in a run.")
@_RUN
@click.option("--reason", required=True, metavar="TEXT", help="Why these failures are accepted.")
@click.option("--owner", required=True, metavar="WHO", help="Who answers for that.")
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help=f"The last day on which they are accepted.  [default: in {DAYS} days]",
)
@click.option("--check", multiple=True, metavar="ID", help="Only this check; * stands for any text (repeatable).")
@click.option("--strict", is_flag=True, help="Accept each WARN too.")
@_FILE
def update(
    run: Path | None,
    reason: str,
    owner: str,
    expires: datetime | None,
    check: tuple[str, ...],
    strict: bool,
    file: Path,
) -> None:
    """Accept what fails in RUN (a folder or a report; the newest by default) and is not accepted yet.

    Entries that stand stay as they are. Those that have expired are replaced.
    """
    until = expires.date() if expires else date.today() + timedelta(days=DAYS)
    why = Acceptance(_said("--reason", reason), _said("--owner", owner), _future(until))
    baseline = _loaded(file) if file.exists() else Baseline((), date.today())
    results = _of_checks(kept(run).finished.results, check)
    renewed = {problem.place for problem in baseline.problems(results) if problem.kind == "expired"}
    added = baseline.missing(results, BROKEN if strict else (Verdict.FAIL,), why)
    left = [() if entry.place in renewed else (entry,) for entry in baseline.entries]
    _rewrite(file, baseline, left, added)
    click.echo(f"{file}: {_counted(len(added))} added, {len(renewed)} expired removed")


@command.command(short_help="Remove what holds again.")
@_RUN
@_FILE
def prune(run: Path | None, file: Path) -> None:
    """Remove stale entries: what they accept holds in RUN (a folder or a report; the newest by default)."""
    told, baseline = kept(run), _loaded(file)
    _require_whole(told)
    left = baseline.pruned(told.finished.results)
    _rewrite(file, baseline, left, ())
    removed = sum(not entries for entries in left)
    narrowed = sum(entries not in ((), (entry,)) for entry, entries in zip(baseline.entries, left, strict=True))
    click.echo(f"{file}: {_counted(removed)} removed, {narrowed} narrowed")


def _require_whole(told: Kept) -> None:
    if told.started.partial or not told.finished.complete:
        raise Refused(f"{told.file} is of a run that left cases out; run all of them, then prune")


def _said(option: str, text: str) -> str:
    if not text.strip():
        raise Refused(f"{option} is empty; a baseline needs it, so that whoever reads it knows")
    return text.strip()


def _future(day: date) -> date:
    if day < date.today():
        raise Refused(f"--expires {day} is over; name a day to come")
    return day


def _of_checks(results: Iterable[Result], patterns: Collection[str]) -> list[Result]:
    """The results of the checks that match one of the patterns; all without patterns. Raises Refused."""
    found = list(results)
    for pattern in patterns:
        if not fnmatch.filter((result.case.check.id for result in found), pattern):
            raise Refused(f"--check {pattern}: the run has no such check")
    return [r for r in found if not patterns or any(fnmatch.fnmatchcase(r.case.check.id, p) for p in patterns)]


def _counted(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def _rewrite(
    file: Path, baseline: Baseline, left: Sequence[Sequence[AcceptedFailure]], added: Iterable[AcceptedFailure]
) -> None:
    """Write what is left of each entry, and some more. The rest of the file stays, comments too. Raises Refused."""
    import tomlkit

    text = file.read_text(encoding="utf-8") if file.exists() else _HEAD
    document = tomlkit.parse(text.rstrip() + "\n\n")
    tables = document.get(TABLE) or tomlkit.aot()
    for place in reversed(range(len(left))):
        entry, (first, *_) = baseline.entries[place], (*left[place], None)
        if first is None:
            del tables[place]
        elif first != entry:
            tables[place].update(_written(first))
    for entry in (*(entry for entries in left for entry in entries[1:]), *added):
        tables.append(tomlkit.item(_written(entry)))
    if tables:
        document[TABLE] = tables
    else:
        document.pop(TABLE, None)
    _save(file, tomlkit.dumps(document).rstrip() + "\n")


def _save(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error.strerror}; choose another place") from None


_HEAD = "# Failures that are accepted for a while: seatrial baseline update adds, seatrial baseline prune removes."


def _written(entry: AcceptedFailure) -> dict[str, Any]:
    """The keys of an entry as they stand in the file."""
    values = {
        "target": entry.target,
        "check": entry.check,
        "requirement": entry.requirement,
        "versions": list(entry.versions),
        "bindings": list(entry.bindings),
        "verdict": entry.verdict.value,
        "reason": entry.reason,
        "owner": entry.owner,
        "expires": entry.expires,
    }
    return {key: value for key, value in values.items() if value}
