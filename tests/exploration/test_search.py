"""The search itself, against plays that are scripted: no target, no network."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from seatrial.exploration import Extent, Played, Regression, Search, Unplayable
from seatrial.faults import Fault, cut, events, octets
from seatrial.model import Case, Check, Column, Reason, Result, Role, Verdict, Violation
from seatrial.reach import Unreachable

Plan = tuple[Fault, ...]
SUBJECT = Regression(
    name="explored",
    target="shop",
    protocol="mcp",
    stimulus=Role.PROGRESS,
    version="2025-06-18",
    binding="streamable-http",
)
EXTENT = Extent("tools/call", events=6, octets=600, resumable=True)
CASE = Case("shop", Check("regression.explored", "", (), lambda: None), Column("2025-06-18", "streamable-http"), ())
HELD = Played(Result(CASE, Verdict.PASS))


def failed(expected: str, actual: str = "") -> Played:
    return Played(Result(CASE, Verdict.FAIL, violations=(Violation(expected, actual),)))


def search(script: Callable[[Plan], Played], **settings: int) -> Search:
    return Search(SUBJECT, EXTENT, lambda regression, seed: script(regression.plan), seed=1, **settings)


def place(plan: Plan) -> tuple[int, int]:
    """After how many events, and after how many bytes, the answer to the stimulus is cut; 0 where it is not."""
    first = plan[0]
    if not isinstance(first, cut):
        return 0, 0
    return (first.after.n, 0) if isinstance(first.after, events) else (0, getattr(first.after, "n", 0))


def test_bytes_are_told_as_whole_events_where_that_fails_too() -> None:
    """An event has a hundred bytes here: only what ends within the fifth fails."""
    found = search(
        lambda plan: failed("all comes") if place(plan)[0] == 4 or place(plan)[1] // 100 == 4 else HELD
    ).run()
    assert found is not None
    assert found.regression.faults == 'cut(on="tools/call", after=events(4), how=reset)'


def test_bytes_stay_where_whole_events_hold() -> None:
    found = search(lambda plan: failed("all comes") if place(plan)[1] > 250 else HELD).run()
    assert found is not None
    assert [fault.after for fault in found.regression.plan] == [octets(251)]


def test_one_fault_is_told_in_place_of_several_where_it_fails_too() -> None:
    found = search(lambda plan: failed("all comes") if len(plan) > 1 or place(plan)[0] == 5 else HELD).run()
    assert found is not None
    assert found.regression.faults == 'cut(on="tools/call", after=events(5), how=reset)'


def test_while_a_plan_is_made_smaller_its_invariant_stays_the_same() -> None:
    """What fails first is a loss after two events or more; the single place where order breaks is smaller."""

    def script(plan: Plan) -> Played:
        number = place(plan)[0]
        return failed("all comes", f"lost: {number}") if number > 1 else failed("in order") if number == 1 else HELD

    looked = search(script)
    looked.sought = "all comes"
    found = looked.run()
    assert found is not None
    assert (found.violation.expected, found.violation.actual) == ("all comes", "lost: 2")


def test_a_failure_that_does_not_come_again_is_flaky() -> None:
    played = set[Plan]()

    def once(plan: Plan) -> Played:
        again = plan in played
        played.add(plan)
        return HELD if again or place(plan)[0] != 2 else failed("all comes")

    found = search(once).run()
    assert found is not None
    assert (found.again, found.of, found.steady, found.regression.failed) == (0, 3, False, "0 of 3")


def test_nothing_is_played_when_the_time_is_over() -> None:
    now = iter(range(1000))
    looked = search(lambda plan: HELD, seconds=5)
    looked.clock = lambda: float(next(now))
    assert looked.run() is None
    assert 0 < len(looked.played) <= 5


def test_no_more_plans_are_played_than_were_asked_for() -> None:
    looked = search(lambda plan: HELD, examples=12)
    assert looked.run() is None
    assert 0 < len(looked.played) <= 12


def test_a_target_that_is_gone_ends_the_search() -> None:
    plays: list[Plan] = []

    def gone(plan: Plan) -> Played:
        plays.append(plan)
        raise Unreachable("nobody listens")

    with pytest.raises(Unreachable, match="nobody listens"):
        search(gone).run()
    assert len(plays) == 1


def test_what_safe_mode_does_not_do_is_not_tried_again_and_again() -> None:
    unsafe = Played(Result(CASE, Verdict.INCONCLUSIVE, Reason.UNSAFE, "it breaks connections"))
    looked = search(lambda plan: unsafe)
    with pytest.raises(Unplayable, match="breaks connections"):
        looked.run()


def test_why_plays_were_not_judged_is_counted() -> None:
    never = Played(Result(CASE, Verdict.INCONCLUSIVE, Reason.FAULT_NEVER_FIRED, "never fired: cut()"))
    lost = Played(Result(CASE, Verdict.INCONCLUSIVE, Reason.STIMULUS_FAILED, "no event with an id came"))
    looked = search(lambda plan: never if len(plan) > 1 else lost, examples=30)
    assert looked.run() is None
    assert looked.unjudged.keys() <= {"a fault never fired", "no event with an id came"}
    assert sum(looked.unjudged.values()) == len(looked.played)
