"""A2A: sends that wait for their task, and sends that do not."""

from __future__ import annotations

from dataclasses import replace

import anyio
from seatrial import TERMINAL, A2aLab, A2aSession, Reason, Role, Violation, check, expect, update_in

from ..tasks import task_in

SETTLED = (*TERMINAL, "input-required", "auth-required")
AT_ONCE = 1.0
"""Seconds in which an answer comes that nothing has to be waited for."""


@check(
    "a2a.send.blocking-default",
    "SendMessage waits for a terminal or interrupted state by default",
    needs={Role.TICKS},
    mutants=("send.never-waits", "send.waits-out-questions"),
    patience=1.0,
)
async def a_send_waits(lab: A2aLab) -> None:
    """A task that takes its time is asked for without any flag. Where the agent can ask, so is one that asks, once a
    send that does not wait has shown how soon it does."""
    async with lab.session() as session:
        outcome = await session.perform(await lab.effects.plan(Role.TICKS, count=5, gap=0.2), blocking=None)
        task = task_in(lab, outcome)
        told = f"a task in state {task.state}"
        lab.expect(expect.that(task.state in SETTLED, "a terminal or interrupted state", told, outcome))
        if lab.effects.has(Role.ASK):
            lab.expect(await _stops_at_questions(lab, session))


async def _stops_at_questions(lab: A2aLab, session: A2aSession) -> Violation | None:
    """A send that waits is answered when its task asks; None where no task was seen to ask."""
    shown = update_in(await session.perform(await lab.effects.plan(Role.ASK), blocking=False))
    if shown.kind != "task" or not shown.task_id:
        return None
    asking = await session.settles(shown.task_id, *SETTLED, within=lab.tempo.answer)
    if asking.state != "input-required":
        return None
    outcome = await session.perform(await lab.effects.plan(Role.ASK), blocking=None)
    return expect.answered(outcome, "an answer when the task needs input")


@check(
    "a2a.send.blocking-has-artifacts",
    "The answer of a send that waits has the latest state and all artifacts",
    needs={Role.TICKS},
    mutants=("send.never-waits", "send.answers-without-artifacts"),
    patience=0.5,
)
async def the_answer_has_all_artifacts(lab: A2aLab) -> None:
    """The answer is compared with what GetTask gives afterwards."""
    async with lab.session() as session:
        outcome = await session.perform(await lab.effects.plan(Role.TICKS, count=5, gap=0.1))
        task = task_in(lab, outcome)
        later = await session.settles(task.task_id, *SETTLED, within=lab.tempo.answer)
        if not later.artifacts:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the task has no artifacts", outcome, later.record)
        same = (task.state, task.artifacts) == (later.state, later.artifacts)
        told = f"{task.state} with {len(task.artifacts)} artifacts, {sum(map(len, task.texts))} characters"
        kept = f"{later.state} with {len(later.artifacts)}, {sum(map(len, later.texts))} characters, as stored"
        lab.expect(expect.that(same, kept, told, outcome, later.record))


@check(
    "a2a.send.return-immediately",
    "With returnImmediately the answer comes at once",
    needs={Role.HOLD},
    mutants=("send.always-waits",),
)
async def the_answer_comes_at_once(lab: A2aLab) -> None:
    """A task that works for some seconds is asked for with returnImmediately: within 1 s its answer is a task that is
    not over."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.HOLD, seconds=4.0)
        begun = anyio.current_time()
        outcome = await session.perform(play, blocking=False)
        took = anyio.current_time() - begun
        task = task_in(lab, outcome)
        limit = min(lab.tempo.scaled(AT_ONCE), play.lasts / 2)
        right = took <= limit and not task.terminal
        told = f"state {task.state} after {took:.1f} s"
        lab.expect(expect.that(right, f"a task that is not over within {limit:.1f} s", told, outcome))
        await session.cancel(task.task_id)


@check(
    "a2a.send.no-head-of-line",
    "A message is answered while another task works",
    needs={Role.HOLD, Role.ECHO},
    mutants=("send.one-task-at-a-time",),
)
async def a_message_does_not_wait_for_another_task(lab: A2aLab) -> None:
    """One task works for some seconds; a message in another context must not take 1 s longer than it takes alone."""
    async with lab.session() as session:
        alone = await _echoed(lab, session, lab.tempo.answer)
        play = await lab.effects.plan(Role.HOLD, seconds=4.0)
        begun = anyio.current_time()
        other = await session.start(play)
        await lab.quiet(0.1)
        held = update_in(await other.outcome(0.0))
        if held.state in SETTLED:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the other task was over at once", other.sent)
        took = await _echoed(lab, session, play.lasts + lab.tempo.answer)
        quick = took <= alone + lab.tempo.scaled(AT_ONCE)
        if quick and anyio.current_time() > begun + play.lasts:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the other task was over too early", other.sent)
        told = f"done after {took:.1f} s, alone after {alone:.1f} s"
        lab.expect(expect.that(quick, f"no more than {AT_ONCE:.0f} s longer than alone", told, other.sent))
        await other.leave()


async def _echoed(lab: A2aLab, session: A2aSession, within: float) -> float:
    """Seconds until a message of its own context was answered and, where that is a task, the task was done."""
    begun = anyio.current_time()
    play = await lab.effects.plan(Role.ECHO)
    outcome = await session.perform(replace(play, lasts=within))
    lab.need(outcome, "the message")
    if task := update_in(outcome).task_id:
        await session.settles(task, *SETTLED, within=within)
    return anyio.current_time() - begun


@check(
    "a2a.send.message-response-ok",
    "A direct Message of the agent is a whole one",
    needs={Role.MESSAGE},
    mutants=("send.message-in-parts-only",),
)
async def a_message_is_an_answer(lab: A2aLab) -> None:
    """An agent that answers with a Message in place of a Task: it has an id, the agent's role and parts."""
    async with lab.session() as session:
        outcome = await session.perform(await lab.effects.plan(Role.MESSAGE))
        lab.need(outcome, "the stimulus message")
        found = update_in(outcome)
        if found.kind == "task":
            lab.inconclusive(Reason.STIMULUS_FAILED, "the agent answered with a Task", outcome)
        role = str(found.body.get("role")).removeprefix("ROLE_").lower()
        named = isinstance(found.body.get("messageId"), str) and bool(found.texts)
        right = found.kind == "message" and role == "agent" and named
        lab.expect(expect.that(right, "a Message with messageId, role and parts", outcome, outcome))


@check(
    "a2a.send.blocking-03",
    "In 0.3 a send with blocking true waits, and one with blocking false does not",
    needs={Role.TICKS},
    mutants=("send.never-waits", "send.always-waits"),
)
async def blocking_means_waiting(lab: A2aLab) -> None:
    """The same task is asked for with blocking true and false."""
    async with lab.session() as session:
        for blocking in (True, False):
            play = await lab.effects.plan(Role.TICKS, count=5, gap=0.2)
            outcome = await session.perform(play, blocking=blocking)
            task = task_in(lab, outcome)
            told = f"state {task.state}"
            waits = task.state in SETTLED
            what = f"blocking {str(blocking).lower()} {'waits' if blocking else 'does not wait'}"
            lab.expect(expect.that(waits == blocking, what, told, outcome))
