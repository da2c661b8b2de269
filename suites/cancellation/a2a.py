"""A2A: which tasks can be cancelled, how a cancellation is answered, and what is stored afterwards."""

from __future__ import annotations

import anyio
from seatrial import (
    HTTP_JSON,
    JSONRPC,
    NOWHERE,
    TERMINAL,
    A2aLab,
    A2aSession,
    Answer,
    Outcome,
    Reason,
    Refusal,
    Role,
    Update,
    check,
    expect,
    jsonrpc,
    update_in,
)
from seatrial.faults import drop_response
from seatrial.judge.a2a.errors import refused
from seatrial.judge.a2a.streams import covers, identity

from ..tasks import at_work, played
from .canceling import PROMPTLY, SECONDS, again, canceled, cancels, stays


@check(
    "a2a.cancel.working",
    "A task that works can be cancelled",
    needs={Role.HOLD},
    mutants=("task-cancel.unsupported", "task-cancel.breaks", "task-cancel.waits-for-the-end"),
)
async def a_working_task_can_be_cancelled(lab: A2aLab) -> None:
    """A task at work is cancelled: the answer is the Task, canceled or about to be, and GetTask then says so."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        lab.expect(await cancels(lab, session, run.task))


async def _interrupted(lab: A2aLab, role: Role, state: str) -> None:
    async with lab.session() as session:
        task = await played(lab, session, role, state)
        lab.expect(await cancels(lab, session, task.task_id))


@check(
    "a2a.cancel.input-required",
    "A task that needs input can be cancelled",
    needs={Role.ASK},
    mutants=("task-cancel.only-what-runs",),
)
async def a_task_that_asks_can_be_cancelled(lab: A2aLab) -> None:
    """A task asks for input and is cancelled instead."""
    await _interrupted(lab, Role.ASK, "input-required")


@check(
    "a2a.cancel.auth-required",
    "A task that needs credentials can be cancelled",
    needs={Role.AUTH},
    mutants=("task-cancel.only-what-runs",),
)
async def a_task_that_awaits_credentials_can_be_cancelled(lab: A2aLab) -> None:
    """A task asks for credentials and is cancelled instead."""
    await _interrupted(lab, Role.AUTH, "auth-required")


@check(
    "a2a.cancel.unknown",
    "Cancelling an unknown task is refused",
    faults=("unknown_id",),
    mutants=("task-cancel.unknown-not-cancelable", "task-cancel.unknown-accepted"),
)
async def an_unknown_task_cannot_be_cancelled(lab: A2aLab) -> None:
    """CancelTask with ids that no task has, one of them of another form."""
    async with lab.session() as session:
        for ident in (NOWHERE, "no-such-task"):
            lab.expect(refused(lab.spoken, await session.cancel(ident), "TaskNotFound"))


@check(
    "a2a.cancel.unknown-harmless",
    "After the refused cancellation of an unknown task the agent goes on serving",
    needs={Role.ECHO},
    mutants=("task-cancel.unknown-stops-worker",),
)
async def a_refused_cancellation_is_harmless(lab: A2aLab) -> None:
    """Unknown ids are cancelled, three at once; then a message must complete. One that is refused by an error of the
    protocol shows nothing: the agent serves."""
    async with lab.session() as session:
        outcomes = await _at_once(session, NOWHERE, "no-such-task", session.fresh_id())
        lab.expect(expect.responded(outcomes[0], "the cancellation is answered"))
        outcome = await session.perform(await lab.effects.plan(Role.ECHO))
        if isinstance(outcome, Refusal) and _by_the_rules(outcome):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the message is refused", outcome)
        found = update_in(outcome)
        if found.task_id and not found.terminal:
            found = await session.settles(found.task_id, *TERMINAL, within=lab.tempo.scaled(PROMPTLY))
        right = isinstance(outcome, Answer) and found.state in ("completed", "")
        lab.expect(expect.that(right, "the message completes", outcome, *outcomes, outcome, found.record))


def _by_the_rules(refusal: Refusal) -> bool:
    """Is it an agent that refuses, and not one that is broken?"""
    return (refusal.reply.status or 200) < 500 and refusal.code != jsonrpc.INTERNAL_ERROR


async def _at_once(session: A2aSession, *tasks: str) -> list[Outcome]:
    """Cancel all of these at the same time; the outcomes in the order in which they came."""
    found: list[Outcome] = []

    async def cancel(task: str) -> None:
        found.append(await session.cancel(task))

    async with anyio.create_task_group() as group:
        for task in tasks:
            group.start_soon(cancel, task)
    return found


@check(
    "a2a.cancel.terminal",
    "Cancelling a finished task is refused and changes nothing",
    needs={Role.ECHO},
    mutants=("task-cancel.finished-accepted", "task-cancel.finished-overwritten"),
)
async def a_finished_task_cannot_be_cancelled(lab: A2aLab) -> None:
    """Tasks that completed, failed and were rejected, as far as the agent has such."""
    async with lab.session() as session:
        for role in (Role.ECHO, *(role for role in (Role.FAIL, Role.REJECT) if lab.effects.has(role))):
            task = await played(lab, session, role, *TERMINAL)
            lab.expect(refused(lab.spoken, await session.cancel(task.task_id), "TaskNotCancelable"))
            lab.expect(stays(await session.task(task.task_id), task.state))


@check(
    "a2a.cancel.repeat",
    "Cancelling again has the same effect",
    needs={Role.HOLD},
    mutants=("task-cancel.breaks-when-repeated", "task-cancel.resumes-when-repeated"),
)
async def a_cancellation_can_be_repeated(lab: A2aLab) -> None:
    """A canceled task is cancelled twice more."""
    async with lab.session() as session:
        run, _ = await canceled(lab, session)
        for _ in range(2):
            lab.expect(again(lab, await session.cancel(run.task)))
        lab.expect(stays(await session.task(run.task), "canceled"))


@check(
    "a2a.cancel.lost-response-retry",
    "A cancellation whose answer was lost can be repeated",
    needs={Role.HOLD},
    faults=("drop_response",),
    mutants=("task-cancel.breaks-when-repeated",),
)
async def a_lost_cancellation_can_be_repeated(lab: A2aLab) -> None:
    """The answer of a cancellation is dropped on its way, and the client sends it once more."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        async with lab.session(drop_response(on=session.on("CancelTask"))) as unlucky:
            lost = await unlucky.cancel(run.task)
        outcome = await session.cancel(run.task)
        lab.expect(again(lab, outcome, "a cancellation whose answer was lost"))
        found = await session.settles(run.task, *TERMINAL, within=lab.tempo.answer)
        told = f"it is {found.state}"
        lab.expect(expect.that(found.state == "canceled", "the task is canceled", told, lost, outcome, found.record))


