"""A2A: tasks that are over: told alike by every operation, and never changed."""

from __future__ import annotations

from seatrial import TERMINAL, A2aLab, A2aSession, Feature, Isolation, Role, Update, check, expect, update_in

from ..tasks import at_work

ENDINGS = (Role.ECHO, Role.FAIL, Role.REJECT, Role.RAISE)
"""Roles after which a task is over."""


@check(
    "a2a.mt.terminal-immutable",
    "A task in a terminal state never changes, whoever asks for it and whatever is said to it",
    needs={Role.ECHO},
    mutants=(
        *("a2a.finished-tasks-go-on", "a2a.reads-touch-tasks", "a2a.cancels-touch-tasks"),
        *("a2a.answer-unlike-store", "a2a.last-event-unlike-store"),
    ),
    isolation=Isolation.SESSION,
    patience=3.0,
)
async def finished_tasks_stay(lab: A2aLab) -> None:
    """Tasks that complete, fail, are rejected, break and are canceled, as far as the agent can be brought there.

    The answer, the last event of a stream and GetTask name one state; then a message, a cancellation, a subscription
    and a while change neither state nor artifacts nor timestamp.
    """
    async with lab.session() as session:
        for role in filter(lab.effects.has, ENDINGS):
            if ended := await told_alike(lab, session, role):
                await pestered(lab, session, ended)
        if lab.effects.has(Role.HOLD):
            work = await at_work(lab, session)
            await session.cancel(work.task)
            canceled = await session.settles(work.task, *TERMINAL, within=lab.tempo.answer)
            if canceled.terminal:
                await pestered(lab, session, work.task)


async def told_alike(lab: A2aLab, session: A2aSession, role: Role) -> str:
    """The id of a task that a role has ended, "" where it ends none. What was told of it must be what is stored."""
    play = await lab.effects.plan(role)
    outcome = await session.perform(play)
    answer = update_in(outcome)
    if lab.declares(Feature.STREAMING):
        stream = await session.play_stream(await lab.effects.plan(role))
        await stream.ended(play.lasts + lab.tempo.answer)
        if stream.state in TERMINAL and stream.task_id:
            await stored_as(lab, session, stream.task_id, "the last event", stream.state, *stream.records)
    if answer.kind != "task" or not answer.terminal:
        return answer.task_id if answer.kind == "task" and await over(lab, session, answer) else ""
    await stored_as(lab, session, answer.task_id, "the answer", answer.state, *outcome.records)
    return answer.task_id


async def over(lab: A2aLab, session: A2aSession, task: Update) -> bool:
    """Wait for a task whose agent answers before its end."""
    return (await session.settles(task.task_id, *TERMINAL, within=lab.tempo.answer)).terminal


async def stored_as(lab: A2aLab, session: A2aSession, task: str, what: str, state: str, *records: int) -> None:
    stored = await session.settles(task, *TERMINAL, within=lab.tempo.answer)
    same = stored.state == state
    expected = f"GetTask says what {what} said: {state}"
    lab.expect(expect.that(same, expected, stored.state or "no state", *records, stored.record))


async def pestered(lab: A2aLab, session: A2aSession, task: str) -> None:
    """Everything that one might do to a task that is over."""
    before = await session.task(task)
    await lab.quiet(0.2)
    await session.send("and on", task=task)
    await session.cancel(task)
    if lab.declares(Feature.STREAMING):
        stream = await session.subscribe(task)
        await stream.opened()
        await stream.leave()
    await lab.quiet(0.3)
    after = await session.task(task)
    for what, old, new in (
        ("state", before.state, after.state),
        ("artifacts", before.artifacts, after.artifacts),
        ("timestamp", before.timestamp, after.timestamp),
    ):
        expected = f"the {what} of a {before.state} task stays {expect.shown(old)}"
        lab.expect(expect.that(old == new, expected, new, before.record, after.record))
