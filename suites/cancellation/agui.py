"""AG-UI: what becomes of a run whose client leaves, and of all others. The specification is silent: all is INFO."""

from __future__ import annotations

from seatrial import AguiLab, Answer, Departure, Isolation, Role, check, expect

from ..threads import DELTAS, concluded, underway
from .leaving import SECONDS, abandoned, begin, control, must_have_begun, stopped

PARTINGS = (Departure.FIN, Departure.RST)
AT_ONCE, SOON = 0.0, 0.05
"""Seconds after the request, before which hardly any model has said its first word."""


@check(
    "agui.cancel.disconnect-stops-work",
    "Work stops when the client is gone",
    needs={Role.SLOW, Role.WITNESS},
    mutants=("leave.runs-on",),
    isolation=Isolation.SESSION,
)
async def work_stops_when_the_client_is_gone(lab: AguiLab) -> None:
    """A slow run is left after three deltas, one by FIN and one by RST. The witness is read when it would long be
    over, and must lack what a run that nobody leaves adds last."""
    yardstick = await control(lab)
    sightings = []
    async with lab.session() as session:
        for how in PARTINGS:
            watched = await begin(lab, session)
            await underway(lab, watched.run, 3, *DELTAS)
            sightings.append(await abandoned(lab, session, watched, how, yardstick))
    must_have_begun(lab, *sightings)
    for how, sighting in zip(PARTINGS, sightings, strict=True):
        lab.expect(stopped(sighting, f"the work stops when its client leaves by {how.value.upper()}"))


@check(
    "agui.cancel.disconnect-before-first-byte",
    "Work stops when the client leaves before the model has said anything",
    needs={Role.SLOW, Role.WITNESS},
    mutants=("leave.early-leaver-missed", "leave.runs-on"),
    isolation=Isolation.SESSION,
)
async def work_stops_when_the_client_leaves_early(lab: AguiLab) -> None:
    """A slow run is left by FIN as soon as the request is sent, and another one by RST 0.05 s later. What the witness
    saw begin must not run to its end."""
    yardstick = await control(lab)
    sightings = []
    async with lab.session() as session:
        for how, pause in zip(PARTINGS, (AT_ONCE, SOON), strict=True):
            watched = await begin(lab, session)
            await watched.run.exchange.dispatched.wait()
            await lab.until(watched.begun + pause)
            sightings.append(await abandoned(lab, session, watched, how, yardstick))
    must_have_begun(lab, *sightings)
    for sighting in sightings:
        lab.expect(stopped(sighting, "the work stops when its client leaves early"))


@check(
    "agui.cancel.disconnect-during-tool",
    "A tool that outlives its client causes no further call of the model",
    needs={Role.TOOL, Role.WITNESS},
    mutants=("leave.tool-goes-on",),
    isolation=Isolation.SESSION,
)
async def a_tool_without_a_client_is_the_end(lab: AguiLab) -> None:
    """A run is left while its tool works, by FIN and by RST. The tool may finish; but what the model adds after it in
    a run that nobody leaves must be missing."""
    yardstick = await control(lab, Role.TOOL)
    sightings = []
    async with lab.session() as session:
        for how in PARTINGS:
            watched = await begin(lab, session, Role.TOOL)
            await underway(lab, watched.run, 1, "TOOL_CALL_END", "TOOL_CALL_CHUNK")
            sightings.append(await abandoned(lab, session, watched, how, yardstick))
    must_have_begun(lab, *sightings)
    for sighting in sightings:
        what = "the model is not called again after the tool"
        lab.expect(expect.that(not sighting.repeated, what, str(sighting), *sighting.records))


@check(
    "agui.cancel.half-close",
    "A client that has only finished sending is still served",
    needs={Role.SLOW},
    mutants=("leave.half-close-ends",),
    isolation=Isolation.SESSION,
)
async def a_half_closed_client_is_served(lab: AguiLab) -> None:
    """The sending side is shut down, in one run right after the request and in another one after two deltas. Both
    must come to their RUN_FINISHED."""
    for deltas in (0, 2):
        play = await lab.effects.plan(Role.SLOW, seconds=1.0)
        async with lab.session() as session:
            run = await session.play(play)
            await (underway(lab, run, deltas, *DELTAS) if deltas else run.exchange.dispatched.wait())
            await run.leave(Departure.HALF)
            outcome = await concluded(lab, run, play)
        lab.expect(expect.that(isinstance(outcome, Answer), "the stream goes on to RUN_FINISHED", outcome, outcome))


@check(
    "agui.cancel.concurrent-run-untouched",
    "Losing one client does not affect another run",
    needs={Role.SLOW},
    mutants=("leave.ends-others",),
    isolation=Isolation.SESSION,
)
async def other_runs_go_on(lab: AguiLab) -> None:
    """Two slow runs on two threads: one is left, by FIN and in a second round by RST. The other must come to its
    end."""
    async with lab.session() as session:
        for how in PARTINGS:
            play = await lab.effects.plan(Role.SLOW, seconds=1.0)
            lost = await session.play(await lab.effects.plan(Role.SLOW, seconds=SECONDS))
            kept = await session.play(play)
            await underway(lab, lost, 2, *DELTAS)
            await underway(lab, kept, 1, *DELTAS)
            await lost.leave(how)
            outcome = await concluded(lab, kept, play)
            lab.expect(expect.that(isinstance(outcome, Answer), "the other run comes to its end", outcome, outcome))
