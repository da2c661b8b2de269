"""Shards of a run: every case in one of them, monitors in all, patience shared out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from seatrial.model import Case, Column, Exclusion, Reason
from seatrial.planning import Shard
from seatrial.registry import check

from .declare import HTTP, D, row

ROW = row()
EXCLUDED = Exclusion(Reason.NO_STIMULUS, "nothing plays")


def case(number: int, patience: float, monitor: bool, excluded: bool) -> Case:
    made = check(f"t.c{number}", "It holds", patience=patience, monitor=monitor)(lambda lab: None)
    return Case("t", made, Column(D, HTTP), (ROW,), EXCLUDED if excluded else None)


@st.composite
def plans(draw: st.DrawFn) -> list[Case]:
    kinds = st.tuples(st.sampled_from((0.0, 1.0, 5.0, 30.0)), st.booleans(), st.booleans())
    return [case(number, *kind) for number, kind in enumerate(draw(st.lists(kinds, max_size=40)))]


@given(plans(), st.integers(1, 7))
def test_every_case_is_in_one_shard_and_every_monitor_in_each(cases: list[Case], count: int) -> None:
    shares = [Shard(index, count).share(cases) for index in range(1, count + 1)]
    for each in cases:
        assert sum(each in share for share in shares) == (count if each.check.monitor else 1)
    for share in shares:
        assert [each for each in cases if each in share] == list(share), "in the planned order"


@given(plans(), st.integers(1, 7))
def test_what_is_run_and_what_it_waits_for_is_shared_out_evenly(cases: list[Case], count: int) -> None:
    shares = [Shard(index, count).share(cases) for index in range(1, count + 1)]
    for patience in (0.0, 1.0, 5.0, 30.0):
        sizes = [
            sum(c.check.patience >= patience and not (c.check.monitor or c.exclusion) for c in share)
            for share in shares
        ]
        assert max(sizes) - min(sizes) <= 1


def test_the_only_shard_is_the_whole() -> None:
    cases = [case(number, 0.0, monitor=number == 2, excluded=False) for number in range(4)]
    assert Shard(1, 1).share(cases) == tuple(cases)
    assert str(Shard(2, 3)) == "2/3"
