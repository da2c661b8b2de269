"""AG-UI: runs at the same time, on threads of their own and on one: nothing of one is in the stream of another."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import cycle, islice

import anyio
from seatrial import AguiLab, AguiSession, Answer, Isolation, Play, Reason, Role, Run, Violation, check, expect
from seatrial.judge.agui import Rule

from ..inputs import handled, playable
from ..threads import DELTAS, concluded, underway, wrong
from .contrast import Alone, Berthed, alone, berthed, marked, naming, repeated_ids

KINDS = (Role.CHAT, Role.TOOL, Role.STATE)
"""What runs beside a slow run, in turn."""
OTHERS = 19
SLOW = {"seconds": 2.0}
TERMINAL = ("RUN_FINISHED", "RUN_ERROR")


@check(
    "agui.dedup.concurrent-isolation",
    "Nothing of a run is in the stream of another thread",
    needs={Role.CHAT, Role.SLOW},
    faults=("concurrent",),
    mutants=("runs.share-one-step", "runs.share-one-stream", "state.last-of-anyone"),
    isolation=Isolation.SESSION,
)
async def runs_of_threads_do_not_mix(lab: AguiLab) -> None:
    """Each stimulus is played alone, on three threads. Then nineteen runs begin within two slow ones, each with a
    marker in its prompt, its ids and its state: no stream may hold the marker of another, break a rule that it keeps
    alone, or tell anything else than it always tells alone."""
    async with lab.session() as session:
        kinds = playable(lab, KINDS)
        usual = {role: await alone(lab, session, role) for role in kinds}
        usual[Role.SLOW] = await alone(lab, session, Role.SLOW, 1, plan=SLOW)
        found = await _together(lab, session, kinds)
    runs = [one for _, one in found]
    if sum(isinstance(one.outcome, Answer) for one in runs) < 2:
        ends = [one.outcome for one in runs[:3]]
        lab.inconclusive(Reason.STIMULUS_FAILED, "fewer than two of the runs were served", *ends)
    markers = {one.marker for one in runs}.union(*(before.markers for before in usual.values()))
    for role, one in found:
        lab.expect(_foreign(one, markers - {one.marker}))
        lab.expect(wrong(lab, one.run, usual[role].kept) if one.run.events else None)
        lab.expect(_unlike(role, one, usual[role]))
    again = frozenset() if any(before.ids for before in usual.values()) else repeated_ids(runs)
    what = "ids of its own for each run"
    lab.expect(expect.that(not again, what, sorted(again)[:5], runs[0].run.sent, soft=True))


async def _together(lab: AguiLab, session: AguiSession, kinds: Sequence[Role]) -> list[tuple[Role, Berthed]]:
    """Two slow runs, which overlap however late each begins, and the others within them, all to their ends."""
    found: list[tuple[Role, Berthed]] = []
    slow = [await _slow(lab, session) for _ in range(2)]

    async def one(role: Role) -> None:
        found.append((role, await berthed(lab, session, role, beside=slow[0][1])))

    async with anyio.create_task_group() as tasks:
        for role in islice(cycle(kinds), OTHERS):
            tasks.start_soon(one, role)
    ended = [Berthed(marker, play, run, await concluded(lab, run, play)) for marker, play, run in slow]
    return [*((Role.SLOW, one) for one in ended), *found]


async def _slow(lab: AguiLab, session: AguiSession) -> tuple[str, Play, Run]:
    """A slow run that is under way, with its marker."""
    marker, play = await marked(lab, Role.SLOW, **SLOW)
    return marker, play, await underway(lab, await session.play(play, **naming(marker)))


def _foreign(one: Berthed, markers: Collection[str]) -> Violation | None:
    """Events that hold the marker of another run."""
    found = [event for event in one.run.events if any(marker in json.dumps(event.payload) for marker in markers)]
    actual = f"{len(found)} events tell of another run, the first is {found[0].type}" if found else ""
    records = [event.record for event in found[:5]]
    return expect.that(not found, "only what belongs to the run", actual, one.run.sent, *records)


def _unlike(role: Role, one: Berthed, usual: Alone) -> Iterator[Violation]:
    """What others changed of a run. Not to be served counts softly; so does a text that was heard alone only once."""
    if not isinstance(one.outcome, Answer):
        what = "the run is served, as it is alone"
        yield Violation(what, expect.shown(one.outcome), one.outcome.records, soft=True)
        return
    once = role is Role.SLOW
    for name in {"text"} & usual.told.keys() if once else usual.told:
        if one.told[name] != usual.told[name]:
            what = f"the {name} of the run alone: {expect.shown(usual.told[name])}"
            yield Violation(what, expect.shown(one.told[name]), one.outcome.records, soft=once)


@check(
    "agui.dedup.concurrent-same-thread",
    "A second run on a busy thread waits, runs beside the first or is refused, and their streams do not mix",
    needs={Role.CHAT, Role.SLOW},
    faults=("concurrent",),
    mutants=("thread.joins-the-active-run", "thread.second-run-hangs"),
    isolation=Isolation.SESSION,
)
async def runs_of_a_thread_do_not_mix(lab: AguiLab) -> None:
    """A second run is asked for on the thread of a slow one. It must be served or refused; neither stream may hold
    pieces or ids of the other, or break a rule that it keeps alone. Which way the server takes is noted."""
    async with lab.session() as session:
        usual = {Role.CHAT: await alone(lab, session, Role.CHAT, 1)}
        usual[Role.SLOW] = await alone(lab, session, Role.SLOW, 1, plan=SLOW)
        marker, play, slow = await _slow(lab, session)
        second = await berthed(lab, session, Role.CHAT, beside=play, thread=slow.thread)
        beside = slow.terminal is None
        first = Berthed(marker, play, slow, await concluded(lab, slow, play))
    lab.expect(handled(second.outcome, "a second run on a busy thread"))
    for role, one, other in ((Role.SLOW, first, second), (Role.CHAT, second, first)):
        lab.expect(wrong(lab, one.run, usual[role].kept - {Rule.MESSAGE_ID_UNIQUE}) if one.run.events else None)
        lab.expect(_quoted(one, other))
    again = repeated_ids([first, second])
    lab.expect(expect.that(not again, "ids of its own for each run", sorted(again)[:5], slow.sent, second.run.sent))
    served = isinstance(second.outcome, Answer)
    way = "was not served" if not served else "ran beside it" if beside else "waited for it"
    lab.note(f"the second run on a busy thread {way}", second.outcome)


def _quoted(one: Berthed, other: Berthed) -> Violation | None:
    """Pieces of another run's text, or its end; snapshots may tell all that was said on the thread."""
    pieces = [event for event in one.run.of(*DELTAS) if other.marker in (event.text("delta") or "")]
    ends = [event for event in one.run.of(*TERMINAL) if event.text("runId") == other.run.run_id]
    records = [event.record for event in (*pieces, *ends)[:5]]
    actual = f"{len(pieces)} pieces and {len(ends)} ends of another run"
    return expect.that(not records, "only what belongs to the run", actual, one.run.sent, *records)
