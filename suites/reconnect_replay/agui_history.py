"""AG-UI: what a thread had said and held before, as a new run restates it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from seatrial import AguiLab, Isolation, Reason, Role, Run, RunEvent, Violation, check
from seatrial.judge.agui import Rule

from ..threads import concluded, misspoken, played, stream_of
from .breaking import broken, positions

SNAPSHOTS = frozenset({"MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "ACTIVITY_SNAPSHOT", "CUSTOM", "RAW"})
"""What a restated run may consist of."""
STATES = ("STATE_SNAPSHOT", "STATE_DELTA")
CUTS = 8
WISHES: Sequence[Mapping[str, Any]] = ({"without": ("state",)}, {"state": {}}, {"state": {"seatrial": [1]}})
"""States that a client may bring to a thread that has one: none, an empty one, another one."""


@check(
    "agui.replay.history-as-snapshots",
    "Restated history is sent as snapshots, in runs that keep their ids and are closed",
    needs={Role.HISTORY, Role.CHAT},
    mutants=("history.as-deltas", "history.new-ids", "history.left-open"),
    isolation=Isolation.SESSION,
)
async def history_comes_as_snapshots(lab: AguiLab) -> None:
    """A thread has two ordinary runs; a third one restates them. Each restated run must have the id of one of the two,
    consist of snapshots, and be finished before the next one starts."""
    async with lab.session() as session:
        first = await played(lab, session, Role.CHAT)
        second = await played(lab, session, Role.CHAT, thread=first.thread, messages=first.messages())
        third = await played(lab, session, Role.HISTORY, thread=first.thread, messages=second.messages())
    *earlier, _ = parts(third)
    if not earlier:
        lab.inconclusive(Reason.STIMULUS_FAILED, "nothing of the thread was restated", third.sent)
    for part in earlier:
        lab.expect(list(misrestated(part, {first.run_id, second.run_id})))


def parts(run: Run) -> list[list[RunEvent]]:
    """The events of a stream, parted before each RUN_STARTED."""
    found: list[list[RunEvent]] = [[]]
    for event in run.events:
        if event.type == "RUN_STARTED":
            found.append([])
        found[-1].append(event)
    return [part for part in found if part]


def misrestated(part: Sequence[RunEvent], known: set[Any]) -> Iterator[Violation]:
    """What is wrong with a restated run."""
    head, *body, tail = part if len(part) > 1 else (part[0], part[0])
    records = (head.record, tail.record)
    if head.text("runId") not in known:
        yield Violation("the id of a run that the thread had", f"{head.text('runId')}", records)
    if tail.type not in ("RUN_FINISHED", "RUN_ERROR"):
        yield Violation("a restated run is closed before the next one starts", f"it ends with {tail.type}", records)
    streamed = [event for event in body if event.type not in SNAPSHOTS]
    if streamed:
        yield Violation("snapshots", f"{streamed[0].type}", (streamed[0].record,))


@check(
    "agui.replay.snapshot-on-continue",
    "A server whose state differs from the client's tells it by a snapshot",
    needs={Role.STATE},
    faults=("cut",),
    mutants=("state.continues-silently", "state.presumes-its-own"),
    isolation=Isolation.SESSION,
)
async def state_converges(lab: AguiLab) -> None:
    """On a thread that has a state, runs that change it are cut at every event, each followed by one that brings what
    its client holds; then runs come that bring no state, an empty one and another one. Deltas before the first snapshot
    must apply to what the client holds, and every snapshot must agree with the deltas before it."""
    async with lab.session() as session:
        first = await played(lab, session, Role.STATE)
    if not first.of(*STATES):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus state changes no state", first.sent)
    for after, how in positions(len(first.events), CUTS):
        lost = await broken(lab, await lab.effects.plan(Role.STATE), after, how, thread=first.thread, state=first.state)
        await _continued(lab, lost, {"state": lost.state})
    told = [await _continued(lab, first, wishes) for wishes in WISHES]
    if not any(told):
        lab.inconclusive(Reason.STIMULUS_FAILED, "no later run of the thread tells the state", first.sent)


async def _continued(lab: AguiLab, last: Run, wishes: Mapping[str, Any]) -> bool:
    """One more run of a thread with that state: does its client still know where it is? Returns whether it was told."""
    play = await lab.effects.plan(Role.STATE)
    async with lab.session() as session:
        run = await session.play(play, thread=last.thread, messages=last.messages(), **wishes)
        outcome = await concluded(lab, run, play)
    lab.need(outcome, "a run that changes the state")
    stream = stream_of(lab, run)
    early = takewhile(lambda event: event.type != "STATE_SNAPSHOT", stream.events)
    found = misspoken(lab, replace(stream, events=tuple(early)), {Rule.PATCH_APPLIES})
    found += misspoken(lab, stream, {Rule.CONVERGES})
    lab.expect(found)
    return bool(run.of(*STATES))
