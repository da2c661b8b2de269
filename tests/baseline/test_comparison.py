"""What changed from one run to another."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from seatrial.comparison import Change, ChangeKind, changes
from seatrial.model import Acceptance, Result, Verdict

from .results import CHECKS, JUDGED, RUNS, case, failed, result

REGRESSION, ACCEPTED, IMPROVEMENT, NEW, GONE = ChangeKind
FAIL, ERROR, INCONCLUSIVE, WARN, PASS, NOT_APPLICABLE = Verdict


def of(verdict: Verdict | None) -> list[Result]:
    """A run of one case, or of none."""
    broken = {FAIL: ("a.must",), WARN: ("a.should",)}
    return [] if verdict is None else [result(verdict, *broken.get(verdict, ()))]


def kind(base: Verdict | None, head: Verdict | None, strict: bool = False) -> ChangeKind | None:
    found = changes(of(base), of(head), strict)
    return found[0].kind if found else None


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (PASS, FAIL, REGRESSION),
        (PASS, WARN, REGRESSION),
        (WARN, FAIL, REGRESSION),
        (PASS, INCONCLUSIVE, REGRESSION),
        (WARN, ERROR, REGRESSION),
        (FAIL, INCONCLUSIVE, REGRESSION),
        (FAIL, ERROR, REGRESSION),
        (PASS, NOT_APPLICABLE, REGRESSION),
        (FAIL, NOT_APPLICABLE, REGRESSION),
        (INCONCLUSIVE, FAIL, REGRESSION),
        (INCONCLUSIVE, ERROR, REGRESSION),
        (NOT_APPLICABLE, FAIL, REGRESSION),
        (None, FAIL, REGRESSION),
        (FAIL, WARN, IMPROVEMENT),
        (FAIL, PASS, IMPROVEMENT),
        (INCONCLUSIVE, PASS, IMPROVEMENT),
        (INCONCLUSIVE, WARN, IMPROVEMENT),
        (ERROR, INCONCLUSIVE, IMPROVEMENT),
        (None, PASS, NEW),
        (None, WARN, NEW),
        (None, INCONCLUSIVE, NEW),
        (NOT_APPLICABLE, PASS, NEW),
        (PASS, None, GONE),
        (FAIL, None, GONE),
        (INCONCLUSIVE, NOT_APPLICABLE, GONE),
        (NOT_APPLICABLE, None, None),
        (None, NOT_APPLICABLE, None),
    ],
)
def test_a_change_of_verdict_has_one_kind(base: Verdict | None, head: Verdict | None, expected: ChangeKind) -> None:
    assert kind(base, head) is expected


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (None, INCONCLUSIVE, REGRESSION),
        (None, ERROR, REGRESSION),
        (NOT_APPLICABLE, INCONCLUSIVE, REGRESSION),
        (PASS, None, REGRESSION),
        (INCONCLUSIVE, None, GONE),
        (None, PASS, NEW),
        (INCONCLUSIVE, INCONCLUSIVE, None),
    ],
)
def test_strict_wants_all_of_it_judged(base: Verdict | None, head: Verdict | None, expected: ChangeKind | None) -> None:
    assert kind(base, head, strict=True) is expected


def test_another_requirement_that_the_same_case_breaks_is_a_regression() -> None:
    (change,) = changes([failed("a.must")], [failed("a.must", "a.should")])
    assert (change.kind, change.newly_broken) == (REGRESSION, ("a.should",))
    (change,) = changes([failed("a.must", "a.should")], [failed("a.must")])
    assert (change.kind, change.newly_broken) == (IMPROVEMENT, ())


def test_the_same_failure_in_other_words_is_no_change() -> None:
    said = failed().violations[0]
    other = replace(failed(), violations=(replace(said, actual="something else", records=(99,)),), seconds=9.0)
    assert changes([failed()], [other]) == ()


def test_what_the_baseline_accepts_is_worse_but_no_regression() -> None:
    why = Acceptance("known", "me", date(2027, 1, 31))
    assert [c.kind for c in changes(of(PASS), [replace(failed(), accepted=(why,))])] == [ACCEPTED]


def test_cases_of_the_same_check_are_compared_by_column_and_target() -> None:
    other = case(target="depot")
    found = changes([failed(), result(PASS, of=other)], [failed(), failed(of=other)])
    assert [change.case for change in found] == [other.id]


def test_regressions_come_first() -> None:
    second = case(CHECKS[1])
    found = changes([failed(of=case())], [result(PASS), failed(of=second)])
    assert [(change.kind, change.case) for change in found] == [(REGRESSION, second.id), (IMPROVEMENT, case().id)]


@given(RUNS)
def test_a_run_does_not_differ_from_itself(run: list[Result]) -> None:
    assert changes(run, run) == changes(run, run, strict=True) == ()


def by_case(base: list[Result], head: list[Result], strict: bool = False) -> dict[str, Change]:
    found = changes(base, head, strict)
    assert len({change.case for change in found}) == len(found)
    return {change.case: change for change in found}


@given(RUNS, RUNS)
def test_no_new_fail_and_nothing_that_is_not_judged_any_more_is_overlooked(
    base: list[Result], head: list[Result]
) -> None:
    before, found = {each.case.id: each for each in base}, by_case(base, head)
    for now in head:
        then = before.get(now.case.id)
        new_fail = now.verdict is FAIL and (then is None or then.verdict is not FAIL)
        unjudged = then is not None and then.verdict in JUDGED and now.verdict not in JUDGED
        if new_fail or unjudged:
            assert found[now.case.id].kind is REGRESSION


@given(RUNS, RUNS)
def test_what_is_not_told_has_its_verdict_still(base: list[Result], head: list[Result]) -> None:
    before, after = ({each.case.id: each.verdict for each in run} for run in (base, head))
    for same in before.keys() & after.keys() - by_case(base, head).keys():
        assert before[same] is after[same]


@given(RUNS, RUNS)
def test_an_improvement_is_a_regression_the_other_way_round(base: list[Result], head: list[Result]) -> None:
    back = by_case(head, base)
    for change in by_case(base, head).values():
        if change.kind is IMPROVEMENT:
            assert back[change.case].kind is REGRESSION


@given(RUNS, RUNS)
def test_strict_finds_every_regression_too(base: list[Result], head: list[Result]) -> None:
    strict = by_case(base, head, strict=True)
    for change in by_case(base, head).values():
        assert change.kind is not REGRESSION or strict[change.case].kind is REGRESSION
