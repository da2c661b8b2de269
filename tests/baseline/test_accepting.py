"""What a baseline accepts, and which of its entries are out of date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from seatrial.baseline import AcceptedFailure, Baseline
from seatrial.grading import BROKEN
from seatrial.matrix import Exit, Policy, exit_code
from seatrial.model import Acceptance, Result, Verdict

from .results import BINDINGS, CHECKS, RUNS, VERSIONS, case, failed, result

TODAY = date(2026, 12, 1)
WHY = Acceptance("a repair is under way", "the shop team", date(2027, 1, 31))
ENTRY = AcceptedFailure(
    target="shop",
    check=CHECKS[0],
    requirement="a.must",
    versions=VERSIONS[:1],
    bindings=BINDINGS[:1],
    reason=WHY.reason,
    owner=WHY.owner,
    expires=WHY.expires,
    place="seatrial.baseline.toml:3: accepted.1",
)
ELSEWHERE = case(CHECKS[0], VERSIONS[1], BINDINGS[1])


def baseline(*entries: AcceptedFailure) -> Baseline:
    return Baseline(entries or (ENTRY,), TODAY)


def accepts(entry: AcceptedFailure, found: Result) -> bool:
    return bool(baseline(entry).applied(found).accepted)


def problems(found: Sequence[Result], *entries: AcceptedFailure, whole: bool = True) -> list[str]:
    return [str(problem) for problem in baseline(*entries).problems(found, whole)]


def code(found: Sequence[Result], *entries: AcceptedFailure, strict: bool = False) -> Exit:
    policy = Policy(baseline=baseline(*entries), strict=strict)
    return exit_code([policy.applied(each) for each in found], policy)


def test_an_accepted_failure_keeps_its_verdict_and_says_who_why_and_until_when() -> None:
    told = baseline().applied(failed())
    assert (told.verdict, told.accepted) == (Verdict.FAIL, (WHY,))
    assert code([failed()]) is Exit.WELL


@pytest.mark.parametrize(
    "changed",
    [
        {"target": "depot"},
        {"check": CHECKS[1]},
        {"requirement": "a.should"},
        {"versions": VERSIONS[1:]},
        {"bindings": BINDINGS[1:]},
        {"verdict": Verdict.WARN},
        {"expires": date(2026, 11, 30)},
    ],
    ids=str,
)
def test_an_entry_about_something_else_accepts_nothing(changed: dict[str, object]) -> None:
    assert accepts(ENTRY, failed())
    assert not accepts(replace(ENTRY, **changed), failed())  # type: ignore[arg-type]


def test_an_entry_that_names_no_requirement_version_or_binding_is_about_all() -> None:
    wide = replace(ENTRY, requirement="", versions=(), bindings=())
    assert accepts(wide, failed(of=ELSEWHERE))
    assert not accepts(ENTRY, failed(of=ELSEWHERE))


def test_an_entry_counts_on_its_last_day() -> None:
    assert accepts(replace(ENTRY, expires=TODAY), failed())


def test_an_entry_for_a_fail_accepts_the_warn_of_that_requirement() -> None:
    warned = result(Verdict.WARN, "a.should")
    assert accepts(replace(ENTRY, requirement="a.should"), warned)
    assert code([warned], replace(ENTRY, requirement="a.should"), strict=True) is Exit.WELL
    assert code([warned], strict=True) is Exit.BROKEN


def test_what_breaks_more_than_is_accepted_is_not_accepted() -> None:
    worse = failed("a.must", "a.should")
    assert not accepts(ENTRY, worse)
    assert code([worse]) is Exit.BROKEN
    both = baseline(ENTRY, replace(ENTRY, requirement="a.should"))
    assert both.applied(worse).accepted == (WHY,)


@pytest.mark.parametrize("verdict", [Verdict.INCONCLUSIVE, Verdict.ERROR])
def test_nothing_hides_what_could_not_be_judged(verdict: Verdict) -> None:
    wide = replace(ENTRY, requirement="")
    assert not accepts(wide, result(verdict))
    assert code([result(verdict)], wide) is Exit.UNJUDGED


def test_an_acceptance_of_an_earlier_run_does_not_outlive_its_entry() -> None:
    earlier = baseline().applied(failed())
    assert Baseline().applied(earlier).accepted == ()


def test_an_entry_whose_check_holds_now_is_stale_and_fails_the_run() -> None:
    (told,) = problems([result(Verdict.PASS)])
    assert told.startswith("seatrial.baseline.toml:3: accepted.1 is stale: shop/a.first[2025-11-25,stdio] holds now")
    assert "seatrial baseline prune" in told
    assert code([result(Verdict.PASS)]) is Exit.BROKEN


@pytest.mark.parametrize(
    "found",
    [
        [],
        [failed()],
        [result(Verdict.PASS, of=ELSEWHERE)],
        [result(Verdict.INCONCLUSIVE)],
        [result(Verdict.ERROR)],
        [result(Verdict.NOT_APPLICABLE)],
        [result(Verdict.PASS, noted=("a.must",))],
        [result(Verdict.PASS), failed(of=replace(case(), column=replace(case().column, profile="benign")))],
    ],
    ids=["not run", "fails", "elsewhere", "unjudged", "in error", "not claimed", "noted", "under faults"],
)
def test_an_entry_is_not_stale_where_nobody_saw_its_check_hold(found: list[Result]) -> None:
    assert problems(found) == []


def test_an_entry_of_two_versions_is_stale_in_the_one_that_holds() -> None:
    entry = replace(ENTRY, versions=VERSIONS)
    found = [failed(), result(Verdict.PASS, of=case(version=VERSIONS[1]))]
    (told,) = problems(found, entry)
    assert "[2026-07-28,stdio] holds now" in told
    assert baseline(entry).pruned(found) == ((ENTRY,),)


def test_an_entry_without_versions_is_stale_only_when_no_version_fails() -> None:
    entry = replace(ENTRY, versions=(), bindings=())
    holds = [result(Verdict.PASS), result(Verdict.PASS, of=ELSEWHERE)]
    assert len(problems(holds, entry)) == 1
    assert problems([holds[0], failed(of=ELSEWHERE)], entry) == []


def test_a_run_that_left_cases_out_makes_stale_only_what_it_saw_whole() -> None:
    assert len(problems([result(Verdict.PASS)], whole=False)) == 1
    assert problems([result(Verdict.PASS)], replace(ENTRY, versions=()), whole=False) == []
    monitored = replace(case(), check=replace(case().check, monitor=True))
    assert problems([result(Verdict.PASS, of=monitored)], whole=False) == []


def test_a_failure_of_chance_is_never_stale() -> None:
    assert problems([result(Verdict.PASS)], replace(ENTRY, chance=True)) == []


def test_an_expired_entry_fails_the_run_that_is_about_it() -> None:
    entry = replace(ENTRY, expires=date(2026, 11, 30))
    (told,) = problems([failed()], entry)
    assert "expired on 2026-11-30" in told
    assert "the shop team" in told
    assert code([result(Verdict.PASS)], entry) is Exit.BROKEN
    assert problems([result(Verdict.PASS, of=ELSEWHERE)], entry) == []


def test_cells_with_the_same_failure_share_an_entry() -> None:
    columns = [(VERSIONS[0], BINDINGS[0]), (VERSIONS[1], BINDINGS[0]), (VERSIONS[1], BINDINGS[1])]
    found = [failed(of=case(CHECKS[0], *column)) for column in columns]
    entries = Baseline((), TODAY).missing(found, BROKEN, WHY)
    assert [(entry.versions, entry.bindings) for entry in entries] == [
        (VERSIONS, BINDINGS[:1]),
        (VERSIONS[1:], BINDINGS[1:]),
    ]


@given(RUNS)
def test_the_entries_that_are_missing_accept_all_that_is_broken_and_nothing_else(found: list[Result]) -> None:
    whole = Baseline(tuple(Baseline((), TODAY).missing(found, BROKEN, WHY)), TODAY)
    for told in map(whole.applied, found):
        assert bool(told.accepted) == (told.verdict in BROKEN)
    assert whole.missing(found, BROKEN, WHY) == []
    assert whole.problems(found) == ()


@given(RUNS, RUNS)
def test_pruning_takes_what_is_stale_and_no_more(first: list[Result], second: list[Result]) -> None:
    before = Baseline(tuple(Baseline((), TODAY).missing(first, BROKEN, WHY)), TODAY)
    after = Baseline(tuple(entry for left in before.pruned(second) for entry in left), TODAY)
    assert after.problems(second) == ()
    assert list(map(after.applied, second)) == list(map(before.applied, second))
    assert bool(before.problems(second)) == (after.entries != before.entries)
