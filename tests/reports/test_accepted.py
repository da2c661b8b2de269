"""How reports tell what a baseline accepts, and what of it is out of date. JUnit, SARIF and the others: beside them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from seatrial.events import BaselineProblem, CaseFinished, Event, RunFinished
from seatrial.kept import load
from seatrial.model import Acceptance
from seatrial.reports.console import ConsoleReporter
from seatrial.reports.json_report import JsonReporter
from seatrial.reports.jsonl import JsonlReporter
from seatrial.reports.markdown import MarkdownReporter
from seatrial.reports.reporter import Reporter

from .report_samples import EVIL, RESULTS, STARTED, report

WHY = Acceptance(f"known {EVIL}", "the shop team", date(2027, 1, 31))
ACCEPTED = tuple(replace(result, accepted=(WHY,)) if n == 1 else result for n, result in enumerate(RESULTS))
PROBLEM = BaselineProblem("stale", "b.toml:3: accepted.1", "is stale: shop/mcp.x holds now")
EVENTS: list[Event] = [
    STARTED,
    *(CaseFinished(result, done, len(ACCEPTED)) for done, result in enumerate(ACCEPTED, 1)),
    RunFinished(ACCEPTED, 4.0, baseline=(PROBLEM,)),
]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")


def test_the_console_tells_it_after_what_is_not_accepted() -> None:
    written = report(ConsoleReporter, EVENTS)
    assert "FAIL, accepted shop/mcp.can.stops-work[2026-07-28,streamable-http,none]" in written
    assert 0 < written.index("\nFAIL mcp.can.stops-work") < written.index("\nFAIL accepted mcp.can.stops-work")
    assert "accepted by the shop team until 2027-01-31: known a\\x1b[31mred" in written
    assert "Baseline (fails the run)\n  b.toml:3: accepted.1 is stale: shop/mcp.x holds now\n" in written
    assert "NOT_APPLICABLE 1  accepted 1" in written


def test_markdown_tells_it() -> None:
    written = report(MarkdownReporter, EVENTS)
    assert "### FAIL mcp.can.stops-work\n" in written
    assert "### FAIL, accepted mcp.can.stops-work\n" in written
    assert "- accepted: by the shop team until 2027-01-31: known a" in written
    assert "- **stale** b.toml:3: accepted.1 is stale: shop/mcp.x holds now\n" in written


def test_json_tells_it_in_the_shape_that_is_promised() -> None:
    found = json.loads(report(JsonReporter, EVENTS))
    shape = json.loads(resources.files("seatrial.reports").joinpath("report.schema.json").read_text("utf-8"))
    jsonschema.validate(found, shape)
    assert [finding["accepted"] for finding in found["findings"]].count([]) == len(ACCEPTED) - 1
    assert found["findings"][1]["accepted"] == [
        {"reason": WHY.reason, "owner": "the shop team", "expires": "2027-01-31"}
    ]
    assert (found["summary"]["accepted"], found["summary"]["baseline"][0]["kind"]) == (1, "stale")


def test_the_stream_of_events_tells_it_as_it_happens() -> None:
    lines = [json.loads(line) for line in report(JsonlReporter, EVENTS).splitlines()]
    assert [bool(line["finding"]["accepted"]) for line in lines if line["event"] == "case-finished"].count(True) == 1
    assert lines[-1]["baseline"] == [{"kind": "stale", "place": PROBLEM.place, "text": PROBLEM.text}]


@pytest.mark.parametrize("make", [ConsoleReporter, MarkdownReporter, JsonReporter])
def test_a_run_that_is_read_back_tells_it_again(make: Callable[[io.StringIO], Reporter], tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(report(JsonReporter, EVENTS), encoding="utf-8")
    assert report(make, list(load(tmp_path).events())) == report(make, EVENTS)
