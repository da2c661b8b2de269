"""AG-UI: every stimulus played once, so that there are streams to judge, and the ids that come back."""

from __future__ import annotations

from typing import Any

import anyio
from seatrial import AguiLab, AguiSession, Isolation, Reason, Role, Run, check
from seatrial.judge.agui import Rule, monitored

from ..approvals import answer
from ..inputs import CONFIRM
from ..threads import concluded

HELD = {"kept": {"by": "the client"}, "list": [1, 2]}
"""A state that a client may hold."""

APART: tuple[tuple[Role, dict[str, Any]], ...] = (
    (Role.FRONT, {"tools": [CONFIRM]}),
    (Role.STATE, {}),
    (Role.STATE, {"state": HELD}),
    (Role.REASON, {}),
    (Role.SUB, {}),
    (Role.STEPS, {}),
    (Role.ACTIVITY, {}),
    (Role.CHUNKS, {}),
    (Role.TOOL_FAILING, {}),
    (Role.BOOM, {}),
)
"""What is played on a thread of its own, and what its input has beside the prompt."""


@check(
    "agui.order.ids-echo",
    "Every run carries the ids of its input",
    requirements=("agui.order.ids-echo", "agui.order.ids-echo.early"),
    needs={Role.CHAT},
    mutants=("ids.of-the-library", "ids.of-another-thread"),
    isolation=Isolation.SESSION,
)
async def runs_carry_the_ids_of_their_input(lab: AguiLab) -> None:
    """Every stimulus that the target has is played once: a conversation on one thread, a thread that is paused at an
    interrupt and goes on, and the others on threads of their own. threadId and runId of every run are compared."""
    async with lab.session() as session, anyio.create_task_group() as tasks:
        tasks.start_soon(_conversation, lab, session)
        tasks.start_soon(_interrupted, lab, session)
        for role, wishes in APART:
            tasks.start_soon(_after, lab, session, None, role, wishes)
    judgement = monitored(lab.histories, lab.spoken, {Rule.IDS_ECHO}, lab.spoken.edition)
    lab.expect(judgement.violations, "agui.order.ids-echo")
    if not judgement.seen:
        lab.inconclusive(Reason.NOTHING_SEEN, "no run was started")


async def _after(
    lab: AguiLab, session: AguiSession, before: Run | None, role: Role, wishes: dict[str, Any] | None = None
) -> Run | None:
    """A stimulus played to its end, whatever that is, on the thread of an earlier run or on one of its own.

    That earlier run where the target does not have it.
    """
    if not lab.effects.has(role):
        return before
    play = await lab.effects.plan(role)
    history = {"thread": before.thread, "messages": before.messages()} if before else {}
    run = await session.play(play, **history, **(wishes or {}))
    await concluded(lab, run, play)
    return run


async def _conversation(lab: AguiLab, session: AguiSession) -> None:
    run = None
    for role in (Role.CHAT, Role.TOOL, Role.CHAT, Role.HISTORY):
        run = await _after(lab, session, run, role)


async def _interrupted(lab: AguiLab, session: AguiSession) -> None:
    """Once without an answer, then with one for each interrupt."""
    paused = await _after(lab, session, None, Role.INTERRUPT)
    if paused is None:
        return
    await _after(lab, session, paused, Role.CHAT)
    if paused.interrupts:
        entries = [answer(interrupt) for interrupt in paused.interrupts]
        answered = await session.run(thread=paused.thread, messages=paused.messages(), resume=entries)
        await answered.conclude(3 * lab.tempo.answer)
