"""The merge lattice and the exit code."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.matrix import Exit, Policy, cells, exit_code, merged
from seatrial.model import Case, Column, Reason, Result, Verdict, Violation

from .conftest import CHECK, ROW

CASE = Case("t", CHECK, Column("2025-06-18", "stdio"), (ROW,))
MONITOR = replace(CASE, check=replace(CHECK, monitor=True))
verdicts = st.sampled_from(list(Verdict))


@given(st.lists(verdicts))
def test_a_cell_holds_the_strongest_verdict_whatever_the_order(found: list[Verdict]) -> None:
    results = [Result(CASE, verdict) for verdict in found]
    assert cells(results) == cells(reversed(results))
    for verdict in cells(results).values():
        assert verdict is Verdict.merge(found)


@given(verdicts, verdicts)
def test_merging_shards_is_symmetric(left: Verdict, right: Verdict) -> None:
    one, other = Result(CASE, left), Result(CASE, right)
    assert merged(one, other).verdict is merged(other, one).verdict is Verdict.merge((left, right))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_monitor_that_saw_nothing_yields(verdict: Verdict) -> None:
    blind = Result(MONITOR, Verdict.INCONCLUSIVE, Reason.NOTHING_SEEN)
    seeing = Result(MONITOR, verdict)
    assert merged(blind, seeing) is merged(seeing, blind) is seeing


@given(st.lists(verdicts), st.booleans())
def test_nothing_bad_is_hidden_by_anything_good(found: list[Verdict], strict: bool) -> None:
    code = exit_code([Result(CASE, verdict) for verdict in found], Policy(strict=strict))
    assert (code is Exit.BROKEN) == (Verdict.FAIL in found or (strict and Verdict.WARN in found))
    if {Verdict.ERROR, Verdict.INCONCLUSIVE} & set(found):
        assert code is not Exit.WELL


def test_a_note_counts_only_when_asked() -> None:
    noted = Result(CASE, Verdict.PASS, notes=(Violation("a", "b"),))
    assert Policy().applied(noted).verdict is Verdict.PASS
    assert Policy(strict_info=True).applied(noted).verdict is Verdict.WARN
    assert Policy(strict_info=True).applied(Result(CASE, Verdict.PASS)).verdict is Verdict.PASS
