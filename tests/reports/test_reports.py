"""Reports: complete, valid in their format, and safe whatever the target says."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from seatrial.events import Event, RunFinished
from seatrial.reports.console import ConsoleReporter
from seatrial.reports.github import GithubReporter
from seatrial.reports.github_summary import GithubSummaryReporter
from seatrial.reports.json_report import JsonReporter
from seatrial.reports.jsonl import JsonlReporter
from seatrial.reports.junit import JunitReporter
from seatrial.reports.markdown import MarkdownReporter
from seatrial.reports.reporter import Reporter
from seatrial.reports.sarif import SarifReporter

from .report_samples import EVIL, RESULTS, STARTED, events, report

Make = Callable[[io.StringIO], Reporter]
ALL = (
    ConsoleReporter,
    JsonReporter,
    JsonlReporter,
    JunitReporter,
    MarkdownReporter,
    SarifReporter,
    GithubReporter,
    GithubSummaryReporter,
)
INTERRUPTED = events()[:6]
UNREACHABLE: list[Event] = [STARTED, RunFinished((), 0.1, True, "http://127.0.0.1:1/ refuses the connection")]


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("of", [events(), INTERRUPTED, UNREACHABLE, []])
def test_no_control_character_of_the_target_reaches_a_report(make: Make, of: list[Event]) -> None:
    written = report(make, of)
    assert not any(character in written for character in "\x1b\x07\u202e\x00")


def test_what_the_target_says_is_kept_in_the_json_report() -> None:
    found = json.loads(report(JsonReporter, events()))
    assert found["findings"][0]["actual"] == f"work went on: {EVIL}"


@pytest.mark.parametrize("of", [events(), INTERRUPTED, UNREACHABLE, []])
def test_the_json_report_has_the_documented_shape(of: list[Event]) -> None:
    schema = json.loads(resources.files("seatrial.reports").joinpath("report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(report(JsonReporter, of)), schema)


def test_the_schema_refuses_a_finding_without_a_verdict() -> None:
    schema = json.loads(resources.files("seatrial.reports").joinpath("report.schema.json").read_text())
    found = json.loads(report(JsonReporter, events()))
    del found["findings"][0]["verdict"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema)


def test_the_json_report_has_one_finding_per_case_and_counts_them() -> None:
    found = json.loads(report(JsonReporter, events()))
    assert [item["case"] for item in found["findings"]] == [result.case.id for result in RESULTS]
    assert found["summary"]["verdicts"] == {
        "FAIL": 2,
        "ERROR": 1,
        "INCONCLUSIVE": 1,
        "WARN": 1,
        "PASS": 2,
        "NOT_APPLICABLE": 1,
    }
    assert found["summary"]["complete"] is True


def test_an_interrupted_run_says_so_in_every_format() -> None:
    said = "interrupted: 6 of 8 cases were not judged"
    for make in (ConsoleReporter, JunitReporter, MarkdownReporter):
        assert said in report(make, INTERRUPTED)
    assert json.loads(report(JsonReporter, INTERRUPTED))["summary"]["complete"] is False


def test_an_unreachable_target_is_one_finding() -> None:
    for make in ALL:
        assert report(make, UNREACHABLE).count("refuses the connection") == 1


def test_jsonl_is_written_as_it_happens() -> None:
    out = io.StringIO()
    reporter = JsonlReporter(out)
    for number, event in enumerate(events(), start=1):
        reporter.handle(event)
        assert len(out.getvalue().splitlines()) == number
    kinds = [json.loads(line)["event"] for line in out.getvalue().splitlines()]
    assert kinds[0] == "run-started"
    assert kinds[-1] == "run-finished"
    assert kinds.count("case-finished") == len(RESULTS)


def test_the_rerun_command_names_the_case_before_a_spawned_command() -> None:
    started = replace(STARTED, options={"command": ["seatrial", "run", "--", "python", "my server.py"]})
    told: list[Event] = [started, *events()[1:]]
    found = json.loads(report(JsonReporter, told))
    assert found["findings"][0]["rerun"] == (
        "seatrial run --check mcp.can.stops-work --protocol-version 2025-06-18 --binding stdio "
        "--faults none --seed 7 -- python 'my server.py'"
    )


class TestJunit:
    """The shape that CI servers read: testsuites > testsuite > testcase > one outcome."""

    ATTRIBUTES = {  # noqa: RUF012
        "testsuites": {"name", "tests", "failures", "errors", "time"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
        "testcase": {"name", "classname", "time"},
        "failure": {"message", "type"},
        "error": {"message", "type"},
        "skipped": {"message", "type"},
        "system-out": set[str](),
    }
    CHILDREN = {  # noqa: RUF012
        "testsuites": {"testsuite"},
        "testsuite": {"testcase"},
        "testcase": {"failure", "error", "skipped", "system-out"},
    }

    @pytest.mark.parametrize("of", [events(), INTERRUPTED, UNREACHABLE, []])
    def test_every_element_and_attribute_is_known(self, of: list[Event]) -> None:
        root = ElementTree.fromstring(report(JunitReporter, of))
        assert root.tag == "testsuites"
        for element in root.iter():
            assert set(element.attrib) == self.ATTRIBUTES[element.tag]
            assert {child.tag for child in element} <= self.CHILDREN.get(element.tag, set())

    def test_the_counts_are_those_of_the_cases(self) -> None:
        root = ElementTree.fromstring(report(JunitReporter, events()))
        assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "2", "1")
        for suite in root:
            assert suite.get("tests") == str(len(suite))
            assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))

    def test_verdicts_become_outcomes(self) -> None:
        root = ElementTree.fromstring(report(JunitReporter, events()))
        outcomes = [[child.tag for child in case] for case in root.iter("testcase")]
        passed: list[str] = []
        assert outcomes == [
            ["failure"],
            ["failure"],
            ["system-out"],
            ["skipped"],
            passed,
            ["error"],
            ["system-out"],
            ["skipped"],
        ]

    def test_an_unjudged_case_gives_its_reason(self) -> None:
        root = ElementTree.fromstring(report(JunitReporter, events()))
        skipped = [case.attrib for case in root.iter("skipped")]
        assert skipped[0] == {"type": "no-stimulus", "message": "no stimulus plays slow"}


def test_the_example_in_the_documentation_has_the_documented_shape() -> None:
    text = (Path(__file__).parents[2] / "docs/report.md").read_text("utf-8")
    example = text.split("```json\n")[1].split("```")[0]
    schema = json.loads(resources.files("seatrial.reports").joinpath("report.schema.json").read_text())
    jsonschema.validate(json.loads(example), schema)
