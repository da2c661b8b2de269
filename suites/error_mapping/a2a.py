"""A2A: conditions and the errors that they map to. One row for each condition of a readable request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from seatrial import (
    HTTP_JSON,
    JSONRPC,
    NOWHERE,
    A2aLab,
    A2aSession,
    Answer,
    Check,
    Feature,
    Harm,
    Outcome,
    Refusal,
    Role,
    Update,
    Violation,
    check,
    expect,
    update_in,
)
from seatrial.judge.a2a import errors

from ..tasks import completed, played

Provoked = tuple[str, Outcome]
"""What was asked, in words, and what came of it."""
Provocation = Callable[[A2aLab, A2aSession], Awaitable[Sequence[Provoked]]]
Judge = Callable[[A2aLab, Outcome], Violation | None]


def error(*names: str, softly: Sequence[str] = ()) -> Judge:
    """The condition maps to one of these errors; one of `softly` is a warning."""

    def judge(lab: A2aLab, outcome: Outcome) -> Violation | None:
        related = bool(softly) and errors.refused(lab.spoken, outcome, *softly) is None
        return errors.refused(lab.spoken, outcome, *names, soft=related)

    return judge


async def operations_on(lab: A2aLab, session: A2aSession, task: str) -> list[Provoked]:
    """Every operation that names a task, on this one."""
    found: list[Provoked] = [
        ("GetTask", await session.get(task)),
        ("CancelTask", await session.cancel(task)),
        ("SendMessage", await session.send("hello", task=task)),
    ]
    if lab.declares(Feature.STREAMING):
        found += [("SubscribeToTask", await (await session.subscribe(task)).opened())]
        found += [("SendStreamingMessage", await (await session.stream("hello", task=task)).opened())]
    if lab.declares(Feature.PUSH):
        found += [("GetTaskPushNotificationConfig", await session.get_push(task, "none"))]
        found += [("ListTaskPushNotificationConfigs", await session.list_push(task))]
    return found


async def on_no_task(lab: A2aLab, session: A2aSession) -> Sequence[Provoked]:
    return await operations_on(lab, session, NOWHERE)


async def cancels_of_a_finished_task(lab: A2aLab, session: A2aSession) -> Sequence[Provoked]:
    task = await completed(lab, session)
    return [("CancelTask of a completed task", await session.cancel(task.task_id))]


def late(*names: str) -> Judge:
    """A message that comes too late maps to one of these errors; a stream that breaks off is a warning."""

    def judge(lab: A2aLab, outcome: Outcome) -> Violation | None:
        return errors.refused(lab.spoken, outcome, *names, soft=errors.broken_off(outcome))

    return judge


async def messages_to_finished_tasks(lab: A2aLab, session: A2aSession) -> Sequence[Provoked]:
    """To one in each terminal state that the agent can be brought into."""
    roles = [role for role in (Role.ECHO, Role.FAIL, Role.REJECT) if lab.effects.has(role)]
    tasks = [await played(lab, session, role) for role in roles]
    tasks += [await canceled(lab, session)] if lab.effects.has(Role.HOLD) else []
    found: list[Provoked] = []
    for task in (each for each in tasks if each.terminal):
        found.append((f"SendMessage to a {task.state} task", await session.send("and on", task=task.task_id)))
        if lab.declares(Feature.STREAMING):
            stream = await session.stream("and on", task=task.task_id)
            found.append((f"SendStreamingMessage to a {task.state} task", await stream.opened()))
            await stream.leave()
    return found


async def canceled(lab: A2aLab, session: A2aSession) -> Update:
    """A task that was begun and cancelled, as it is stored: nothing where the agent does either otherwise."""
    begun = update_in(await session.perform(await lab.effects.plan(Role.HOLD), blocking=False))
    if begun.kind != "task" or not begun.task_id:
        return begun
    await session.cancel(begun.task_id)
    return await session.task(begun.task_id)


async def push_operations(lab: A2aLab, session: A2aSession) -> Sequence[Provoked]:
    if lab.declares(Feature.PUSH):
        lab.not_applicable("the agent declares push notifications", lab.claim_record)
    task = update_in(await session.send("hello")).task_id or NOWHERE
    config = session.push_config("https://webhook.invalid/seatrial", id="seatrial")
    return [
        ("CreateTaskPushNotificationConfig", await session.create_push(task, config)),
        ("GetTaskPushNotificationConfig", await session.get_push(task, "seatrial")),
        ("ListTaskPushNotificationConfigs", await session.list_push(task)),
        ("DeleteTaskPushNotificationConfig", await session.delete_push(task, "seatrial")),
    ]


async def invalid_results(lab: A2aLab, session: A2aSession) -> Sequence[Provoked]:
    return [("SendMessage", await session.perform(await lab.effects.plan(Role.INVALID_RESPONSE)))]


@dataclass(frozen=True, slots=True)
class Row:
    """One condition: what brings it about, and the error that it maps to."""

    id: str
    title: str
    provoke: Provocation
    judge: Judge
    mutants: tuple[str, ...]
    probe: str
    needs: frozenset[Role] = frozenset()


def mapped(row: Row) -> Check:
    """The check of a row."""

    async def body(lab: A2aLab) -> None:
        async with lab.session() as session:
            for what, outcome in await row.provoke(lab, session):
                found = row.judge(lab, outcome)
                lab.expect(
                    found and Violation(f"{what}: {found.expected}", found.actual, found.records, soft=found.soft)
                )
                note_release(lab, outcome)

    body.__doc__ = row.probe
    return check(row.id, row.title, needs=row.needs, mutants=row.mutants)(body)


def note_release(lab: A2aLab, outcome: Outcome) -> None:
    """Tell of a status that is right by another release."""
    for text in errors.by_other_release(lab.spoken, outcome):
        lab.note(text, outcome)


ROWS = (
    Row(
        "a2a.err.task-not-found",
        "An unknown task id is refused with TaskNotFound by every operation",
        on_no_task,
        error("TaskNotFound"),
        ("a2a.not-found-internal", "a2a.unknown-task-begun", "a2a.not-found-as-params"),
        "Get, cancel, subscribe, send and stream to, and read the push configurations of, a task that never was.",
    ),
    Row(
        "a2a.err.task-not-cancelable",
        "Cancelling a completed task is refused with TaskNotCancelable",
        cancels_of_a_finished_task,
        error("TaskNotCancelable"),
        ("a2a.late-cancel-served", "a2a.not-cancelable-as-unsupported"),
        "Play a task that completes at once, then cancel it.",
        frozenset({Role.ECHO}),
    ),
    Row(
        "a2a.err.push-not-supported",
        "Push operations of an agent without push notifications are refused with PushNotificationNotSupported",
        push_operations,
        error("PushNotificationNotSupported"),
        ("a2a.push-refused-as-unsupported", "a2a.push-refused-as-unknown"),
        "Create, get, list and delete a configuration of a real task where the card declares no push notifications.",
    ),
    Row(
        "a2a.err.unsupported-operation",
        "A message to a task in a terminal state is refused with UnsupportedOperation",
        messages_to_finished_tasks,
        late("UnsupportedOperation"),
        (
            *("a2a.terminal-send-as-params", "a2a.terminal-send-begins-anew"),
            *("a2a.terminal-stream-begins-anew", "a2a.canceled-send-begins-anew"),
        ),
        "A further message, sent and streamed, to a completed, a failed, a rejected and a canceled task, as far as the"
        " agent can be brought there.",
        frozenset({Role.ECHO}),
    ),
    Row(
        "a2a.err.terminal-send.early",
        "A message to a task in a terminal state is refused, and runs nothing",
        messages_to_finished_tasks,
        late(),
        (
            *("a2a.terminal-send-begins-anew", "a2a.terminal-send-answered"),
            *("a2a.terminal-stream-begins-anew", "a2a.canceled-send-begins-anew"),
        ),
        "A further message, sent and streamed, to a completed, a failed, a rejected and a canceled task; in 0.3 any"
        " error will do.",
        frozenset({Role.ECHO}),
    ),
    Row(
        "a2a.err.invalid-agent-response",
        "A result of the agent that breaks the protocol is reported as InvalidAgentResponse",
        invalid_results,
        error("InvalidAgentResponse"),
        ("a2a.invalid-response-internal",),
        "An agent that answers with a Message after it has begun a Task.",
        frozenset({Role.INVALID_RESPONSE}),
    ),
)

MAPPED = tuple(mapped(each) for each in ROWS)

FOREIGN = "application/x-seatrial-nope"


@check(
    "a2a.err.content-type-not-supported",
    "A part of a media type that the agent does not take is refused with ContentTypeNotSupported",
    mutants=("a2a.any-media-type", "a2a.media-type-as-params"),
)
async def foreign_media_types_are_refused(lab: A2aLab) -> None:
    """A part of bytes of a made-up media type. An agent that reads it all the same may take more than it declares."""
    if any(mode in ("*/*", FOREIGN) for mode in lab.claimed.get("defaultInputModes") or ()):
        lab.not_applicable("the card declares every media type", lab.claim_record)
    async with lab.session() as session:
        outcome = await session.send([{"raw": "c2VhdHJpYWw=", "mediaType": FOREIGN}])
        lab.expect(errors.refused(lab.spoken, outcome, "ContentTypeNotSupported", soft=isinstance(outcome, Answer)))
        note_release(lab, outcome)


async def comparable(lab: A2aLab, session: A2aSession) -> list[Provoked]:
    """Conditions that every agent can be brought into, on one binding."""
    found: list[Provoked] = [
        ("GetTask of an unknown task", await session.get(NOWHERE)),
        ("CancelTask of an unknown task", await session.cancel(NOWHERE)),
        ("SendMessage without a message", await session.call("SendMessage", {})),
    ]
    if lab.effects.has(Role.ECHO):
        task = await completed(lab, session)
        found.append(("CancelTask of a completed task", await session.cancel(task.task_id)))
        found.append(("SendMessage to a completed task", await session.send("and on", task=task.task_id)))
    return found


@check(
    "a2a.err.binding-equivalence",
    "One condition is the same error on every binding",
    mutants=("a2a.rest-not-found-as-params", "a2a.rest-serves-late-cancel"),
)
async def bindings_agree_on_errors(lab: A2aLab) -> None:
    """The same requests on this binding and on the other one that the card declares; their errors are compared."""
    other = HTTP_JSON if lab.binding == JSONRPC else JSONRPC
    spoken = lab.berth.claims.find(lab.version, other)
    if spoken is None:
        lab.not_applicable(f"the agent has no interface over {other}, or it is left out of this run", lab.claim_record)
    async with lab.session() as session, lab.session(binding=other) as another:
        here, there = await comparable(lab, session), await comparable(lab, another)
    for (what, mine), (_, others) in zip(here, there, strict=True):
        found = errors.differing((lab.spoken, mine), (spoken, others))
        lab.expect(found and Violation(f"{what}: {found.expected}", found.actual, found.records, soft=found.soft))


@check(
    "a2a.err.rate-limit-shape",
    "A burst of requests is served, or limited by an error that says so",
    mutants=("a2a.burst-500", "a2a.burst-silent"),
    harm=Harm.LOAD,
    limits=True,
)
async def bursts_are_limited_politely(lab: A2aLab) -> None:
    """Forty cheap requests at once: each is answered, or refused with HTTP status 429 or 503, or in an envelope."""
    async with lab.session() as session:
        burst = [await session.begin("GetTask", {"id": NOWHERE}) for _ in range(40)]
        outcomes = [await exchange.outcome() for exchange in burst]
        for outcome in outcomes:
            known = errors.refused(lab.spoken, outcome, "TaskNotFound") is None
            lab.expect(None if known else limited(outcome))
        limits = sum(outcome.reply.status in (429, 503) for outcome in outcomes)
        lab.note(f"{limits} of {len(outcomes)} requests were limited", outcomes[-1])


def limited(outcome: Outcome) -> Violation | None:
    right = isinstance(outcome, Refusal) and outcome.reply.status in (429, 503)
    return expect.that(right, "TaskNotFound, or HTTP status 429 or 503", outcome, outcome)
