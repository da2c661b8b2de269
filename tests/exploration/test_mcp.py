"""MCP: what an exploration finds in servers that lose events, and that it finds nothing in a sound one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from seatrial.exploration import Unplayable
from seatrial.faults import parse_plan
from seatrial.fixtures.mutants import build_of, find
from seatrial.fixtures.reference import EventStore, Reference
from seatrial.fixtures.reference.streams import Stream, Streams
from seatrial.fixtures.reference.target import simulated
from seatrial.fixtures.serving import Build
from seatrial.model import Reason, Role, Verdict

from .playing import SEED, explored, player, subject

VERSION, HTTP = "2025-06-18", "streamable-http"


class LosesAtSecondReturn(EventStore):
    """A client that comes back for the second time is an event late."""

    def __init__(self, server: Reference) -> None:
        super().__init__(server)
        self.returns: dict[str, int] = {}

    def locate(self, streams: Streams, event_id: str) -> tuple[Stream, int]:
        stream, position = super().locate(streams, event_id)
        self.returns[stream.token] = self.returns.get(stream.token, 0) + 1
        return stream, position + (self.returns[stream.token] > 1)


def broken(mutant: str) -> Build:
    build: Build = find(mutant).build
    return build


def test_the_one_place_at_which_a_cut_loses_an_event_is_found() -> None:
    search, found = explored(partial(simulated, broken("replay.page-boundary")), VERSION, HTTP)
    assert found is not None
    assert found.regression.faults == 'cut(on="tools/call", after=events(3), how=reset)'
    assert found.violation.expected == "every message of the stream is delivered"
    assert found.violation.actual == "lost: 4"
    assert (found.again, found.of, found.regression.failed) == (3, 3, "3 of 3")
    assert search.verdicts[Verdict.PASS]


def test_a_loss_that_needs_two_faults_is_found_and_not_blamed_on_one() -> None:
    _, found = explored(partial(simulated, build_of(LosesAtSecondReturn)), VERSION, HTTP)
    assert found is not None
    assert [(fault.name, fault.on) for fault in found.regression.plan] == [("cut", "tools/call"), ("cut", "GET")]
    assert found.violation.actual.startswith("lost: ")


def test_nothing_is_found_in_a_sound_server_in_as_many_plays() -> None:
    search, found = explored(simulated, VERSION, HTTP)
    assert found is None
    assert search.verdicts[Verdict.PASS] >= 40
    assert search.verdicts.keys() <= {Verdict.PASS, Verdict.INCONCLUSIVE}


def test_nothing_is_found_in_a_sound_process() -> None:
    search, found = explored(simulated, "2025-11-25", "stdio", examples=25)
    assert found is None
    assert search.verdicts[Verdict.PASS] >= 15


def test_plays_without_anything_to_come_back_by_are_not_judged() -> None:
    search, found = explored(partial(simulated, broken("replay.no-ids")), "2025-03-26", HTTP, examples=25)
    assert found is None
    assert any("nothing can be resumed" in why for why in search.unjudged)


def test_one_seed_gives_one_sequence_of_plans() -> None:
    first, second, other = (explored(simulated, VERSION, HTTP, examples=15, seed=seed)[0] for seed in (3, 3, 4))
    assert list(first.played) == list(second.played)
    assert list(first.played) != list(other.played)


def test_a_server_that_fails_by_itself_is_not_explored() -> None:
    with pytest.raises(Unplayable, match=r"without any fault|when left alone"):
        subject(partial(simulated, broken("progress.after-the-answer")), VERSION, HTTP)


def test_the_newest_column_that_can_be_resumed_is_explored() -> None:
    found, extent = player(simulated).subject(SEED)
    assert (found.version, found.binding, found.stimulus) == ("2025-11-25", HTTP, Role.PROGRESS)
    assert (extent.method, extent.resumable) == ("tools/call", True)


def test_a_plan_that_never_fires_is_not_judged() -> None:
    asked, _ = subject(simulated, VERSION, HTTP)
    played = player(simulated)(replace(asked, plan=parse_plan('cut(on="tools/call", after=events(99))')), SEED)
    assert (played.result.verdict, played.result.reason) == (Verdict.INCONCLUSIVE, Reason.FAULT_NEVER_FIRED)
