"""Cases that are run several times, runs that stop early, and cases that come first."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import anyio
import pytest
from seatrial.labs import McpLab
from seatrial.matrix import Policy
from seatrial.model import Level, Reason, Result, Verdict, Violation
from seatrial.registry import check, suite

from ..sailing import sail
from .declare import HTTP, D, row, suite_of

BROKEN = Violation("it holds", "it is broken")


class Deck:
    """Checks that note when they are run, and fail when they are told to. `log`: their numbers, in the order.

    Each takes `lasts` seconds longer than the one before it.
    """

    def __init__(
        self, failing: Iterable[int] = (), level: Level = Level.MUST, patience: float = 0.0, lasts: float = 0.0
    ) -> None:
        self.failing, self.level, self.patience, self.lasts = set(failing), level, patience, lasts
        self.log: list[int] = []

    def body(self, number: int) -> Callable[[McpLab], object]:
        async def played(lab: McpLab) -> None:
            self.log.append(number)
            await anyio.sleep(self.lasts * number)
            lab.expect(BROKEN if number in self.failing else None)

        return played

    def sail(self, concurrency: int = 1, **options: object) -> tuple[Result, ...]:
        rows = [row(f"t.c{number}", self.level) for number in range(6)]
        checks = [check(rows[number].id, "It holds", patience=self.patience)(self.body(number)) for number in range(6)]
        return sail(
            None, [suite("t", checks, rows)], versions=(D,), bindings=(HTTP,), concurrency=concurrency, **options
        )


def test_every_case_is_run_as_often_as_is_asked() -> None:
    deck = Deck()
    results = deck.sail(repeat=3)
    assert sorted(deck.log) == sorted([*range(6)] * 3)
    assert {result.verdict for result in results} == {Verdict.PASS}
    assert not any(result.notes for result in results)


def test_a_case_that_fails_sometimes_is_flaky_and_has_its_worst_verdict() -> None:
    turns = iter((None, BROKEN, None, None))

    async def body(lab: McpLab) -> None:
        lab.expect(next(turns))

    (result,) = sail(None, [suite_of(body)], versions=(D,), bindings=(HTTP,), repeat=4)
    assert result.verdict is Verdict.FAIL
    assert [note.actual for note in result.notes] == ["flaky: of 4 times FAIL 1, PASS 3"]


@pytest.mark.parametrize(("maxfail", "run"), [(1, 2), (2, 4), (3, 6), (0, 6)])
def test_a_run_ends_after_so_many_failures(maxfail: int, run: int) -> None:
    deck = Deck(failing=(1, 3))
    results = deck.sail(maxfail=maxfail)
    assert deck.log == list(range(run))
    assert [result.reason for result in results].count(Reason.INTERRUPTED) == 6 - run
    for result in results[run:]:
        assert result.verdict is Verdict.INCONCLUSIVE
        assert result.detail == f"the run stopped after {maxfail} failure{'s' if maxfail > 1 else ''}"


def test_cases_that_are_under_way_when_a_run_stops_come_to_their_end() -> None:
    deck = Deck(failing=(0,), lasts=10.0)
    results = deck.sail(concurrency=3, maxfail=1)
    assert sorted(deck.log) == [0, 1, 2]
    assert [result.verdict for result in results[:3]] == [Verdict.FAIL, Verdict.PASS, Verdict.PASS]
    assert {result.reason for result in results[3:]} == {Reason.INTERRUPTED}


def test_a_warning_ends_a_run_only_where_it_is_a_failure() -> None:
    lenient, strict = Deck(failing=(1,), level=Level.SHOULD), Deck(failing=(1,), level=Level.SHOULD)
    lenient.sail(maxfail=1)
    strict.sail(maxfail=1, policy=Policy(strict=True))
    assert (len(lenient.log), len(strict.log)) == (6, 2)


@pytest.mark.parametrize("patience", [0.0, 5.0])
def test_what_failed_last_time_comes_first(patience: float) -> None:
    deck = Deck(patience=patience)
    deck.sail(first=frozenset({f"mcp/t.c{number}[{D},{HTTP},none]" for number in (2, 4)}))
    assert deck.log == [2, 4, 0, 1, 3, 5]
