"""SARIF 2.1.0, for code scanning: each requirement that did not hold in a case is a result."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from seatrial import Level, Requirement, Verdict, Violation, clause_links

from .findings import Finding, Group, acceptance_text, configuration, finding, note_text, rows_used, unjudged
from .reporter import Run, WholeReporter
from .text import shortened, visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MESSAGE_LIMIT = 4000
"""Characters of one message; the JSON report has all of them."""

_LEVELS = {Level.MUST: "error", Level.SHOULD: "warning", Level.MAY: "note", Level.INFO: "note"}


class SarifReporter(WholeReporter):
    """One run, its rules the requirements. What Seatrial could not judge or did wrong itself is a notification."""

    def render(self, run: Run) -> str:
        return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(run)]}, indent=1) + "\n"


def _run(run: Run) -> dict[str, Any]:
    findings = [finding(result, run.started) for result in run.results]
    rows = rows_used(run.results, run.started)
    return {
        "tool": {"driver": {"name": "Seatrial", "version": version("seatrial"), "rules": [_rule(row) for row in rows]}},
        "automationDetails": {"id": f"seatrial/{visible(run.started.target)}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(run, findings)],
        "results": [_result(broken, run) for found in findings for broken in _broken(found)],
    }


def _rule(row: Requirement) -> dict[str, Any]:
    links = next(filter(None, (clause_links(row, each) for each in reversed(row.versions))), ())
    return {
        "id": row.id,
        "shortDescription": _message(row.title),
        "help": {"text": "\n".join((row.title, *links))},
        **({"helpUri": links[0]} if links else {}),
        "defaultConfiguration": {"level": _LEVELS[row.level]},
        "properties": {"tags": [row.protocol, row.suite, row.level.value]},
    }


@dataclass(frozen=True, slots=True)
class _Broken:
    """What a finding tells of one requirement. `rule` is its id, or that of the check where no row stands behind it."""

    found: Finding
    rule: str
    level: str
    told: tuple[Violation, ...]


def _broken(found: Finding) -> Iterator[_Broken]:
    for all_told, noted in ((found.violations, False), (found.notes, True)):
        rules: dict[str, list[Violation]] = {}
        for told in all_told:
            rules.setdefault(_rule_of(found, told), []).append(told)
        for rule, some in rules.items():
            yield _Broken(found, rule, "note" if noted else _level(found, rule, some), tuple(some))


def _rule_of(found: Finding, told: Violation) -> str:
    named = (row.id for row in found.clauses if told.requirement in (row.id, row.family))
    return next(named, found.clauses[0].id if found.clauses else found.check)


def _level(found: Finding, rule: str, told: Sequence[Violation]) -> str:
    """By the requirement; an ambiguous MUST is a warning."""
    level = next((_LEVELS[row.level] for row in found.clauses if row.id == rule), "warning")
    return "warning" if level == "error" and all(violation.soft for violation in told) else level


def _result(broken: _Broken, run: Run) -> dict[str, Any]:
    found = broken.found
    said = "; ".join(dict.fromkeys(map(_said, broken.told)))
    records = sorted({number for violation in broken.told for number in violation.records})
    return {
        "ruleId": broken.rule,
        "level": broken.level,
        "message": _message(f"{found.column}: {said}"),
        "locations": [_location(found, run)],
        "partialFingerprints": _fingerprints(broken),
        **({"suppressions": [_suppression(found)]} if found.accepted else {}),
        "properties": {"check": found.check, "verdict": found.verdict.value, "records": records, "rerun": found.rerun},
    }


def _suppression(found: Finding) -> dict[str, str]:
    """The baseline of this run says that the failure is accepted."""
    why = shortened(visible("; ".join(map(acceptance_text, found.accepted))), MESSAGE_LIMIT)
    return {"kind": "external", "status": "accepted", "justification": why}


def _said(told: Violation) -> str:
    if told.expected and told.actual:
        return f"expected: {told.expected}; actual: {told.actual}"
    return note_text(told)


def _location(found: Finding, run: Run) -> dict[str, Any]:
    """In the repository a finding is where the target is described: code scanning wants a file and a line."""
    artifact = {"uri": configuration(run.started)}
    return {
        "physicalLocation": {"artifactLocation": artifact, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": visible(found.case), "name": found.check, "kind": "member"}],
    }


def _fingerprints(broken: _Broken) -> dict[str, str]:
    """The same for the same requirement in the same case of every run, whatever the target said.

    Code scanning knows only the first name; without it all results of one rule would be one alert.
    """
    about = "\n".join((broken.found.case, broken.rule))
    digest = hashlib.sha256(about.encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return {"primaryLocationLineHash": f"{digest}:1", "requirementInCase/v1": digest}


def _invocation(run: Run, findings: Sequence[Finding]) -> dict[str, Any]:
    command = run.started.options.get("command", ())
    errors = [found for found in findings if found.verdict is Verdict.ERROR]
    told = [_notification("error", run.outcome)] if run.outcome else []
    told += [_notification("error", f"{found.case}: {found.detail or found.reason}") for found in errors]
    told += [_notification("note", _unjudged(group)) for group in unjudged(findings, Verdict.INCONCLUSIVE)]
    return {
        **({"commandLine": visible(shlex.join(command))} if command else {}),
        "executionSuccessful": not run.outcome and not errors,
        "toolExecutionNotifications": told,
        "toolConfigurationNotifications": [_notification("error", str(problem)) for problem in run.problems],
    }


def _unjudged(group: Group) -> str:
    first, number = group.first, len(group.findings)
    told = "; ".join(filter(None, (first.reason, first.detail, first.advice and f"add {first.advice}")))
    return f"{number} {'case' if number == 1 else 'cases'} not judged: {told}"


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": _message(text)}


def _message(text: str) -> dict[str, str]:
    """A text in which nothing is read as a link (SARIF 2.1.0 section 3.11.6)."""
    shown = shortened(visible(text), MESSAGE_LIMIT)
    return {"text": shown.replace("[", "\\[") if "](" in shown else shown}