@check(
    "a2a.cancel.concurrent",
    "Cancellations at once lead to one cancellation",
    needs={Role.HOLD},
    faults=("double_cancel",),
    mutants=("task-cancel.breaks-when-repeated", "task-cancel.each-tells"),
)
async def cancellations_at_once_are_one(lab: A2aLab) -> None:
    """A task is cancelled by four requests at once: at least one gets the Task, and its stream tells it once."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        outcomes = await _at_once(session, *[run.task] * 4)
        won = [outcome for outcome in outcomes if update_in(outcome).kind == "task"]
        told = "; ".join(expect.shown(outcome, 80) for outcome in outcomes)
        lab.expect(expect.that(bool(won), "one of four cancellations at least succeeds", told, *outcomes))
        for outcome in outcomes:
            lab.expect(again(lab, outcome, "each of four cancellations"))
        if run.stream is not None:
            await run.stream.ended(lab.tempo.answer)
            ends = [update for update in run.stream.updates if update.kind == "status" and update.terminal]
            told = f"{len(ends)} terminal updates: {[update.state for update in ends]}"
            lab.expect(expect.that(len(ends) <= 1, "one CANCELED event", told, *(u.record for u in ends)))


@check(
    "a2a.cancel.get-after",
    "A canceled task stays readable, canceled, and with what it had made",
    needs={Role.HOLD},
    mutants=("task-cancel.completes-later", "task-cancel.forgets-artifacts", "task-cancel.only-claimed"),
    patience=5.0,
)
async def a_canceled_task_stays_so(lab: A2aLab) -> None:
    """A task is cancelled after it has made something, and read for 4 s."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        await lab.quiet(0.5)
        before = await session.task(run.task)
        outcome = await session.cancel(run.task)
        if not isinstance(outcome, Answer):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the task could not be cancelled", outcome)
        await session.settles(run.task, "canceled", within=lab.tempo.scaled(2.0))
        for pause in (0.0, 1.0, 3.0):
            await lab.quiet(pause)
            found = await session.task(run.task)
            lab.expect(stays(found, "canceled"))
            if found.kind == "task":
                lab.expect(covers(found, [before]))


@check(
    "a2a.cancel.metadata",
    "CancelTask accepts metadata",
    needs={Role.HOLD},
    mutants=("task-cancel.metadata-refused",),
)
async def a_cancellation_may_bring_metadata(lab: A2aLab) -> None:
    """A task at work is cancelled by a request with metadata."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        outcome = await session.cancel(run.task, metadata={"reason": "superseded", "attempt": 1})
        if refused(lab.spoken, outcome, "TaskNotCancelable") is None:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the task could not be cancelled", outcome)
        if not isinstance(outcome, Refusal):
            lab.need(outcome, "the cancellation")
        lab.expect(expect.answered(outcome, "the cancellation is accepted with its metadata"))


@check(
    "a2a.cancel.cross-binding",
    "A task is the same on every binding",
    needs={Role.HOLD},
    mutants=("task-cancel.without-history-on-one",),
)
async def a_task_is_the_same_on_every_binding(lab: A2aLab) -> None:
    """A task is begun on this binding, cancelled on the other, and read on both: the whole of it is compared."""
    other = HTTP_JSON if lab.binding == JSONRPC else JSONRPC
    if lab.berth.claims.find(lab.version, other) is None:
        lab.not_applicable(f"the agent has no interface over {other}, or it is left out of this run", lab.claim_record)
    async with lab.session() as here, lab.session(binding=other) as there:
        run = await at_work(lab, here, seconds=SECONDS)
        lab.expect(await cancels(lab, there, run.task))
        one, two = await here.task(run.task), await there.task(run.task)
        lab.expect(expect.that(identity(one) == identity(two), _as_told(one), _as_told(two), one.record, two.record))


def _as_told(task: Update) -> str:
    named = ", ".join(sorted(task.body))
    return f"a task in state {task.state or 'none'} with {named}; {len(task.history)} messages of history"
