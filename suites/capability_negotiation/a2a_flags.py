"""A2A: every flag of the card against what the agent does, in both directions."""

from __future__ import annotations

from seatrial import (
    NOWHERE,
    A2aLab,
    A2aSession,
    Answer,
    Feature,
    Isolation,
    Outcome,
    PushConfig,
    Reason,
    Refusal,
    Role,
    check,
    expect,
    update_in,
)
from seatrial.judge.a2a import refused
from seatrial.judge.a2a.errors import named

from ..operations import HOOK

STREAMING = "a2a.cap.streaming-flag-false"
MISSING = frozenset({-32003, -32004, -32007, -32601})
"""Errors of an agent that does not have an operation at all."""


def absent(lab: A2aLab, feature: Feature) -> None:
    """Raises NotApplicable where the card declares a capability whose absence is the subject."""
    if lab.declares(feature):
        lab.not_applicable(f"the card declares {feature.value}", lab.claim_record)


async def some_task(lab: A2aLab, session: A2aSession) -> str:
    """The id of a task that exists; one that does not where the agent answers with a Message."""
    play = await lab.effects.plan(Role.ECHO)
    return update_in(lab.need(await session.perform(play), "a message")).task_id or NOWHERE


# Streaming


@check(
    "a2a.cap.streaming-flag-true",
    "An agent that declares streaming streams",
    needs={Feature.STREAMING, Role.ECHO},
    mutants=("card.promises-streaming", "streaming.plain-answer"),
)
async def declared_streaming_streams(lab: A2aLab) -> None:
    """A message is sent for a stream: it must be an event stream and hold at least one update."""
    async with lab.session() as session:
        stream = await session.play_stream(await lab.effects.plan(Role.ECHO))
        opened = await stream.opened()
        await stream.has(1)
    updates = [update for update in stream.updates if update.kind]
    wanted = "an event stream with at least one update"
    lab.expect(expect.that(stream.is_stream and bool(updates), wanted, opened, opened))


@check(
    STREAMING,
    "An agent that does not declare streaming refuses both streaming operations",
    requirements=(STREAMING, f"{STREAMING}.early"),
    needs={Role.ECHO},
    mutants=("card.hides-streaming", "bare.streaming-internal-error", "bare.streaming-unknown-method"),
)
async def undeclared_streaming_is_refused(lab: A2aLab) -> None:
    """A message is sent for a stream, and a task that was made without one is subscribed to."""
    absent(lab, Feature.STREAMING)
    async with lab.session() as session:
        play = await lab.effects.plan(Role.ECHO)
        sent = await (await session.play_stream(play)).opened()
        lab.expect(refused(lab.spoken, sent, "UnsupportedOperation"), STREAMING)
        task = await some_task(lab, session)
        joined = await (await session.subscribe(task)).opened()
        # A task that does not exist may be missed before the capability is.
        names = ("UnsupportedOperation",) if task != NOWHERE else ("UnsupportedOperation", "TaskNotFound")
        lab.expect(refused(lab.spoken, joined, *names), STREAMING)


# Push notifications


async def configured(lab: A2aLab, session: A2aSession, task: str) -> list[Outcome]:
    """Create, get, list and delete a configuration of a task, and get it once more."""
    ident = f"config-{session.fresh_id()}"
    created = await session.create_push(task, session.push_config(HOOK, id=ident))
    if isinstance(created, Answer):
        ident = PushConfig.read(created.result).id or ident
    got, listed = await session.get_push(task, ident), await session.list_push(task)
    return [created, got, listed, await session.delete_push(task, ident), await session.get_push(task, ident)]


@check(
    "a2a.cap.push-flag-true",
    "An agent that declares push notifications serves their configuration",
    needs={Feature.PUSH, Role.ECHO},
    mutants=("card.promises-push", "push.no-list"),
)
async def declared_push_is_configured(lab: A2aLab) -> None:
    """A configuration of a task is created, read, listed and deleted. A refused loopback webhook tells nothing."""
    async with lab.session() as session:
        task = await some_task(lab, session)
        if task == NOWHERE:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the agent answers with Messages: there is no task to configure")
        *used, deleted, again = await configured(lab, session, task)
    if isinstance(used[0], Refusal) and named(lab.spoken, used[0]) == "InvalidParams":
        lab.inconclusive(Reason.WEBHOOK_REFUSED, "the agent refuses our webhook", used[0])
    for verb, outcome in zip(("create", "get", "list"), used, strict=True):
        lab.expect(expect.answered(outcome, f"a configuration can be used: {verb}"))
    # That a result is missing in its envelope is for other checks: what counts here is that it is gone.
    gone = isinstance(again, Refusal) and (deleted.reply.status or 500) < 300
    served = gone or isinstance(deleted, Answer)
    lab.expect(expect.that(served, "a configuration can be deleted", deleted, deleted, again))


@check(
    "a2a.cap.push-flag-false",
    "An agent that does not declare push notifications refuses their configuration",
    needs={Role.ECHO},
    mutants=("card.hides-push", "bare.push-internal-error"),
)
async def undeclared_push_is_refused(lab: A2aLab) -> None:
    """The four operations of configurations, for a task that exists where the agent makes tasks."""
    absent(lab, Feature.PUSH)
    async with lab.session() as session:
        task = await some_task(lab, session)
        names = ("PushNotificationNotSupported",) + (("TaskNotFound",) if task == NOWHERE else ())
        for outcome in await configured(lab, session, task):
            lab.expect(refused(lab.spoken, outcome, *names))


@check(
    "a2a.cap.push-inline-flag-false",
    "Without declared push support an inline configuration has no effect",
    needs={Role.ECHO},
    isolation=Isolation.SESSION,
    mutants=("bare.inline-push-delivered",),
)
async def undeclared_inline_push_is_idle(lab: A2aLab) -> None:
    """A message brings a configuration with our webhook: it is refused as such, or taken and never used."""
    absent(lab, Feature.PUSH)
    hook = await lab.hook()
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as session:
        outcome = await session.perform(play, push=session.push_config(hook.url))
        if isinstance(outcome, Refusal):
            lab.note("the configuration is refused", outcome)
            lab.expect(refused(lab.spoken, outcome, "PushNotificationNotSupported"))
            return
        lab.need(outcome, "the message")
        lab.note("the configuration is passed over", outcome)
        await lab.quiet()
    lab.expect(expect.silent(hook.deliveries, "nothing is delivered"))


# The whole


@check(
    "a2a.cap.no-capability-drift",
    "Declared and observed capabilities agree",
    mutants=("card.hides-push", "card.promises-push"),
)
async def flags_and_behaviour_agree(lab: A2aLab) -> None:
    """Each capability is asked for once, on a task that does not exist, and held against its flag."""
    async with lab.session() as session:
        seen = {
            Feature.STREAMING: await (await session.subscribe(NOWHERE)).opened(),
            Feature.PUSH: await session.list_push(NOWHERE),
            Feature.EXTENDED_CARD: await session.call("GetExtendedAgentCard"),
        }
    for feature, outcome in seen.items():
        declared = lab.declares(feature)
        wanted = f"{feature.value} is {'there' if declared else 'not there'}, as the card declares"
        lab.expect(expect.that(_there(outcome) in (declared, None), wanted, outcome, outcome))


def _there(outcome: Outcome) -> bool | None:
    """Does the agent have what it was asked for? None where its answer leaves that open."""
    if not isinstance(outcome, Refusal):
        return True if isinstance(outcome, Answer) else None
    return None if outcome.code is None else outcome.code not in MISSING
