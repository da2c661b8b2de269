"""A run that is over, read back from its JSON report: what was told of it, so that it can be told again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from .events import BaselineProblem, CaseFinished, Event, RunFinished, RunStarted
from .model import Acceptance, Case, Check, Column, Level, Reason, Requirement, Result, Verdict, Violation

FILE = "report.json"
SCHEMA = "report.schema.json"


class ReportError(Exception):
    """A report cannot be used. The text is one sentence that names the file and the remedy."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A run as its report tells it. `file` is the report, `version` the one of Seatrial that wrote it."""

    file: Path
    started: RunStarted
    finished: RunFinished
    version: str = ""

    @property
    def results(self) -> dict[str, Result]:
        """By id of the case."""
        return {result.case.id: result for result in self.finished.results}

    def events(self) -> Iterator[Event]:
        """The run once more, for reporters."""
        yield self.started
        total = len(self.finished.results)
        for done, result in enumerate(self.finished.results, start=1):
            yield CaseFinished(result, done, total)
        yield self.finished


def load(place: Path) -> Kept:
    """The run of a folder, or of a JSON report. Raises ReportError."""
    file = place / FILE if place.is_dir() else place
    report = _read(file)
    rows = {row["id"]: _row(row) for row in report["requirements"]}
    try:
        results = tuple(_result(found, rows) for found in report["findings"])
    except ValueError as error:
        raise ReportError(f"{file} is no report that Seatrial reads: {error}") from None
    target, summary = report["target"], report["summary"]
    options = {key: value for key, value in report["options"].items() if key not in ("seed", "evidence")}
    started = RunStarted(
        target=target["name"],
        address=target["address"],
        seed=report["options"]["seed"],
        cases=tuple(result.case for result in results),
        requirements=rows,
        server=target["server"],
        options=options,
        evidence=report["options"]["evidence"],
    )
    problems = tuple(_problem(told) for told in summary.get("baseline", ()))
    finished = RunFinished(
        results,
        summary["seconds"],
        summary["complete"],
        summary["failure"],
        summary.get("stopped", ""),
        problems,
    )
    return Kept(file, started, finished, report["seatrial"])


def _read(file: Path) -> Any:
    """A report that has the shape which is promised."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    try:
        report = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"{file} cannot be read: {error.strerror}; name a run's folder or its {FILE}") from None
    except ValueError as error:
        raise ReportError(f"{file} is not JSON ({error}); name a run's folder or its {FILE}") from None
    shape = json.loads(resources.files("seatrial.reports").joinpath(SCHEMA).read_text(encoding="utf-8"))
    if problem := best_match(Draft202012Validator(shape).iter_errors(report)):
        raise ReportError(f"{file} is no report that Seatrial reads: {problem.json_path}: {problem.message:.200}")
    return report


def _row(row: Mapping[str, Any]) -> Requirement:
    return Requirement(
        row["id"],
        row["suite"],
        row["protocol"],
        Level(row["level"]),
        tuple(row["versions"]),
        tuple(row["bindings"]),
        row["spec"],
        row["title"],
    )


def _problem(told: Mapping[str, Any]) -> BaselineProblem:
    return BaselineProblem(told["kind"], told["place"], told["text"])


def _result(found: Mapping[str, Any], rows: Mapping[str, Requirement]) -> Result:
    column = Column(found["version"], found["binding"], found["fault_profile"])
    check = Check(found["check"], found["title"], tuple(found["requirements"]), body=_no_body)
    holding = tuple(rows[name] for name in found["requirements"] if name in rows)
    return Result(
        Case(found["target"], check, column, holding),
        Verdict(found["verdict"]),
        Reason(found["reason"]) if found["reason"] else None,
        found["detail"],
        tuple(map(_violation, found["violations"])),
        tuple(map(_violation, found["notes"])),
        tuple(found["records"]),
        found["seconds"],
        found["traceback"],
        tuple(map(_acceptance, found.get("accepted", ()))),
    )


def _violation(told: Mapping[str, Any]) -> Violation:
    return Violation(told["expected"], told["actual"], tuple(told["records"]), told["requirement"], told["soft"])


def _acceptance(told: Mapping[str, Any]) -> Acceptance:
    return Acceptance(told["reason"], told["owner"], date.fromisoformat(told["expires"]))


def _no_body() -> None:
    """A check that was read from a report cannot be run again from there."""
