"""What the HTML report knows of one case, as JSON for its script: all text safe to show, and bounded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seatrial import Evidence, Violation, clause_links, curl_line, incomplete

from .findings import Finding, acceptance_text
from .text import visible
from .timeline import Step, Timeline, timeline

TEXT = 4_000
"""Characters of one expectation, observation or detail; `report.json` has all of them."""
VIOLATIONS = 20
RECORDS = 60
"""So many violations, and numbers of records, are told of one case."""
CURL = 4_000
"""Characters of the longest request that is written for a shell."""


def as_data(found: Finding, evidence: Evidence | None, room: int) -> dict[str, Any]:
    """One finding with its timeline, in about `room` characters."""
    shown = timeline(found.case, found.records, evidence, room) if evidence else Timeline()
    requests = [line for record in shown.records if 0 < len(line := curl_line(record)) <= CURL]
    return {
        **_texts(found),
        "level": found.level,
        "verdict": found.verdict.value,
        "soft": any(violation.soft for violation in found.violations),
        "seconds": found.seconds,
        "clauses": [
            {"id": row.id, "level": row.level.value, "title": row.title, "links": clause_links(row, found.version)}
            for row in found.clauses
        ],
        "violations": _violations(found.violations),
        "notes": _violations(found.notes),
        "records": found.records[:RECORDS],
        "cited": len(found.records),
        "lanes": [lane.value for lane in shown.lanes],
        "steps": list(map(_step, shown.steps)),
        "total": shown.total,
        "rest": shown.rest,
        "curl": requests,
        "redacted": any(map(incomplete, requests)),
        "accepted": [_shown(acceptance_text(why)) for why in found.accepted],
    }


def _texts(found: Finding) -> dict[str, str]:
    texts = {
        "case": found.case,
        "check": found.check,
        "title": found.title,
        "suite": found.suite,
        "target": found.target,
        "column": found.column,
        "reason": found.reason,
        "detail": found.detail,
        "advice": found.advice,
        "rerun": found.rerun,
    }
    trace = {"traceback": "\n".join(map(visible, found.traceback[-TEXT:].splitlines()))} if found.traceback else {}
    return {name: _shown(text) for name, text in texts.items() if text} | trace


def _violations(found: Iterable[Violation]) -> list[dict[str, Any]]:
    """Equal ones once."""
    told = {(violation.expected, violation.actual): violation for violation in reversed(tuple(found))}
    return [
        {
            "expected": _shown(violation.expected),
            "actual": _shown(violation.actual),
            "requirement": violation.requirement,
        }
        for violation in reversed(told.values())
    ][:VIOLATIONS]


def _shown(text: str) -> str:
    """On one line, as it is, unless it is very long."""
    more = f"  [{len(text)} characters in all]" if len(text) > TEXT else ""
    return visible(text[:TEXT]) + more


def _step(step: Step) -> dict[str, Any]:
    """A step without what is not so."""
    told = {
        "record": step.record,
        "time": round(step.time, 3),
        "operation": step.operation,
        "shape": step.shape.value,
        "source": step.source.value,
        "goal": step.goal.value,
        "label": step.label,
        "cited": step.cited,
        "case": step.case,
        "head": step.head,
        "body": step.body,
        "size": step.size if step.size > len(step.body) else 0,
        "skipped": step.skipped,
    }
    return {name: value for name, value in told.items() if value}
