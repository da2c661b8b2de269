"""A2A: turns of a conversation, its ids, and the history that is kept of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import anyio
from seatrial import (
    NOWHERE,
    V03,
    A2aLab,
    A2aSession,
    Answer,
    Feature,
    Harm,
    Outcome,
    Reason,
    Refusal,
    Role,
    Update,
    Violation,
    check,
    expect,
    gained,
    read,
    update_in,
)
from seatrial.faults import drop_response
from seatrial.judge.a2a import errors

from ..tasks import completed, played, task_in, waiting

ELSEWHERE = "00000000-0000-4000-8000-00000000000c"
"""The id of a context that does not exist."""
SENDS = 20
EXECUTION = re.compile(r"\bexecuted?\b")
"""As a witness names the beginning of a turn; not what was done in it."""
TERMINAL_STATES = ("completed", "failed", "canceled", "rejected")


@check(
    "a2a.err.history-cap",
    "The history is no longer than asked for and holds the latest messages",
    needs={Role.ASK},
    mutants=("a2a.history-length-ignored", "a2a.oldest-history-kept", "a2a.lists-with-history"),
)
async def history_is_capped(lab: A2aLab) -> None:
    """A task of several messages is read with a history length of 1 and 2, its last turn answered with one of 1, and
    where lists are served it is listed with one of 1."""
    async with lab.session() as session:
        task = await waiting(lab, session)
        last = await session.send("go on", task=task.task_id, context=task.context_id, history=1)
        whole = await session.task(task.task_id)
        if len(whole.history) < 2:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the task keeps fewer than two messages", whole.record)
        for length in (1, 2):
            lab.expect(_capped(await session.get(task.task_id, length), whole, length, "GetTask"))
        if update_in(last).kind == "task":
            settled = whole if update_in(last).terminal else None
            lab.expect(_capped(last, settled, 1, "the answer of a send"))
        if lab.version != V03:
            asked = {"contextId": task.context_id, "historyLength": 1}
            for violation in _capped_in_list(await session.call("ListTasks", asked), whole):
                lab.expect(violation)


def _capped_in_list(outcome: Outcome, whole: Update) -> Iterator[Violation | None]:
    """The task where it is listed; an agent without lists has none."""
    tasks = outcome.members.get("tasks") if isinstance(outcome, Answer) else None
    for task in map(read, tasks if isinstance(tasks, list) else []):
        if task.task_id == whole.task_id:
            yield _capped(outcome, whole, 1, "ListTasks", task.history)


def _capped(
    outcome: Outcome, whole: Update | None, length: int, what: str, history: Sequence[Any] | None = None
) -> Violation | None:
    """`whole`: the task with all of its history; None while that may still grow. `history`: what the outcome tells of
    it, where it is not the task itself."""
    if not isinstance(outcome, Answer):
        return expect.answered(outcome, f"{what} with a history length of {length}")
    told = update_in(outcome).history if history is None else history
    found = [message.get("messageId") for message in told]
    known = [message.get("messageId") for message in whole.history] if whole else found
    good = len(found) <= length and found == known[len(known) - len(found) :]
    evidence = whole.record if whole else None
    return expect.that(good, f"{what}: at most the latest {length} of {known}", found, outcome, evidence)


@check(
    "a2a.err.history-zero",
    "A history length of 0 leaves the history out",
    needs={Role.ECHO},
    mutants=("a2a.zero-history-is-all", "a2a.lists-with-history"),
)
async def no_history_is_none(lab: A2aLab) -> None:
    """A completed task is read, sent for, and listed where lists are served, with a history length of 0."""
    async with lab.session() as session:
        task = await completed(lab, session)
        play = await lab.effects.plan(Role.ECHO)
        for what, outcome in (
            ("GetTask", await session.get(task.task_id, 0)),
            ("SendMessage", await session.perform(play, history=0)),
        ):
            lab.need(outcome, what)
            found = update_in(outcome).history
            lab.expect(expect.that(not found, f"{what}: no history", f"{len(found)} messages", outcome))
        if lab.version != V03:
            asked = {"contextId": task.context_id, "historyLength": 0}
            lab.expect(_told_in_list(await session.call("ListTasks", asked)))


def _told_in_list(outcome: Outcome) -> Violation | None:
    """The history of a task in a list; an agent without lists has none."""
    tasks = outcome.members.get("tasks") if isinstance(outcome, Answer) else None
    found = [message for task in tasks for message in read(task).history] if isinstance(tasks, list) else []
    return expect.that(not found, "ListTasks: no history", f"{len(found)} messages", outcome)


@check(
    "a2a.mt.context-generated",
    "A message without a contextId is answered with one",
    needs={Role.ECHO},
    mutants=("a2a.no-context-told",),
)
async def context_is_made(lab: A2aLab) -> None:
    """A message of its own. A Message without one is a warning: an agent need not make a context (3.4.1)."""
    async with lab.session() as session:
        outcome = await session.perform(await lab.effects.plan(Role.ECHO))
        lab.need(outcome)
        found = update_in(outcome)
        soft = found.kind == "message"
        lab.expect(expect.that(bool(found.context_id), "a contextId", outcome, outcome, soft=soft))


@check(
    "a2a.mt.context-client",
    "A contextId of the client is kept or refused, never replaced",
    needs={Role.ECHO},
    mutants=("a2a.context-replaced",),
)
async def context_is_kept(lab: A2aLab) -> None:
    """A message in a context that the client made up."""
    async with lab.session() as session:
        context = session.fresh_id()
        outcome = await session.perform(await lab.effects.plan(Role.ECHO), context=context)
        if isinstance(outcome, Refusal):
            lab.expect(expect.that((outcome.reply.status or 0) < 500, "an error of the client's", outcome, outcome))
            return
        found = update_in(outcome).context_id
        lab.expect(expect.that(found == context, f"the context {context}", found, outcome))


@check(
    "a2a.mt.context-inferred",
    "A follow-up with a taskId alone continues in the task's context",
    needs={Role.ASK},
    mutants=("a2a.follow-up-elsewhere",),
)
async def context_is_inferred(lab: A2aLab) -> None:
    """The answer to a task that waits names the task only: by a send, and by a stream, event by event."""
    async with lab.session() as session:
        if lab.declares(Feature.STREAMING):
            await _streamed_on(lab, session)
        task = await waiting(lab, session)
        outcome = await session.send("go on", task=task.task_id)
        lab.expect(expect.answered(outcome, "the follow-up is served"))
        found = update_in(outcome)
        same = found.context_id == task.context_id and found.kind in ("message", "task")
        lab.expect(expect.that(same, f"the context {task.context_id}", found.context_id, outcome))
        stored = await session.task(task.task_id)
        lab.expect(expect.that(stored.context_id == task.context_id, "the same in the store", stored.context_id))
        elsewhere = [said for said in stored.history if said.get("contextId") not in (None, "", task.context_id)]
        lab.expect(expect.that(not elsewhere, "its messages in the same context", elsewhere, stored.record))


async def _streamed_on(lab: A2aLab, session: A2aSession) -> None:
    task = await waiting(lab, session)
    stream = await session.stream("go on", task=task.task_id)
    await stream.ended(lab.tempo.answer)
    if not stream.updates:
        lab.expect(expect.answered(await stream.opened(), "the follow-up is streamed"))
    for update in stream.updates:
        same = update.context_id == task.context_id and update.task_id in ("", task.task_id)
        expected = f"every event of task {task.task_id} in the context {task.context_id}"
        lab.expect(expect.that(same, expected, update.body, update.record))


@check(
    "a2a.mt.context-mismatch",
    "A task id with the context of another is refused",
    needs={Role.ASK},
    mutants=("a2a.context-not-compared", "a2a.context-not-compared-in-streams"),
)
async def foreign_context_is_refused(lab: A2aLab) -> None:
    """A message to a task that waits, with a context that does not exist, and with that of another task; and one by a
    stream."""
    async with lab.session() as session:
        other = await waiting(lab, session)
        for context in (ELSEWHERE, other.context_id):
            task = await waiting(lab, session)
            if context and task.context_id != context:
                outcome = await session.send("go on", task=task.task_id, context=context)
                lab.expect(errors.refused(lab.spoken, outcome))
        if lab.declares(Feature.STREAMING):
            task = await waiting(lab, session)
            stream = await session.stream("go on", task=task.task_id, context=ELSEWHERE)
            lab.expect(errors.refused(lab.spoken, await stream.opened()))
            await stream.leave()


@check(
    "a2a.mt.task-id-server-generated",
    "Task ids are made by the server and unique",
    needs={Role.ECHO},
    mutants=("a2a.task-ids-repeat",),
    harm=Harm.LOAD,
)
async def task_ids_are_unique(lab: A2aLab) -> None:
    """Twenty messages at once, and one to a task that the client made up."""
    found: list[Update] = []

    async def send(session: A2aSession) -> None:
        outcome = await session.perform(await lab.effects.plan(Role.ECHO))
        found.append(task_in(lab, outcome))

    async with lab.session() as session:
        async with anyio.create_task_group() as tasks:
            for _ in range(SENDS):
                tasks.start_soon(send, session)
        ids = {update.task_id for update in found}
        records = [update.record for update in found]
        lab.expect(expect.that(len(ids) == SENDS, f"{SENDS} task ids", f"{len(ids)} of them", *records))
        made_up = await session.send("hello", task=session.fresh_id())
        lab.expect(errors.refused(lab.spoken, made_up, "TaskNotFound"))


@check(
    "a2a.mt.input-required-resume",
    "A task that needs input goes on with the answer",
    needs={Role.ASK},
    mutants=("a2a.answer-begins-anew",),
)
async def answer_continues_the_task(lab: A2aLab) -> None:
    """The answer must lead the same task to a terminal state."""
    async with lab.session() as session:
        task = await waiting(lab, session)
        outcome = await session.send("go on", task=task.task_id, context=task.context_id)
        lab.expect(expect.answered(outcome, "the answer is taken"))
        answered = update_in(outcome)
        same = answered.kind == "message" or answered.task_id == task.task_id
        lab.expect(expect.that(same, f"the task {task.task_id}", answered.task_id, outcome))
        last = await session.settles(task.task_id, *TERMINAL_STATES, within=lab.tempo.answer)
        lab.expect(expect.that(last.terminal, "a terminal state", last.state, last.record))


@check(
    "a2a.mt.auth-required",
    "A task that needs credentials says so and stays open",
    needs={Role.AUTH},
    mutants=("a2a.auth-without-a-word", "a2a.auth-fails-task"),
    patience=1.0,
)
async def missing_credentials_are_told(lab: A2aLab) -> None:
    """The state, the message of the status, that the task is not over a while later, and that it takes a message
    then, which is no more than recommended."""
    async with lab.session() as session:
        task = await played(lab, session, Role.AUTH)
        lab.expect(expect.that(task.state == "auth-required", "auth-required", task.state, task.record))
        lab.expect(expect.that(bool(task.status_message), "a status message", task.body.get("status"), task.record))
        await lab.quiet()
        later = await session.task(task.task_id)
        lab.expect(expect.that(not later.terminal, "a task that is open", later.state, later.record))
        outcome = await session.send("signed in", task=task.task_id, blocking=False)
        taken = isinstance(outcome, Answer)
        lab.expect(expect.that(taken, "a task that takes a message", outcome, outcome, soft=True))
        await session.cancel(task.task_id)


@check(
    "a2a.mt.concurrent-followups",
    "Parallel follow-ups to one task do not damage it",
    needs={Role.ASK},
    faults=("concurrent",),
    mutants=("a2a.second-follow-up-500",),
)
async def parallel_answers_are_survived(lab: A2aLab) -> None:
    """Three answers at once: each is taken or refused by a proper error, and the task can be read afterwards."""
    async with lab.session() as session:
        task = await waiting(lab, session)
        begun = [
            await session.begin("SendMessage", session.sending(f"answer {n}", task=task.task_id, blocking=None))
            for n in range(3)
        ]
        for exchange in begun:
            outcome = await exchange.outcome()
            good = isinstance(outcome, Answer | Refusal) and (outcome.reply.status or 0) < 500
            lab.expect(expect.that(good and not _internal(outcome), "a result or a proper error", outcome, outcome))
        last = await session.task(task.task_id)
        lab.expect(expect.that(last.kind == "task", "the task can be read", last.kind, exchange.sent))


def _internal(outcome: Outcome) -> bool:
    return isinstance(outcome, Refusal) and outcome.code == -32603


@check(
    "a2a.mt.duplicate-message-id",
    "A repeated messageId is recognised",
    needs={Role.ECHO},
    faults=("drop_response",),
    mutants=("a2a.repeats-run-again",),
)
async def repeated_message_is_recognised(lab: A2aLab) -> None:
    """The answer of a send is lost, and the same message sent again: one task or two, and how often it was done."""
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as plain, lab.session(drop_response(on=plain.on("SendMessage"), times=1)) as session:
        said = session.message(play.params["text"])
        counted = lab.effects.has(Role.WITNESS)
        before = await lab.effects.baseline(play, plain) if counted else None
        await session.send(said)
        again = await plain.send(said)
        lab.need(again, "the message that was sent again")
        found = update_in(again).task_id
        third = await plain.send(said)
        same = update_in(third).task_id == found
        lab.expect(expect.that(same, "one task for one message", f"tasks {found}, {update_in(third).task_id}", third))
        if before:
            seen = gained(before, await lab.effects.reading(play.key, plain))
            done = sum(bool(EXECUTION.search(token)) for token in seen)
            if done:  # A witness need not know of a stimulus that is over at once.
                lab.note(f"one message was sent three times; the witness tells of {done} executions meanwhile", third)


@check(
    "a2a.mt.reference-task-ids",
    "Referenced task ids are accepted, known or not",
    needs={Role.ECHO},
    mutants=("a2a.unknown-references-refused",),
)
async def references_are_accepted(lab: A2aLab) -> None:
    """A message that refers to a finished task and to one that never was."""
    async with lab.session() as session:
        known = await completed(lab, session)
        play = await lab.effects.plan(Role.ECHO)
        for references in ([known.task_id], [NOWHERE]):
            said = session.message(play.params["text"], referenceTaskIds=references)
            lab.expect(expect.answered(await session.send(said), f"a message that refers to {references[0]}"))
