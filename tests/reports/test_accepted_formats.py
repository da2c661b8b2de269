"""What a baseline accepts fails nothing in any format, and an entry of it that is out of date does."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import junitparser
import pytest
from seatrial.events import BaselineProblem, Event, RunFinished
from seatrial.model import Acceptance, Result
from seatrial.reports.badge import BadgeJsonReporter
from seatrial.reports.github import GithubReporter
from seatrial.reports.github_summary import GithubSummaryReporter
from seatrial.reports.junit import JunitReporter

from .report_samples import RESULTS, STARTED, report

WHY = Acceptance("the gateway is replaced in spring", "team-shop", date(2027, 1, 31))
PASSED = RESULTS[4]
ACCEPTED = replace(RESULTS[0], accepted=(WHY,))
STALE = BaselineProblem("stale", "seatrial.baseline.toml:3: accepted.1", "is stale: it holds now")


def run(*results: Result, problems: tuple[BaselineProblem, ...] = ()) -> list[Event]:
    started = replace(STARTED, cases=tuple(result.case for result in results))
    return [started, RunFinished(results, 1.0, baseline=problems)]


def outcomes(of: list[Event]) -> dict[str, object]:
    """What a CI server reads of each test case."""
    read = junitparser.JUnitXml.fromstring(report(JunitReporter, of).encode("utf-8"))
    return {case.name: case.result[0] for suite in read for case in suite if case.result}


def badge(of: list[Event]) -> tuple[str, str]:
    told = json.loads(report(BadgeJsonReporter, of))
    return told["message"], told["color"]


def test_junit_skips_what_is_accepted_and_says_why() -> None:
    found = outcomes(run(PASSED, ACCEPTED))
    assert list(found) == [ACCEPTED.case.id]
    (skipped,) = found.values()
    assert isinstance(skipped, junitparser.Skipped)
    assert skipped.message == "by team-shop until 2027-01-31: the gateway is replaced in spring"


def test_junit_fails_an_entry_that_is_out_of_date() -> None:
    (failure,) = outcomes(run(PASSED, problems=(STALE,))).values()
    assert isinstance(failure, junitparser.Failure)
    assert (failure.type, failure.message) == ("stale", str(STALE))


def test_annotations_count_what_is_accepted_and_name_what_is_out_of_date() -> None:
    lines = report(GithubReporter, run(PASSED, ACCEPTED)).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::notice"]
    assert lines[0].endswith("::FAIL 1, PASS 1, accepted 1")
    first, *_ = report(GithubReporter, run(PASSED, problems=(STALE,))).splitlines()
    assert first.startswith("::error title=Seatrial baseline,")
    assert first.endswith(f"::{STALE}")


def test_the_summary_says_which_failure_is_accepted() -> None:
    written = report(GithubSummaryReporter, run(ACCEPTED, RESULTS[1]))
    assert written.count("<summary><b>FAIL</b>, accepted mcp.can.stops-work") == 1
    assert written.count("<summary><b>FAIL</b> mcp.can.stops-work") == 1


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (run(PASSED, ACCEPTED), "1/2 passed, 1 accepted"),
        (run(PASSED, ACCEPTED, RESULTS[1]), "1 failed, 1/3 passed, 1 accepted"),
        (run(PASSED, problems=(STALE,)), "baseline out of date"),
    ],
)
def test_the_badge_counts_it(of: list[Event], message: str) -> None:
    assert badge(of)[0] == message
    assert badge(of)[1] != badge(run(PASSED))[1]
