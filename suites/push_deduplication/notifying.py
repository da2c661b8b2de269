"""Tasks that are played under the eyes of webhooks of ours, and what those are told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import anyio
from seatrial import (
    A2aLab,
    A2aSession,
    Delivery,
    Feature,
    Hook,
    Outcome,
    Play,
    PushConfig,
    Reason,
    Refusal,
    Role,
    Update,
    expect,
    update_in,
)
from seatrial.judge.a2a.notifications import states, update

from ..tasks import OVER, task_in

Config = Mapping[str, Any]

RETRY = 4.5
"""Seconds within which a first retry must come."""


class Mode(StrEnum):
    """How a message is sent that begins a task."""

    WAITING = "a send that waits"
    BACKGROUND = "a send that does not wait"
    STREAM = "a stream"


@dataclass(frozen=True, slots=True)
class Told:
    """A task that was played to its end: as it is stored, and what its stream showed (nothing without one)."""

    task: Update
    stream: Sequence[Update] = ()


def modes(lab: A2aLab) -> list[Mode]:
    """Those that the agent offers."""
    return [mode for mode in Mode if mode is not Mode.STREAM or lab.declares(Feature.STREAMING)]


async def ticks(lab: A2aLab) -> Play:
    return await lab.effects.plan(Role.TICKS, count=4, gap=0.1)


def admitted(lab: A2aLab, outcome: Outcome) -> None:
    """Raises Inconclusive where a message or a configuration that names our webhook is refused: an agent that calls
    nobody on its own machine does right."""
    if isinstance(outcome, Refusal):
        detail = f"the agent refuses our webhook: {expect.shown(outcome)}"
        lab.inconclusive(Reason.WEBHOOK_REFUSED, detail, outcome)
    lab.need(outcome, "what names our webhook")


async def played(
    lab: A2aLab, session: A2aSession, play: Play, push: Config | None, mode: Mode = Mode.WAITING, **options: Any
) -> Told:
    """A task whose first message brings a configuration, played to its end."""
    if mode is Mode.STREAM:
        return await _streamed(lab, session, play, push, options)
    outcome = await session.perform(play, blocking=mode is Mode.WAITING, push=push, **options)
    admitted(lab, outcome)
    return Told(await _ended(lab, session, play, update_in(outcome).task_id, outcome))


async def _streamed(lab: A2aLab, session: A2aSession, play: Play, push: Config | None, options: Any) -> Told:
    stream = await session.play_stream(play, push=push, **options)
    opened = await stream.opened(lab.tempo.answer + play.lasts)
    admitted(lab, opened)
    await stream.ended(patience(lab, play))
    return Told(await _ended(lab, session, play, stream.task_id, opened), stream.updates)


async def _ended(lab: A2aLab, session: A2aSession, play: Play, task: str, outcome: Outcome) -> Update:
    if not task:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus began no task", outcome)
    return await session.settles(task, *OVER, within=patience(lab, play))


def patience(lab: A2aLab, play: Play) -> float:
    """Seconds within which a play is surely over."""
    return max(play.lasts, 0.0) * 1.5 + lab.tempo.answer


async def heard(lab: A2aLab, hook: Hook, task: Update, within: float = 3.0) -> list[Delivery]:
    """What a webhook is told: until it knows how the task stands and nothing follows, or for so many seconds."""
    await hook.until(lambda deliveries: task.state in states(deliveries), lab.tempo.scaled(within))
    await hook.silent(lab.tempo.scaled(0.6), lab.tempo.scaled(within + 3.0))
    return list(hook.deliveries)


async def heard_at_once(lab: A2aLab, hooks: Sequence[Hook], task: Update) -> list[list[Delivery]]:
    """What each of several webhooks is told of one task."""
    async with anyio.create_task_group() as tasks:
        for hook in hooks:
            tasks.start_soon(heard, lab, hook, task)
    return [list(hook.deliveries) for hook in hooks]


def must_hear(lab: A2aLab, deliveries: Sequence[Delivery], *evidence: int) -> None:
    """Raises Inconclusive where nothing came: that something must is a claim of its own."""
    if not deliveries:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no notification came", *evidence)


async def observed(lab: A2aLab, hook: Hook, **settings: str) -> tuple[list[Delivery], Told]:
    """The chunks of one task, on its stream where there is one, and told to one webhook."""
    play = await ticks(lab)
    mode = modes(lab)[-1] if lab.declares(Feature.STREAMING) else Mode.WAITING
    async with lab.session() as session:
        told = await played(lab, session, play, session.push_config(hook.url, **settings), mode)
        deliveries = await heard(lab, hook, told.task)
    must_hear(lab, deliveries, told.task.record)
    return deliveries, told


async def observed_at_once(lab: A2aLab, *settings: Mapping[str, str]) -> list[tuple[list[Delivery], Told]]:
    """A task for each of these settings of a configuration, all at the same time."""
    found: dict[int, tuple[list[Delivery], Told]] = {}

    async def watch(place: int) -> None:
        found[place] = await observed(lab, await lab.hook(), **settings[place])

    async with anyio.create_task_group() as tasks:
        for place in range(len(settings)):
            tasks.start_soon(watch, place)
    return [found[place] for place in range(len(settings))]


async def disturbed(lab: A2aLab, hook: Hook) -> None:
    """A task that is over at once, told to a webhook that is not in good order. Whether its own client learns of it
    meanwhile is a claim of its own."""
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as session:
        push = session.push_config(hook.url)
        said = session.sending(play.params["text"], message_id=play.params["message_id"], blocking=False, push=push)
        exchange = await session.begin("SendMessage", said)
        if not await hook.delivered(1, lab.tempo.answer):
            admitted(lab, await exchange.outcome())
        await exchange.outcome(lab.tempo.scaled(1.0))
    must_hear(lab, hook.deliveries, exchange.sent)


@asynccontextmanager
async def working(lab: A2aLab, session: A2aSession, push: Config | None = None) -> AsyncIterator[str]:
    """The id of a task that works for a while; it is cancelled in the end."""
    play = await lab.effects.plan(Role.HOLD, seconds=5.0)
    outcome = await session.perform(play, blocking=False, push=push)
    if push:
        admitted(lab, outcome)
    task = task_in(lab, outcome, "the stimulus hold").task_id
    try:
        yield task
    finally:
        await session.cancel(task)


async def configured(lab: A2aLab, session: A2aSession, task: str, url: str, **settings: str) -> PushConfig:
    """A configuration that was created for a task, as the agent shows it."""
    outcome = await session.create_push(task, session.push_config(url, **settings))
    admitted(lab, outcome)
    return PushConfig.read(lab.need(outcome).result)


async def listed(lab: A2aLab, session: A2aSession, task: str, **paging: Any) -> list[PushConfig]:
    """The configurations of a task, as its agent lists them."""
    outcome = await session.list_push(task, **paging)
    return PushConfig.listed(lab.need(outcome, "the list of the configurations").result)


def last(deliveries: Iterable[Delivery]) -> str:
    """The last state that was told, "" for none."""
    return next((said.state for said in map(update, reversed(list(deliveries))) if said.state), "")
