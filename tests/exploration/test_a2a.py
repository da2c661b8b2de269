"""A2A: an exploration finds the moment at which a subscription loses an event, and nothing in a sound agent."""

from __future__ import annotations

from functools import partial

from seatrial.faults import events
from seatrial.fixtures.agent.streams import Streams
from seatrial.fixtures.agent.target import simulated
from seatrial.fixtures.agent.tasks import Task
from seatrial.fixtures.mutants import build_of
from seatrial.model import Verdict

from .playing import explored

PLACE = 5
"""So many events of a task have been told when a subscription to it goes wrong."""


class LosesAtOnePlace(Streams):
    """A subscription that comes at one particular moment begins an event late."""

    def joining_point(self, task: Task) -> int:
        point = super().joining_point(task)
        return point + (point == PLACE)


def test_the_one_moment_at_which_a_subscription_loses_an_event_is_found() -> None:
    _, found = explored(partial(simulated, build_of(LosesAtOnePlace)), "1.0", "JSONRPC")
    assert found is not None
    (fault,) = found.regression.plan
    assert (fault.name, fault.on) == ("cut", "SendStreamingMessage")
    assert fault.after == events(PLACE)
    assert "add up to the stored artifacts" in found.violation.expected
    assert found.steady


def test_nothing_is_found_in_a_sound_agent() -> None:
    search, found = explored(simulated, "1.0", "JSONRPC", examples=50)
    assert found is None
    assert search.verdicts[Verdict.PASS] >= 20
    assert search.verdicts.keys() <= {Verdict.PASS, Verdict.INCONCLUSIVE}


def test_nothing_is_found_in_a_sound_agent_of_the_early_version() -> None:
    search, found = explored(simulated, "0.3", "HTTP+JSON", examples=25)
    assert found is None
    assert search.verdicts[Verdict.PASS] >= 8
