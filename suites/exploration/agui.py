"""AG-UI: a run through any faults. Nobody can come back to a run, so its client asks for a new one on the thread."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from seatrial import AguiLab, Column, Course, Ending, Role, Run, Violation, expect
from seatrial.faults import Fault
from seatrial.judge.agui import Rule, judge_stream, profile, violation

from ..reconnect_replay.agui import run_once_free
from ..threads import played, stream_of, wrong

SECONDS = 0.5
"""How long a run lasts, where that can be chosen."""
GRAMMAR = frozenset(
    {
        *(Rule.RUN_STARTED_FIRST, Rule.IDS_ECHO, Rule.SINGLE_ACTIVE_RUN, Rule.NOTHING_AFTER_FINISH),
        *(Rule.RUN_ERROR_TERMINAL, Rule.NO_FINISH_AFTER_ERROR),
        *(Rule.TEXT_TRIAD, Rule.TOOL_TRIAD, Rule.STEPS_BALANCED, Rule.REASONING_TRIAD),
    }
)
"""What holds of every stream, as far as it comes."""


def course() -> Course:
    return Course((Role.SLOW, Role.CHAT), exchanges, play_through)


def exchanges(method: str, column: Column) -> tuple[str, ...]:
    """The request of the run: there is none by which a client comes back."""
    return ("POST",)


async def play_through(lab: AguiLab, role: Role, plan: Sequence[Fault]) -> None:
    """The run is played once in peace, then through the faults. What came of it is in order and has one end; a new
    run on its thread is whole, and the target goes on."""
    async with lab.session() as peaceful:
        await played(lab, peaceful, role, plan={"seconds": SECONDS})
    play = await lab.effects.plan(role, seconds=SECONDS)
    over = anyio.current_time() + play.lasts * 1.5
    async with lab.session(*plan) as session:
        lost = await session.play(play)
        await lost.ended(max(play.lasts, 0.0) * 1.5 + lab.tempo.quiet)
        if lost.exchange.ending is Ending.OPEN:
            await lost.exchange.leave()
    lab.expect(_torn(lab, lost))
    async with lab.session() as other:
        run, outcome = await run_once_free(lab, other, lost, over)
        lab.require(expect.answered(outcome, "a new run on the thread is served"))
        lab.expect(wrong(lab, run, GRAMMAR))
        lab.expect(expect.answered(await other.fence(), "the target answers afterwards"))


def _torn(lab: AguiLab, run: Run) -> list[Violation]:
    """What breaks the grammar in a stream that may end anywhere."""
    if not run.events:
        return []
    findings = judge_stream(stream_of(lab, run), profile(lab.version, lab.spoken.edition or lab.version))
    return [violation(finding) for finding in findings if finding.rule in GRAMMAR]
