"""How much of a suite holds, as one figure."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest
from seatrial.events import Event, RunFinished, RunStarted
from seatrial.model import Acceptance, Case, Level, Reason, Requirement, Result, Verdict, Violation
from seatrial.reports.console import ConsoleReporter
from seatrial.reports.json_report import JsonReporter
from seatrial.reports.markdown import MarkdownReporter
from seatrial.reports.reporter import Run
from seatrial.reports.score import CAP, Score, remarks, scored, scores

from .report_samples import HTTP, case, report, requirement

MUST = tuple(requirement(f"t.must-{number}") for number in range(3))
SHOULD = tuple(requirement(f"t.should-{number}", Level.SHOULD) for number in range(4))
MAY = requirement("t.may", Level.MAY)


def passed(*rows: Requirement) -> list[Result]:
    return [Result(case(row), Verdict.PASS) for row in rows]


def broken(row: Requirement, verdict: Verdict, *more: Requirement) -> Result:
    """A case about these rows that breaks the first."""
    about = replace(case(row), rows=(row, *more))
    return Result(about, verdict, violations=(Violation("this", "that", (), row.id, verdict is Verdict.WARN),))


def unjudged(row: Requirement) -> Result:
    return Result(case(row), Verdict.INCONCLUSIVE, Reason.DEADLINE)


def score(*results: Result) -> Score | None:
    return scored("shop", "cancellation", results)


@pytest.mark.parametrize(
    ("results", "value"),
    [
        (passed(*MUST, *SHOULD), 100),
        ([*passed(*MUST, *SHOULD[1:]), broken(SHOULD[0], Verdict.WARN)], 92),
        ([*passed(*MUST[1:], *SHOULD), broken(MUST[0], Verdict.FAIL)], CAP),
        ([broken(row, Verdict.FAIL) for row in MUST], 0),
        ([*passed(SHOULD[0]), *(broken(row, Verdict.FAIL) for row in MUST)], 10),
        ([*passed(*MUST[1:]), broken(MUST[0], Verdict.WARN)], 85),
    ],
    ids=["all", "a SHOULD", "a MUST caps", "no MUST", "below the cap", "an ambiguous MUST counts as a SHOULD"],
)
def test_a_score_is_the_share_of_what_holds_by_weight(results: list[Result], value: int) -> None:
    found = score(*results)
    assert found is not None
    assert (found.value, found.judged) == (value, 100)
    assert found.capped == any(result.verdict is Verdict.FAIL for result in results)


def test_a_hundred_is_for_a_suite_without_any_failure() -> None:
    many = passed(*(requirement(f"t.must-{number}") for number in range(200)))
    found = score(*many, broken(SHOULD[0], Verdict.WARN))
    assert found is not None and found.value == 99


def test_what_is_allowed_or_does_not_apply_does_not_count() -> None:
    absent = Result(case(MUST[1]), Verdict.NOT_APPLICABLE, Reason.CAPABILITY_ABSENT)
    noted = Result(case(MAY), Verdict.PASS, notes=(Violation("", "odd", (), MAY.id),))
    assert score(*passed(MUST[0]), absent, noted) == Score("shop", "cancellation", 100, 100)
    assert score(absent, noted) is None


def test_a_requirement_counts_once_in_a_column_and_as_broken_if_any_case_breaks_it() -> None:
    twice = [*passed(MUST[0]), *passed(MUST[0])]
    assert score(*twice, broken(SHOULD[0], Verdict.WARN)) == Score("shop", "cancellation", 75, 100)
    assert score(*twice, broken(MUST[0], Verdict.FAIL)) == Score("shop", "cancellation", 0, 100, True)
    twice_broken = (broken(MUST[0], Verdict.FAIL), broken(MUST[0], Verdict.WARN))
    assert score(*passed(MUST[1]), *twice_broken) == Score("shop", "cancellation", 50, 100, True)
    elsewhere = Result(case(MUST[0], HTTP), Verdict.PASS)
    assert score(elsewhere, broken(MUST[0], Verdict.FAIL)) == Score("shop", "cancellation", 50, 100, True)


def test_what_else_is_in_a_broken_case_is_not_taken_to_hold() -> None:
    assert score(broken(MUST[0], Verdict.FAIL, *MUST[1:])) == Score("shop", "cancellation", 0, 100, True)


def test_a_failure_that_belongs_to_no_requirement_counts_as_its_check() -> None:
    died = Result(case(MUST[0]), Verdict.WARN, Reason.TARGET_UNHEALTHY, violations=(Violation("it lives", "it died"),))
    found = score(*passed(*MUST[1:]), died)
    assert found is not None and found.value == 85


def test_what_is_accepted_is_broken_all_the_same() -> None:
    known = replace(broken(MUST[0], Verdict.FAIL), accepted=(Acceptance("r", "o", date(2027, 1, 31)),))
    assert score(known) == Score("shop", "cancellation", 0, 100, True)


def test_there_is_none_where_too_little_was_judged() -> None:
    enough = score(*passed(*MUST), unjudged(SHOULD[0]))
    assert enough == Score("shop", "cancellation", 100, 75)
    less = score(*passed(*MUST[:2]), unjudged(SHOULD[0]))
    assert less == Score("shop", "cancellation", None, 66)
    assert list(remarks([less])) == ["No score where less than 75 % could be judged: cancellation 66 %"]


def run(results: list[Result], complete: bool = True, failure: str = "", **options: object) -> Run:
    cases: tuple[Case, ...] = tuple(result.case for result in results)
    found = Run()
    found.take(RunStarted("shop", "http://127.0.0.1:1/", 7, cases, {row.id: row for row in MUST}, options=options))
    found.take(RunFinished(tuple(results), 1.0, complete, failure))
    return found


WHOLE = passed(*MUST)


def test_a_whole_run_has_a_score_for_each_suite_and_target() -> None:
    other = [replace(result, case=replace(result.case, target="depot")) for result in WHOLE[:1]]
    found = scores(run([*WHOLE, *other]))
    assert [(each.target, each.suite, each.value) for each in found] == [
        ("shop", "cancellation", 100),
        ("depot", "cancellation", 100),
    ]


@pytest.mark.parametrize(
    "less",
    [
        run(WHOLE, complete=False),
        run(WHOLE, failure="depot: http://127.0.0.1:2/ refuses the connection"),
        run(WHOLE, partial=True),
        run(WHOLE, shard="1/4"),
    ],
    ids=["interrupted", "unreachable", "selected", "shard"],
)
def test_less_than_a_whole_run_has_none(less: Run) -> None:
    assert scores(less) == ()


def test_reports_show_it_beside_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    found = run([*passed(*MUST[1:]), broken(MUST[0], Verdict.FAIL)])
    assert found.finished is not None
    events: list[Event] = [found.started, found.finished]
    console = report(ConsoleReporter, events)
    assert next(line for line in console.splitlines() if line.startswith("cancellation")).split()[-1] == str(CAP)
    assert "Score: at most 59 where a MUST is broken: cancellation" in console
    assert "| shop | cancellation | 59 | 100 % |" in report(MarkdownReporter, events)
    told = json.loads(report(JsonReporter, events))["summary"]["scores"]
    assert told == [{"target": "shop", "suite": "cancellation", "value": CAP, "judged": 100, "capped": True}]
