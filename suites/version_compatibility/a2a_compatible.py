"""A2A: 0.3 and 1.0 on one agent, and what each of them leaves to the future and to the past."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial import (
    HTTP_JSON,
    NOWHERE,
    V03,
    V10,
    A2aLab,
    A2aSession,
    Answer,
    Feature,
    Hook,
    Isolation,
    Outcome,
    Reason,
    Refusal,
    Role,
    Update,
    Violation,
    check,
    expect,
)
from seatrial.judge.a2a import refused
from seatrial.judge.a2a.notifications import misshapen, no_task

from ..tasks import at_work, completed
from .negotiating import counterpart, other, speaks, written

UNKNOWN = {"seatrialUnknown": {"nested": [1]}}


@check(
    "a2a.ver.compat-response-shape",
    "An agent of both versions answers each in its own shape",
    needs={Role.ECHO},
    isolation=Isolation.SESSION,
    mutants=("compatible.states-of-10", "compatible.kinds-in-10"),
)
async def answers_have_their_own_shape(lab: A2aLab) -> None:
    """A task of the other version is read in this one; another is made here, by a send and by a stream."""
    async with lab.session(version=other(lab)) as there, lab.session() as here:
        task = await completed(lab, there)
        await _is_written(lab, await here.get(task.task_id))
        play = await lab.effects.plan(Role.ECHO)
        await _is_written(lab, await here.perform(play))
        if lab.declares(Feature.STREAMING):
            stream = await here.play_stream(await lab.effects.plan(Role.ECHO))
            await stream.ended()
            for update in stream.updates:
                lab.expect(written(lab, update.body, update.record))


async def _is_written(lab: A2aLab, outcome: Outcome) -> None:
    lab.expect(expect.answered(outcome))
    if isinstance(outcome, Answer):
        lab.expect(written(lab, outcome.result, *outcome.records))


@check(
    "a2a.ver.compat-error-shape",
    "An agent of both versions reports errors in the shape of each",
    mutants=("compatible.untyped-details", "compatible.unknown-code-in-03"),
)
async def errors_have_their_own_shape(lab: A2aLab) -> None:
    """A task that does not exist. In 1.0 every object of the details has a type; in 0.3 they are free."""
    other(lab)
    async with lab.session() as session:
        outcome = await session.get(NOWHERE)
    lab.expect(refused(lab.spoken, outcome, "TaskNotFound"))
    if lab.version == V10 and isinstance(outcome, Refusal):
        lab.expect(_untyped(lab, outcome))


def _untyped(lab: A2aLab, outcome: Refusal) -> Iterator[Violation]:
    payload = outcome.message.payload if outcome.message else None
    error = payload.get("error") if isinstance(payload, Mapping) else None
    if not isinstance(error, Mapping):
        yield Violation("an object with the member error", expect.shown(payload), outcome.records)
        return
    found = error.get("details" if lab.binding == HTTP_JSON else "data")
    typed = isinstance(found, list) and all(isinstance(item, Mapping) and "@type" in item for item in found)
    if found is not None and not typed:
        yield Violation("details with @type in each object", expect.shown(found), outcome.records)


@check(
    "a2a.ver.compat-cross-create",
    "A task made in one version is usable in the other",
    needs={Role.HOLD},
    isolation=Isolation.SESSION,
    mutants=("compatible.tasks-of-one-version",),
)
async def tasks_are_shared(lab: A2aLab) -> None:
    """A task at work is made in the other version; in this one it is read, subscribed to and cancelled."""
    async with lab.session(version=other(lab)) as there, lab.session() as here:
        work = await at_work(lab, there, seconds=5.0)
        try:
            await _is_usable(lab, here, work.task)
        finally:
            await there.cancel(work.task)
        ended = await there.task(work.task)
    wanted = "a task that was cancelled in this version is canceled in the other"
    lab.expect(expect.that(ended.state == "canceled", wanted, ended.state or "no state", ended.record))


async def _is_usable(lab: A2aLab, here: A2aSession, task: str) -> None:
    read = await here.task(task)
    lab.expect(_same(read, task, "the task is found"))
    if lab.declares(Feature.STREAMING):
        stream = await here.subscribe(task)
        await stream.has(1)
        first = stream.updates[0] if stream.updates else Update("", {}, stream.exchange.sent)
        lab.expect(_same(first, task, "a stream of the task begins with it"))
        await stream.leave()
    lab.expect(expect.answered(await here.cancel(task), "the task is cancelled"))


def _same(found: Update, task: str, what: str) -> Violation | None:
    right = found.task_id == task and not found.terminal
    return expect.that(
        right, what, f"{found.kind or 'no'} object of task {found.task_id!r}, {found.state}", found.record
    )


@check(
    "a2a.ver.compat-push-shape",
    "A notification has the shape of the version that registered it",
    needs={Feature.PUSH, Role.TICKS},
    isolation=Isolation.SESSION,
    mutants=("compatible.push-of-10-in-03", "compatible.push-of-03-in-10"),
    patience=1.0,
)
async def notifications_have_their_own_shape(lab: A2aLab) -> None:
    """A webhook is registered with the message of a task; another for a task that the other version began."""
    inline = await lab.hook()
    play = await lab.effects.plan(Role.TICKS, count=4, gap=0.1)
    async with lab.session() as session:
        outcome = await session.perform(play, push=session.push_config(inline.url))
        if isinstance(outcome, Refusal):
            lab.inconclusive(Reason.WEBHOOK_REFUSED, "the agent refuses our webhook", outcome)
        await inline.delivered(1, lab.tempo.answer)
        await inline.silent(lab.tempo.scaled(0.5), lab.tempo.answer)
    if not inline.deliveries:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no notification came", outcome)
    lab.expect(_misshapen(lab, inline))
    if speaks(lab, counterpart(lab)):
        lab.expect(_misshapen(lab, await _registered_across(lab)))


def _misshapen(lab: A2aLab, hook: Hook) -> Violation | None:
    return no_task(hook.deliveries) if lab.version == V03 else misshapen(hook.deliveries)


async def _registered_across(lab: A2aLab) -> Hook:
    """A webhook that this version registers for a task of the other one, and what it was told; it may be nothing."""
    hook = await lab.hook()
    async with lab.session(version=other(lab)) as there, lab.session() as here:
        work = await at_work(lab, there, seconds=5.0)
        created = await here.create_push(work.task, here.push_config(hook.url))
        if isinstance(created, Answer):
            await hook.delivered(1, lab.tempo.scaled(1.0))
        await there.cancel(work.task)
        await hook.delivered(1, lab.tempo.scaled(1.0))
    if not hook.deliveries:
        lab.note("nothing was told of a task of the other version", created)
    return hook


# The past and the future


@check(
    "a2a.ver.compat-list-absent",
    "0.3 has no tasks/list over JSON-RPC",
    mutants=("compatible.list-breaks",),
)
async def early_version_has_no_list(lab: A2aLab) -> None:
    """tasks/list is called; an answer is an extension and only told."""
    async with lab.session() as session:
        outcome = await (await session.rpc("tasks/list", {})).outcome()
    if isinstance(outcome, Answer):
        lab.note("the agent lists tasks, which 0.3 does not know", outcome)
        lab.expect(None)
    else:
        lab.expect(refused(lab.spoken, outcome, "MethodNotFound"))


@check(
    "a2a.ver.legacy-methods-rejected",
    "Methods of 0.1 are refused in a JSON-RPC envelope",
    mutants=("compatible.legacy-half-served",),
)
async def oldest_methods_are_refused(lab: A2aLab) -> None:
    """tasks/send and tasks/sendSubscribe, with the parameters that 0.1 gave them."""
    said = {"role": "user", "parts": [{"type": "text", "text": "hello"}]}
    async with lab.session() as session:
        for method in ("tasks/send", "tasks/sendSubscribe"):
            params = {"id": session.fresh_id(), "sessionId": session.fresh_id(), "message": said}
            outcome = await (await session.rpc(method, params)).outcome()
            lab.expect(refused(lab.spoken, outcome, "MethodNotFound"))


@check(
    "a2a.ver.unknown-field-tolerated",
    "Unknown fields in a request are ignored",
    needs={Role.ECHO},
    mutants=("compatible.strict-messages", "compatible.strict-configurations"),
)
async def unknown_fields_are_ignored(lab: A2aLab) -> None:
    """Messages with an unknown field: beside the message, in it, in its part, in its configuration."""
    async with lab.session() as session:
        for where in ("the parameters", "the message", "the part", "the configuration"):
            play = await lab.effects.plan(Role.ECHO)
            said, prefix = play.params["text"], play.params["message_id"]
            params = session.sending(said, message_id=prefix, blocking=True)
            _place(params, where).update(UNKNOWN)
            outcome = await session.call("SendMessage", params)
            lab.expect(expect.answered(outcome, f"a message with an unknown field in {where} is served"))


def _place(params: dict[str, Any], where: str) -> dict[str, Any]:
    message = params["message"]
    parts = message.get("parts") or message.get("content")
    places: dict[str, dict[str, Any]] = {
        "the message": message,
        "the part": parts[0],
        "the configuration": params["configuration"],
    }
    return places.get(where, params)


@check(
    "a2a.ver.unknown-enum-rejected",
    "An unknown enum value in a filter is refused",
    mutants=("compatible.any-status",),
)
async def unknown_state_is_refused(lab: A2aLab) -> None:
    """ListTasks with a state that does not exist."""
    async with lab.session() as session:
        outcome = await session.call("ListTasks", {"status": "TASK_STATE_RUNNING"})
    lab.expect(refused(lab.spoken, outcome, "InvalidParams"))
