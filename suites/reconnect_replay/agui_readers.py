"""AG-UI: readers that are slow or stall. What a server does about them is practice: all is INFO."""

from __future__ import annotations

import anyio
from seatrial import AguiLab, AguiSession, Isolation, Reason, Role, Run, Sighting, check, expect, gained
from seatrial.faults import events, stall

from ..threads import played, underway

SECONDS = 60.0
"""How long the stream lasts that nobody reads."""
RUNS = 5


@check(
    "agui.replay.bounded-buffer",
    "A reader that stalls holds its run up, or loses it",
    needs={Role.SLOW, Role.WITNESS},
    faults=("stall",),
    mutants=("reader.buffered-without-bound",),
    isolation=Isolation.SESSION,
)
async def a_stalled_reader_is_not_buffered_for(lab: AguiLab) -> None:
    """A long, large stream is read no further than its third event. When it would be over, the witness must not show
    its end: whatever the sockets do not hold, the server would have to. A stream that the sockets could hold proves
    nothing."""
    control = await lab.effects.control(Role.SLOW, seconds=1.0)
    play = await lab.effects.plan(Role.SLOW, seconds=SECONDS, count=20_000, gap=0.001, text="sea " * 100)
    async with lab.session(stall(on="POST", after=events(3))) as session:
        before = await lab.effects.baseline(play, session)
        begun = anyio.current_time()
        run = await session.play(play)
        await run.count(3, within=lab.tempo.answer)
        if not play.gap or _size(run) * play.lasts / play.gap <= lab.berth.target.network.capacity:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the slow run says less than the sockets hold", run.sent)
        await lab.until(begun + play.lasts * 1.1)
        after = await lab.effects.reading(play.key, session)
    sighting = Sighting(gained(before, after), control, (after.record,))
    if not sighting.began:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the witness never saw the run begin", after.record)
    what = "a run that waits for its reader, or is given up"
    lab.expect(expect.that(not sighting.finished, what, "it ran to its end unread", run.sent, after.record))


def _size(run: Run) -> float:
    """Bytes of an event on average; comments are none."""
    sizes = [len(event.data) for event in run.exchange.events if event.data]
    return sum(sizes) / max(1, len(sizes))


@check(
    "agui.replay.slow-consumer-no-harm",
    "A stalled reader does not slow other runs",
    needs={Role.SLOW, Role.CHAT},
    faults=("stall",),
    mutants=("reader.blocks-others",),
    isolation=Isolation.SESSION,
)
async def a_stalled_reader_harms_nobody(lab: AguiLab) -> None:
    """Five ordinary runs are timed, then five more while the stream of a slow run is not read any further. Those should
    take no more than twice as long, and a second."""
    async with lab.session() as session:
        usual, _ = await _timed(lab, session)
        play = await lab.effects.plan(Role.SLOW, seconds=10.0)
        async with lab.session(stall(on="POST", after=events(3))) as stalled:
            run = await underway(lab, await stalled.play(play))
            took, last = await _timed(lab, session)
    prompt = took <= 2 * usual + lab.tempo.scaled(1.0)
    lab.expect(expect.that(prompt, f"about {usual:.1f} s for {RUNS} runs", f"{took:.1f} s", run.sent, last))


async def _timed(lab: AguiLab, session: AguiSession) -> tuple[float, int]:
    """Seconds that some ordinary runs take, one after the other, and the record of the last one."""
    begun = anyio.current_time()
    runs = [await played(lab, session, Role.CHAT) for _ in range(RUNS)]
    return anyio.current_time() - begun, runs[-1].sent
