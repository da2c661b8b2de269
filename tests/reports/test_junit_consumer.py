"""JUnit as a real consumer reads it: whatever the target says, the cases and their outcomes are there."""

from __future__ import annotations

from dataclasses import replace

import junitparser
from hypothesis import given
from hypothesis import strategies as st
from seatrial.events import Event, RunFinished
from seatrial.model import Result
from seatrial.reports.junit import JunitReporter

from .report_samples import BROKEN, RESULTS, STARTED, events, report


def consumed(of: list[Event]) -> list[junitparser.TestCase]:
    """The test cases of all suites."""
    read = junitparser.JUnitXml.fromstring(report(JunitReporter, of).encode("utf-8"))
    assert isinstance(read, junitparser.JUnitXml)
    return [case for suite in read for case in suite]


def test_every_case_is_read_with_its_outcome() -> None:
    found = {case.name: [type(outcome) for outcome in case.result] for case in consumed(events())}
    skipped, failure, error = [junitparser.Skipped], [junitparser.Failure], [junitparser.Error]
    passed: list[type] = []
    assert list(found) == [result.case.id for result in sorted(RESULTS, key=lambda r: r.case.rows[0].suite)]
    assert list(found.values()) == [failure, failure, passed, skipped, passed, error, passed, skipped]


def test_the_counts_are_those_that_the_consumer_finds() -> None:
    read = junitparser.JUnitXml.fromstring(report(JunitReporter, events()).encode("utf-8"))
    told = (read.tests, read.failures, read.errors, round(read.time, 3))
    read.update_statistics()
    assert told == (read.tests, read.failures, read.errors, round(read.time, 3))


def test_an_unfinished_run_is_an_error_to_the_consumer() -> None:
    unreachable: list[Event] = [STARTED, RunFinished((), 0.1, True, "refused")]
    for of in (events()[:6], unreachable, []):
        assert any(isinstance(outcome, junitparser.Error) for case in consumed(of) for outcome in case.result)


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_of_a_target_breaks_the_file(text: str) -> None:
    violation = replace(BROKEN, expected=text, actual=text)
    broken: Result = replace(RESULTS[0], violations=(violation,), detail=text, traceback=text)
    (case,) = consumed([replace(STARTED, target=text), RunFinished((broken,), 1.0)])
    (outcome,) = case.result
    assert isinstance(outcome, junitparser.Failure)
    assert outcome.text.startswith("\nclause: MUST: The clause of mcp.can.stops-work holds.\n")
