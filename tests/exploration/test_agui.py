"""AG-UI: an exploration finds a thread that stays taken after a broken run, and nothing in a sound front."""

from __future__ import annotations

from functools import partial

from seatrial.fixtures.front import Front
from seatrial.fixtures.front.target import simulated
from seatrial.fixtures.mutants import find
from seatrial.model import Role, Verdict

from .playing import explored, subject


def test_a_thread_that_a_broken_run_keeps_is_found() -> None:
    _, found = explored(partial(simulated, find("thread.busy-for-ever").build, "1.0"), "1.0", "sse")
    assert found is not None
    (fault,) = found.regression.plan
    assert (fault.name, fault.on) == ("cut", "POST")
    assert found.violation.expected == "a new run on the thread is served"


def test_nothing_is_found_in_a_sound_front() -> None:
    search, found = explored(partial(simulated, Front, "1.0"), "1.0", "sse", examples=40)
    assert found is None
    assert search.verdicts[Verdict.PASS] >= 30


def test_a_slow_run_is_what_is_played() -> None:
    asked, extent = subject(partial(simulated, Front, "1.0"), "1.0", "sse")
    assert asked.stimulus is Role.SLOW
    assert extent.events > 3
