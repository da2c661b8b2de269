"""AG-UI: runs in the state that a check needs. A part that cannot be had makes the case INCONCLUSIVE."""

from __future__ import annotations

from typing import Any

from seatrial import AguiLab, AguiSession, Answer, Departure, Outcome, Play, Reason, Role, Run

DELTAS = ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK")
"""Events with a piece of what a slow run says."""


def patience(lab: AguiLab, play: Play) -> float:
    """Seconds within which a play is surely over."""
    return max(play.lasts, 0.0) * 2 + 2 * lab.tempo.answer


async def concluded(lab: AguiLab, run: Run, play: Play) -> Outcome:
    """The end of a run that plays a stimulus."""
    return await run.conclude(patience(lab, play))


async def played(
    lab: AguiLab, session: AguiSession, role: Role, *, plan: dict[str, Any] | None = None, **wishes: Any
) -> Run:
    """Play a role to its RUN_FINISHED, whatever the outcome. Raises Inconclusive for another end.

    `plan`: what the stimulus is asked for; `wishes`: the other fields of the input.
    """
    play = await lab.effects.plan(role, **(plan or {}))
    run = await session.play(play, **wishes)
    outcome = await concluded(lab, run, play)
    if not isinstance(outcome, Answer):
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the stimulus {role.value} did not come to its end", outcome)
    return run


async def underway(lab: AguiLab, run: Run, count: int = 3, *types: str) -> Run:
    """Wait until a run has shown so many events, of some types or of any.

    Raises Inconclusive when it ends before it could be interfered with.
    """
    shown = await run.count(count, *types, within=2 * lab.tempo.answer)
    if not shown or run.terminal is not None:
        what = "was over" if run.terminal else "did not show what was waited for"
        records = [event.record for event in run.events[-1:]]
        lab.inconclusive(
            Reason.STIMULUS_FAILED, f"the run {what} before it could be interfered with", run.sent, *records
        )
    return run


async def left(lab: AguiLab, run: Run, how: Departure = Departure.FIN) -> None:
    """Walk away from a run, and give its server a moment to take notice."""
    await run.leave(how)
    await lab.quiet(0.2)
