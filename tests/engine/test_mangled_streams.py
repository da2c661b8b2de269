"""Seatrial's own reader takes of a mangled event stream what a conforming client takes, and is not misled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from seatrial import McpLab, Outcome, Role
from seatrial.faults import (
    EventId,
    Fault,
    blank,
    bom,
    cr_only,
    drop_event,
    duplicate_event,
    events,
    inject_comment,
    mutate_id,
    reorder_events,
    retry_field,
    two_streams,
    unterminated_tail,
)
from seatrial.protocols.outcome import Answer, Lost

from ..sailing import sail
from .declare import HTTP, row, suite_of

C = "2025-06-18"
"""Its streams begin with the first report."""


@dataclass(slots=True)
class Read:
    """What was read of a call that reports three times."""

    outcome: Outcome | None = None
    reports: list[int] = field(default_factory=list)
    position: str | None = None
    """The id to resume behind."""
    alive: bool = False


def read_through(*faults: Fault) -> Read:
    found = Read()

    async def body(lab: McpLab) -> None:
        """A call through the faults, with a GET stream beside it, and a call after it."""
        play = await lab.effects.plan(Role.PROGRESS, count=3, gap=0.1)
        async with lab.session(*faults) as session:
            session.open_stream()
            exchange = await session.start(play, token="of-the-call")
            found.outcome = await exchange.outcome()
            await exchange.finished(5.0)
            found.reports = [int(message.params["progress"]) for message in exchange.progress]
            found.position = exchange.last_event_id
            found.alive = isinstance(await session.fence(), Answer)

    made = suite_of(body, row(versions=(C,)), faults=[fault.name for fault in faults])
    (result,) = sail(None, [made], versions=(C,), bindings=(HTTP,))
    assert not result.traceback, result.traceback
    return found


ON_CALL = "tools/call"


@pytest.mark.parametrize(
    ("fault", "reports"),
    [
        (bom(on=ON_CALL), [1, 2, 3]),
        (bom(on=ON_CALL, after=events(2)), [1, 2, 3]),
        (cr_only(on=ON_CALL), [1, 2, 3]),
        (inject_comment(on=ON_CALL), [1, 2, 3]),
        (blank(on=ON_CALL, count=3), [1, 2, 3]),
        (retry_field(on=ON_CALL, value=1), [1, 2, 3]),
        (mutate_id(on=ON_CALL, kind=EventId.ABSENT), [1, 2, 3]),
        (duplicate_event(on=ON_CALL, after=events(2)), [1, 2, 2, 3]),
        (reorder_events(on=ON_CALL), [2, 1, 3]),
        (drop_event(on=ON_CALL, after=events(2)), [1, 3]),
    ],
    ids=str,
)
def test_an_answer_is_read_whatever_happened_to_the_events_before_it(fault: Fault, reports: Sequence[int]) -> None:
    found = read_through(fault)
    assert isinstance(found.outcome, Answer)
    assert (found.reports, found.alive) == (reports, True)


@pytest.mark.parametrize("fault", [unterminated_tail(on=ON_CALL), two_streams(on=ON_CALL)], ids=str)
def test_an_answer_that_came_in_part_or_elsewhere_is_lost(fault: Fault) -> None:
    found = read_through(fault)
    assert isinstance(found.outcome, Lost)
    assert (found.reports, found.alive) == ([1, 2, 3], True)


@pytest.mark.parametrize(
    ("fault", "behind"),
    [
        (unterminated_tail(on=ON_CALL), 3),
        (two_streams(on=ON_CALL), 3),
        (mutate_id(on=ON_CALL, after=events(4), kind=EventId.ABSENT), 3),
        (mutate_id(on=ON_CALL, after=events(4), kind=EventId.NUL), 3),
        (mutate_id(on=ON_CALL, after=events(4), kind=EventId.REPEATED), 3),
        (duplicate_event(on=ON_CALL, after=events(4)), 4),
        (reorder_events(on=ON_CALL, after=events(3)), 3),
        (cr_only(on=ON_CALL), 4),
    ],
    ids=str,
)
def test_a_stream_is_resumed_behind_the_last_id_that_came_whole(fault: Fault, behind: int) -> None:
    found = read_through(fault)
    assert found.position is not None
    assert found.position.partition(":")[2] == str(behind)
