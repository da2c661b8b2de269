"""AG-UI: runs that are stopped on purpose, by the route that their server has for it."""

from __future__ import annotations

from dataclasses import dataclass

from seatrial import (
    AguiLab,
    AguiSession,
    Answer,
    Isolation,
    Outcome,
    Reason,
    Refusal,
    Role,
    Run,
    check,
    expect,
)

from ..threads import CLOSED, DELTAS, concluded, underway, wrong
from .leaving import SECONDS

NEEDS = {Role.STOP, Role.SLOW}
TELLING = ("TOOL_CALL_RESULT", *DELTAS, "CUSTOM", "RUN_ERROR")
"""Events that can tell what became of a tool."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A run that was stopped, after so many of its events, and what its end was."""

    run: Run
    seen: int
    outcome: Outcome

    @property
    def told(self) -> str:
        """The type of its outcome, "" where it has none."""
        return str((self.run.outcome or {}).get("type", ""))


async def stopped(lab: AguiLab, session: AguiSession, role: Role, count: int, *types: str) -> Stopped:
    """Play a role, stop it after so many events of these types, and wait for its end. Raises Inconclusive."""
    play = await lab.effects.plan(role, seconds=SECONDS)
    run = await underway(lab, await session.play(play), count, *types)
    seen = len(run.events)
    answer = await session.stop(lab.effects.stimulus(Role.STOP), run).outcome()
    lab.need(answer, "the request to stop")
    return Stopped(run, seen, await concluded(lab, run, play))


async def in_text(lab: AguiLab, session: AguiSession) -> Stopped:
    """A run that is stopped while the model speaks."""
    return await stopped(lab, session, Role.SLOW, 3, *DELTAS)


async def in_a_tool(lab: AguiLab, session: AguiSession) -> Stopped | None:
    """A run that is stopped while its tool works; None where no tool works long enough."""
    if not lab.effects.has(Role.TOOL) or (await lab.effects.control(Role.TOOL, seconds=SECONDS)).duration < SECONDS / 2:
        return None
    return await stopped(lab, session, Role.TOOL, 1, "TOOL_CALL_END")


async def wherever(lab: AguiLab, session: AguiSession) -> list[Stopped]:
    """Runs that are stopped in text and, where it can be played, in a tool."""
    found = await in_text(lab, session), await in_a_tool(lab, session)
    return [one for one in found if one]


@check(
    "agui.cancel.deliberate-stop-outcome",
    "A run that is stopped on purpose ends with the cancelled outcome",
    needs=NEEDS,
    mutants=("stop.swallowed", "stop.leaves-open", "stop.has-result"),
    isolation=Isolation.SESSION,
)
async def a_stop_ends_as_cancelled(lab: AguiLab) -> None:
    """A run is stopped while the model speaks, another one while its tool works: outcome cancelled, nothing open, no
    result. RUN_ERROR is left to a server that cannot close in order."""
    async with lab.session() as session:
        for one in await wherever(lab, session):
            failed = isinstance(one.outcome, Refusal)
            holds = one.told == "cancelled"
            lab.expect(expect.that(holds, "the outcome cancelled", one.outcome, one.outcome, soft=failed))
            bare = one.run.terminal is None or "result" not in one.run.terminal.payload
            lab.expect(expect.that(bare, "no result", one.outcome, one.outcome))
            lab.expect(wrong(lab, one.run, CLOSED))


@check(
    "agui.cancel.not-success",
    "A stopped run is not reported as success",
    needs=NEEDS,
    mutants=("stop.told-as-success", "stop.swallowed"),
    isolation=Isolation.SESSION,
)
async def a_stop_is_no_success(lab: AguiLab) -> None:
    """A run is stopped while the model speaks, another one while its tool works. Neither the outcome success nor an
    absent one may follow; RUN_ERROR may."""
    async with lab.session() as session:
        for one in await wherever(lab, session):
            holds = one.told != "success"
            lab.expect(
                expect.that(holds, "another outcome than success, which an absent one means", one.outcome, one.outcome)
            )


@check(
    "agui.cancel.no-interrupts-carried",
    "A cancelled run carries no interrupts",
    needs=NEEDS,
    mutants=("stop.carries-interrupts",),
    isolation=Isolation.SESSION,
)
async def a_stop_carries_no_interrupts(lab: AguiLab) -> None:
    """A run is stopped while the model speaks, another one while its tool works: no interrupt may be told with the end
    of either."""
    async with lab.session() as session:
        for one in await wherever(lab, session):
            carried = (one.run.outcome or {}).get("interrupts")
            lab.expect(expect.that(not carried, "no interrupts", one.outcome, one.outcome))


@check(
    "agui.cancel.next-run-normal",
    "After a cancelled run the next one is an ordinary run",
    needs={*NEEDS, Role.CHAT},
    mutants=("stop.wants-resume", "stop.lasts"),
    isolation=Isolation.SESSION,
)
async def the_run_after_a_stop_is_ordinary(lab: AguiLab) -> None:
    """A run is stopped; the next one on its thread brings the messages that its client has, and no resume. It must end
    in success."""
    async with lab.session() as session:
        one = await in_text(lab, session)
        play = await lab.effects.plan(Role.CHAT)
        run = await session.play(play, thread=one.run.thread, messages=one.run.messages())
        outcome = await concluded(lab, run, play)
    succeeds = isinstance(outcome, Answer) and (run.outcome or {}).get("type") == "success"
    lab.expect(expect.that(succeeds, "the next run ends in success", outcome, outcome))


@check(
    "agui.cancel.reports-effects",
    "A stop during a tool tells what became of it",
    needs={Role.STOP, Role.TOOL},
    mutants=("stop.silent-about-tools",),
    isolation=Isolation.SESSION,
)
async def a_stop_tells_what_became_of_the_tool(lab: AguiLab) -> None:
    """A run is stopped while its tool works. What follows should have a result of the call, a text or an error."""
    async with lab.session() as session:
        one = await in_a_tool(lab, session)
    if one is None:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the tool of this target is over before the run could be stopped")
    told = [event.type for event in one.run.events[one.seen :]]
    holds = not set(told).isdisjoint(TELLING)
    lab.expect(expect.that(holds, "an event that tells what became of the tool", " ".join(told), one.outcome))
