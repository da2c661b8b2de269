"""`seatrial merge`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..evidence import FILE as EVIDENCE
from ..kept import Kept
from ..matrix import Policy, conclusion
from ..merging import MergeError, Part, parts, whole
from .options import Sectioned, added, policy_options, report_options
from .policy import policy
from .refusal import Refused
from .report import replay
from .reporting import opened, parsed, requested, writable
from .runs import fresh_folder, kept, remember


@click.command(cls=Sectioned)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@lambda function: added(function, (*policy_options, *report_options))
@click.pass_context
def command(
    ctx: click.Context,
    /,
    runs: tuple[Path, ...],
    report: tuple[str, ...],
    output: Path | None,
    verbose: bool,
    durations: int | None,
    **judged: Any,
) -> None:
    """Make one run of its shards: every RUN is the folder that seatrial run --shard I/N has left.

    It writes what the whole run would have written, and exits as it would.
    """
    found = _parts([kept(run) for run in runs])
    rule = policy(**judged, whole=not found[0].kept.started.options.get("partial"))
    run = _whole(found, rule)
    folder = output or fresh_folder(run.started.seed)
    evidence = folder / EVIDENCE
    shown = {name: value for name, value in (("verbose", verbose), ("durations", durations)) if value}
    started = replace(run.started, options={**run.started.options, **shown}, evidence=str(evidence))
    _copy(found, evidence)
    with opened(requested(parsed(report), folder)) as (console, *reporters):
        remember(folder)
        replay(console, (started, run.finished))
        for reporter in reporters:
            replay(reporter, replace(run, started=started).events())
    ctx.exit(conclusion(run.finished, rule))


def _parts(runs: Sequence[Kept]) -> tuple[Part, ...]:
    try:
        return parts(runs)
    except MergeError as error:
        raise Refused(str(error)) from None


def _whole(found: Sequence[Part], rule: Policy) -> Kept:
    """The whole run as it is reported. Raises Refused."""
    try:
        run = whole(found)
    except MergeError as error:
        raise Refused(str(error)) from None
    results = tuple(map(rule.applied, run.finished.results))
    return replace(run, finished=replace(run.finished, results=results, baseline=rule.problems(results)))


def _copy(found: Sequence[Part], evidence: Path) -> None:
    """All evidence in one file. Raises Refused."""
    if any(evidence.exists() and evidence.samefile(part.evidence.file) for part in found):
        raise Refused(f"{evidence.parent} is the folder of a shard; give --output another one")
    with writable(evidence, "the evidence") as lines:
        for part in found:
            try:
                lines.writelines(f"{line}\n" for line in part.lines())
            except OSError as error:
                raise Refused(f"the evidence cannot be copied to {evidence}: {error.strerror}") from None
