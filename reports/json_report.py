"""The JSON report, for programs. Its shape is `report.schema.json`."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from seatrial import Requirement, RunStarted

from .findings import finding, rows_used
from .reporter import Run, WholeReporter, counts
from .score import scores

SCHEMA = "seatrial.report/1"
"""Changes when a reader of the report would have to change; members may be added without."""


class JsonReporter(WholeReporter):
    """`{schema, seatrial, target, options, summary, findings}` with one finding per case."""

    def render(self, run: Run) -> str:
        return json.dumps(document(run), indent=1) + "\n"


def document(run: Run) -> dict[str, Any]:
    findings = [finding(result, run.started).as_json() for result in run.results]
    return {
        "schema": SCHEMA,
        **described(run.started),
        "summary": _summary(run),
        "requirements": [_row(row) for row in rows_used(run.results, run.started)],
        "findings": findings,
    }


def _row(row: Requirement) -> dict[str, Any]:
    """What a reader needs to know of a requirement, and of where it holds."""
    return {
        "id": row.id,
        "suite": row.suite,
        "protocol": row.protocol,
        "level": row.level.value,
        "versions": list(row.versions),
        "bindings": list(row.bindings),
        "spec": row.spec,
        "title": row.title,
    }


def described(started: RunStarted) -> dict[str, Any]:
    """What was run, with what and against whom."""
    return {
        "seatrial": version("seatrial"),
        "target": {"name": started.target, "address": started.address, "server": started.server},
        "options": {**started.options, "seed": started.seed, "evidence": started.evidence},
    }


def _summary(run: Run) -> dict[str, Any]:
    return {
        "cases": len(run.started.cases),
        "verdicts": {verdict.value: count for verdict, count in counts(run.results).items()},
        "seconds": round(run.seconds, 3),
        "complete": run.complete,
        "failure": run.failure,
        "stopped": run.stopped,
        "accepted": sum(bool(result.accepted) for result in run.results),
        "baseline": [asdict(problem) for problem in run.problems],
        "scores": [asdict(score) for score in scores(run)],
    }
