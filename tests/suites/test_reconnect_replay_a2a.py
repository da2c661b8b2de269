"""What the replay checks of A2A make of agents that are right in another way than the bundled one."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.fixtures.agent import Rest, Streams
from seatrial.fixtures.agent.methods import Operation, Routes
from seatrial.fixtures.mutants import build_of
from seatrial.model import Result, Verdict

from ..sailing import sail


class SubscribedByGet(Rest):
    """As the proto annotates it."""

    def routes(self, version: str) -> Routes:
        return tuple(r for r in super().routes(version) if r[0] == "GET" or r[2] is not Operation.SUBSCRIBE)


class OpenAtQuestions(Streams):
    """Streams outlast a question, and carry the next turn."""

    def closes_at_interruption(self, state: str, version: str) -> bool:
        return False


def told(results: Sequence[Result]) -> list[str]:
    return [f"{r.case.id} {r.verdict} {r.detail} {r.violations}" for r in results if r.verdict is not Verdict.PASS]


def test_an_agent_that_is_subscribed_to_by_get_passes() -> None:
    checks = ("a2a.replay.subscribe-*", "a2a.replay.no-gap", "a2a.replay.close-one")
    results = sail(build_of(SubscribedByGet), protocol="a2a", checks=checks, bindings=("HTTP+JSON",))
    assert len(results) >= 6
    assert told(results) == []


def test_a_stream_that_outlasts_a_question_passes_with_a_note() -> None:
    checks = ("a2a.stream.interrupted-closes",)
    results = sail(build_of(OpenAtQuestions), protocol="a2a", checks=checks, versions=("1.0",))
    assert told(results) == []
    assert ["open" in result.notes[0].actual for result in results] == [True, True]
