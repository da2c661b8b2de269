"""From the options of a command line to the checks and cases that are wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import click

from ..evidence import FILE as EVIDENCE
from ..evidence import Evidence
from ..kept import Kept
from ..model import Level, Result
from ..planning import Selection
from .catalogue import Catalogue
from .options import Wanted
from .refusal import Refused
from .runs import kept

Fails = Callable[[Result], bool]


def selection(
    catalogue: Catalogue,
    *,
    keyword: str,
    suite: tuple[str, ...],
    check: tuple[str, ...],
    requirement: tuple[str, ...],
    level: str | None,
) -> Selection:
    """What was asked for by the `selection_options`. Raises Refused for what does not exist, and for nothing."""
    catalogue.require_suites(suite)
    catalogue.require_checks(check)
    catalogue.require_requirements(requirement)
    found = Selection(suite, check, keyword, Level(level.upper()) if level else None, requirement)
    if not any(catalogue.selects(found, *pair) for pair in catalogue.checks.values()):
        raise Refused("no check is selected; seatrial list shows all of them")
    return found


def chosen(wanted: Wanted, catalogue: Catalogue, failed: frozenset[str]) -> Selection:
    """What a run is to be about; `failed` are the cases of an earlier one. Raises Refused."""
    found = selection(
        catalogue,
        keyword=wanted.keyword,
        suite=wanted.suite,
        check=wanted.check,
        requirement=wanted.requirement,
        level=wanted.level,
    )
    return replace(found, cases=failed if wanted.last_failed else frozenset())


def earlier_failures(wanted: Wanted, fails: Fails) -> frozenset[str]:
    """The ids of the cases that failed in the run that was named, or in the newest; none when nobody asks.

    Raises Refused.
    """
    if not wanted.last_failed and not wanted.failed_first:
        if wanted.source:
            raise Refused("--from names a run for --last-failed or --failed-first; add one of them")
        return frozenset()
    run = kept(wanted.source)
    failed = [result for result in run.finished.results if fails(result)]
    if not failed:
        click.echo(f"nothing failed in {run.file.parent}: every case is run", err=True)
    return frozenset(result.case.id for result in failed) | _shown_by(run, failed)


def _shown_by(run: Kept, failed: list[Result]) -> frozenset[str]:
    """The cases that a failure cites records of: a monitor sees again only what is done again."""
    cited = {number for result in failed for found in result.violations for number in found.records}
    try:
        evidence = Evidence.read(run.file.parent / EVIDENCE)
    except OSError:
        return frozenset()
    lines = (evidence.at(number) for number in cited)
    return frozenset(line.case for line in lines if line)


def require_same_targets(failed: frozenset[str], names: list[str]) -> None:
    """Raises Refused when the earlier run was one with other targets."""
    if failed and not any(case.startswith(f"{name}/") for case in failed for name in names):
        others = sorted({case.partition("/")[0] for case in failed})
        raise Refused(
            f"the earlier run was one of {', '.join(others)}, not of {', '.join(names)}; name its run by --from"
        )
