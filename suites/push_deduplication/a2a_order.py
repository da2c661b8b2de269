"""A2A: notifications in their order, each event once, and repetitions that can be told from events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anyio
from seatrial import TERMINAL, A2aLab, Delivery, Feature, Isolation, Reason, Role, acts, check, expect
from seatrial.judge import deliveries as judge
from seatrial.judge.a2a import notifications

from ..tasks import waiting
from .notifying import RETRY, Mode, configured, disturbed, heard, must_hear, observed, played, working

SLOW = 0.4
"""Seconds after which a slow receiver answers."""
TASKS = 5
"""Tasks that say all they have to say at once, for a sender that does not wait for answers may be lucky."""


@check(
    "a2a.push.order",
    "The notifications of a configuration arrive in the order of their events",
    requirements=("a2a.push.order", "a2a.push.order.early"),
    needs={Feature.PUSH, Role.TICKS, Role.ECHO},
    faults=("ack_slow",),
    mutants=("push.all-at-once", "push.last-first"),
    patience=2.0,
)
async def notifications_keep_their_order(lab: A2aLab) -> None:
    """A task sends chunks in quick succession, and several say all they have to say at once (some by the stimulus,
    some to a word that is none), while each webhook is slow to answer the first delivery: nothing comes after what
    followed it. Deliveries that overlap are noted."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_in_order, lab, Role.TICKS)
        for _ in range(TASKS):
            tasks.start_soon(_in_order, lab, Role.ECHO)
            tasks.start_soon(_in_order, lab, Role.ECHO, "whatever")


async def _in_order(lab: A2aLab, role: Role, text: str = "") -> None:
    hook = await lab.hook(acts.ack_slow(SLOW), acts.ack())
    quick: dict[str, Any] = {"count": 10, "gap": 0.02} if role is Role.TICKS else {}
    play = await lab.effects.plan(role, **quick)
    play = replace(play, params={**play.params, "text": text or play.params["text"]})
    mode = Mode.STREAM if lab.declares(Feature.STREAMING) else Mode.WAITING
    async with lab.session() as session:
        told = await played(lab, session, play, session.push_config(hook.url), mode)
        deliveries = await heard(lab, hook, told.task, within=5.0)
    must_hear(lab, deliveries, told.task.record)
    if overlapping := judge.overlaps(deliveries):
        first, second = overlapping[0]
        lab.note(
            f"{len(overlapping)} deliveries began before the one before them was over", first.record, second.record
        )
    place = notifications.progress if lab.version == "0.3" else notifications.along(told.stream)
    lab.expect(judge.in_order(deliveries, place), "a2a.push.order")


@check(
    "a2a.push.no-spontaneous-duplicates",
    "A notification that was acknowledged is not repeated",
    needs={Feature.PUSH, Role.TICKS},
    mutants=("push.twice", "push.repeated-config-counts-twice"),
    patience=2.0,
)
async def acknowledged_notifications_are_not_repeated(lab: A2aLab) -> None:
    """A webhook that answers 200 gets each event of a task once. Where a task can ask for input, a later message
    repeats the configuration of the first, without an id: it brings no more than one that does not."""
    turns: dict[bool, list[Delivery]] = {}

    async def turn(repeat: bool) -> None:
        turns[repeat] = await second_turn(lab, repeat=repeat)

    async with anyio.create_task_group() as tasks:
        for repeat in (False, True) if lab.effects.has(Role.ASK) else ():
            tasks.start_soon(turn, repeat)
        deliveries, told = await observed(lab, await lab.hook())
    lab.expect(notifications.too_often(deliveries, told.stream))
    if turns:
        lab.expect(judge.duplicates(turns[True]) if len(turns[True]) > len(turns[False]) else None)


async def second_turn(lab: A2aLab, *, repeat: bool) -> list[Delivery]:
    """What is told of the second turn of a task. `repeat`: its message brings the configuration once more."""
    hook = await lab.hook()
    async with lab.session() as session:
        push = session.push_config(hook.url)
        task = await waiting(lab, session, push=push)
        first = len(await heard(lab, hook, task))
        outcome = await session.send("and now?", task=task.task_id, push=push if repeat else None)
        lab.need(outcome, "the second message")
        over = await session.settles(task.task_id, *TERMINAL, within=lab.tempo.answer)
        return (await heard(lab, hook, over))[first:]


@check(
    "a2a.push.same-url-twice",
    "Deliveries of two configurations with one URL can be told apart",
    needs={Feature.PUSH, Role.HOLD},
    mutants=("push.without-token",),
)
async def configurations_of_one_url_are_told_apart(lab: A2aLab) -> None:
    """Two configurations of a task name one webhook, each with a token of its own: what comes twice has both."""
    hook, tokens = await lab.hook(), [lab.effects.fresh_key(), lab.effects.fresh_key()]
    async with lab.session() as session, working(lab, session) as task:
        for number, token in enumerate(tokens):
            await configured(lab, session, task, hook.url, id=f"config-{number}", token=token)
        await hook.delivered(6, lab.tempo.scaled(3.0))
    deliveries = list(hook.deliveries)
    must_hear(lab, deliveries)
    twice = [tries for tries in judge.attempts(deliveries) if len(tries) > 1]
    alike = [tries for tries in twice if len({delivery.headers for delivery in tries}) < len(tries)]
    records = [delivery.record for tries in alike for delivery in tries]
    lab.expect(expect.that(not alike, "two tokens", f"{len(alike)} events came twice without a difference", *records))


@check(
    "a2a.push.duplicate-identifiable",
    "A repeated notification can be recognised as one",
    needs={Feature.PUSH, Role.ECHO},
    faults=("ack",),
    mutants=("push.retries-rewritten",),
    isolation=Isolation.SESSION,
    patience=5.0,
)
async def repetitions_can_be_recognised(lab: A2aLab) -> None:
    """A receiver answers 500 and then takes everything: the second attempt has the same bytes, or an id in a header
    that it shares with the first."""
    hook = await lab.hook(acts.ack(500), acts.ack())
    await disturbed(lab, hook)
    await hook.until(lambda deliveries: bool(_tried_again(deliveries)), lab.tempo.scaled(RETRY))
    tries = _tried_again(hook.deliveries)
    if not tries:
        lab.inconclusive(Reason.STIMULUS_FAILED, "nothing was tried again", hook.deliveries[0].record)
    same = len({delivery.content for delivery in tries}) == 1 or bool(_ids(tries[0]) & _ids(tries[1]))
    records = [delivery.record for delivery in tries]
    lab.expect(expect.that(same, "the same bytes, or an id in common", "another body without an id", *records))


def _tried_again(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """The attempts of the first event that has several."""
    return next((tries for tries in judge.attempts(deliveries, notifications.event) if len(tries) > 1), [])


def _ids(delivery: Delivery) -> set[tuple[str, str]]:
    """Headers that look like the id of an event."""
    return {(name.lower(), value) for name, value in delivery.headers if name.lower().endswith(("-id", "-key"))}
