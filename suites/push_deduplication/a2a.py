"""A2A: every configured webhook is called, whatever way the task was begun in, and as long as it lasts."""

from __future__ import annotations

import anyio
from seatrial import (
    TERMINAL,
    A2aLab,
    Delivery,
    Feature,
    Inconclusive,
    PushConfig,
    Reason,
    Role,
    acts,
    check,
    expect,
)
from seatrial.judge.a2a.notifications import states, texts

from ..tasks import OVER, task_in, waiting
from .notifying import (
    Mode,
    Told,
    admitted,
    configured,
    heard,
    heard_at_once,
    last,
    listed,
    modes,
    patience,
    played,
    ticks,
)

AT_LEAST_ONCE = "a2a.push.at-least-once"


@check(
    AT_LEAST_ONCE,
    "Every configured webhook is called at least once, and learns how the task ended",
    needs={Feature.PUSH, Role.TICKS},
    mutants=("push.never", "push.first-state-only"),
)
async def webhooks_are_called(lab: A2aLab) -> None:
    """A message with a configuration is sent in every way that the agent offers: each webhook is called, and what it
    is told last is the state of the stored task."""
    for mode, (deliveries, told) in (await each_mode(lab)).items():
        records = [delivery.record for delivery in deliveries]
        once = expect.that(bool(deliveries), f"a delivery after {mode}", "none came", told.task.record)
        final = f"the last state told after {mode} is {told.task.state}"
        if lab.expect(once, AT_LEAST_ONCE):
            right = last(deliveries) == told.task.state
            lab.expect(expect.that(right, final, states(deliveries), told.task.record, *records, soft=True))


async def each_mode(lab: A2aLab) -> dict[Mode, tuple[list[Delivery], Told]]:
    """What is told of tasks that were begun in every way, all at once; without the ways in which a message with a
    webhook is refused, if it is taken in another. Raises Inconclusive when it is taken in none."""
    found: dict[Mode, tuple[list[Delivery], Told]] = {}
    refusals: list[Inconclusive] = []

    async def watch(mode: Mode) -> None:
        hook, play = await lab.hook(), await ticks(lab)
        async with lab.session() as session:
            try:
                told = await played(lab, session, play, session.push_config(hook.url), mode)
            except Inconclusive as refusal:
                lab.note(f"{mode}: {refusal.detail}", *refusal.records)
                return refusals.append(refusal)
            found[mode] = await heard(lab, hook, told.task), told
        return None

    async with anyio.create_task_group() as tasks:
        for mode in modes(lab):
            tasks.start_soon(watch, mode)
    if not found:
        raise refusals[0]
    return found


@check(
    "a2a.push.independent-of-mode",
    "What is notified does not depend on how the task was begun",
    needs={Feature.PUSH, Role.TICKS},
    mutants=("push.not-in-background", "push.not-while-streaming"),
)
async def modes_make_no_difference(lab: A2aLab) -> None:
    """The same task is begun by a send that waits, by one that does not, and by a stream: the webhooks are told the
    same chunks and the same end."""
    every = await each_mode(lab)
    sums = {mode: (tuple(texts(deliveries)), last(deliveries)) for mode, (deliveries, _) in every.items()}
    if not any(deliveries for deliveries, _ in every.values()):
        lab.inconclusive(Reason.STIMULUS_FAILED, "no notification came in any mode")
    records = [delivery.record for deliveries, _ in every.values() for delivery in deliveries]
    shown = {str(mode): f"{len(chunks)} chunks, then {state or 'no state'}" for mode, (chunks, state) in sums.items()}
    same = len({(len(chunks), state) for chunks, state in sums.values()}) == 1
    lab.expect(expect.that(same, "the same in every mode", shown, *records[:20]))


@check(
    "a2a.push.inline-config",
    "A configuration that comes with a message holds for the new task",
    needs={Feature.PUSH, Role.TICKS},
    mutants=("push.inline-ignored", "push.inline-unlisted"),
)
async def inline_configurations_are_kept(lab: A2aLab) -> None:
    """A message brings a configuration and does not wait: its webhook is called, and it is listed as long as the task
    works."""
    hook, play = await lab.hook(), await ticks(lab)
    async with lab.session() as session:
        outcome = await session.perform(play, blocking=False, push=session.push_config(hook.url))
        admitted(lab, outcome)
        begun = task_in(lab, outcome)
        from_list = await session.list_push(begun.task_id)
        task = await session.settles(begun.task_id, *OVER, within=patience(lab, play))
        deliveries = await heard(lab, hook, task)
    lab.expect(expect.that(bool(deliveries), "a delivery", "none came", outcome))
    urls = [config.url for config in PushConfig.listed(lab.need(from_list, "the list of configurations").result)]
    lab.expect(expect.that(hook.url in urls, f"{hook.url} is listed", urls, from_list))


@check(
    "a2a.push.multi-config",
    "Each of several webhooks of a task is called, whatever the others answer",
    needs={Feature.PUSH, Role.TICKS},
    faults=("ack",),
    mutants=("push.one-config-only", "push.first-failure-ends"),
    patience=2.0,
)
async def every_webhook_is_called(lab: A2aLab) -> None:
    """Two configurations are made for a task at work, and one whose receiver answers 500: all three are called, and
    those that take what comes learn how the task ended."""
    hooks = [await lab.hook(acts.ack(500)), await lab.hook(), await lab.hook()]
    play = await lab.effects.plan(Role.TICKS, count=10, gap=0.3)
    async with lab.session() as session:
        begun = task_in(lab, await session.perform(play, blocking=False))
        for number, hook in enumerate(hooks):
            await configured(lab, session, begun.task_id, hook.url, id=f"config-{number}")
        task = await session.settles(begun.task_id, *OVER, within=patience(lab, play))
        told = await heard_at_once(lab, hooks, task)
    records = [deliveries[0].record for deliveries in told if deliveries]
    if not records:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no webhook was called at all", task.record)
    calls = [len(deliveries) for deliveries in told]
    if lab.expect(expect.that(all(calls), "every webhook called", f"deliveries: {calls}", *records)):
        ends = [last(deliveries) for deliveries in told[1:]]
        final = f"the end, {task.state}, told to both that take what comes"
        lab.expect(expect.that(set(ends) == {task.state}, final, ends, *records, soft=True))


@check(
    "a2a.push.config-persists",
    "A configuration lasts until its task ends",
    needs={Feature.PUSH, Role.ASK},
    mutants=("push.one-turn", "push.forgotten-at-interruption"),
    patience=2.0,
)
async def configurations_outlast_a_turn(lab: A2aLab) -> None:
    """A task asks for input; its configuration is still listed then, and the turn that follows is notified too."""
    hook = await lab.hook()
    async with lab.session() as session:
        task = await waiting(lab, session, push=session.push_config(hook.url))
        await heard(lab, hook, task)
        urls = [config.url for config in await listed(lab, session, task.task_id)]
        before = len(hook.deliveries)
        outcome = await session.send("and now?", task=task.task_id)
        over = await session.settles(task.task_id, *TERMINAL, within=lab.tempo.answer)
        deliveries = await heard(lab, hook, over)
    lab.expect(expect.that(hook.url in urls, f"{hook.url} is listed", urls, task.record))
    later = deliveries[before:]
    lab.expect(expect.that(bool(later), "a delivery in the second turn", "none came", lab.need(outcome)))
