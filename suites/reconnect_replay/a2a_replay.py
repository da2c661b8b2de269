"""A2A: streams that are lost, and what a client gets who comes back."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from seatrial import (
    TERMINAL,
    A2aLab,
    A2aSession,
    Departure,
    Ending,
    Reason,
    Role,
    TaskStream,
    Update,
    Violation,
    check,
    expect,
)
from seatrial.faults import RESET, cut_after_events
from seatrial.judge.a2a.streams import complete, consecutive, covers, once, steps, whole

from ..tasks import Work, at_work, waiting
from .watching import STREAM, begins, ticks

CHUNKS = 10
POSITIONS = range(1, 6)
"""After how many events a stream is cut."""
BURST = 200
JOINING = (2, 10, 20, 35, 50, 70, 90, 120)
"""After how many chunks of a burst a reader joins."""


async def work(lab: A2aLab, session: A2aSession, count: int = CHUNKS, gap: float = 0.1) -> tuple[Work, TaskStream]:
    """A task with numbered chunks, at work, and the stream that began it."""
    found = await at_work(lab, session, Role.TICKS, count=count, gap=gap)
    assert found.stream is not None, "the check needs streams"
    return found, found.stream


async def rejoin(lab: A2aLab, session: A2aSession, task: str, within: float) -> TaskStream | None:
    """A subscription read to its end; None where the task was over before it came."""
    stream = await session.subscribe(task)
    await stream.ended(within)
    if not stream.is_stream and (await session.task(task)).terminal:
        return None
    return stream


@check(
    "a2a.replay.drop-does-not-kill-task",
    "A task goes on when its stream is lost",
    requirements=("a2a.replay.drop-does-not-kill-task", "a2a.replay.drop-does-not-kill-task.early"),
    needs=STREAM,
    faults=("cut", "reset", "half_close"),
    mutants=("drop.kills-task", "drop.freezes-task", "drop.repeats-task"),
    patience=1.0,
)
async def a_task_outlives_its_stream(lab: A2aLab) -> None:
    """Three streams are left after some events: closed, reset and half closed. Each task must complete, with every
    chunk that a stream shows which nobody left. In 0.3 a client comes back by tasks/resubscribe too."""
    async with lab.session() as session:
        runs = [(how, *await work(lab, session)) for how in Departure]
        for how, _, stream in runs:
            await stream.has(3)
            await stream.leave(how)
        control = await session.task((await ticks(lab, session, CHUNKS)).task_id)
        for how, run, _ in runs:
            await _goes_on(lab, session, run, how, control)


async def _goes_on(lab: A2aLab, session: A2aSession, run: Work, how: Departure, control: Update) -> None:
    family = "a2a.replay.drop-does-not-kill-task"
    task = await session.settles(run.task, *TERMINAL, within=run.rest(lab))
    told = f"it is {task.state or 'gone'}"
    done = expect.that(task.state == "completed", f"the task completes after {how.value}", told, task.record)
    lab.expect(done, family)
    lab.expect(complete(task, control), family)


@check(
    "a2a.replay.blocking-drop",
    "A task goes on when the request that waits for it is lost",
    needs={Role.ASK, Role.TICKS},
    faults=("cut",),
    mutants=("drop.kills-waited-task",),
    patience=1.0,
)
async def a_task_outlives_a_blocking_request(lab: A2aLab) -> None:
    """A task that asks for input gets it by a send that waits, whose connection is reset before its answer."""
    async with lab.session() as session:
        task = await waiting(lab, session)
        play = await lab.effects.plan(Role.TICKS, count=CHUNKS, gap=0.1)
        params = session.sending(play.params["text"], task=task.task_id, context=task.context_id, blocking=True)
        exchange = await session.begin("SendMessage", params)
        await exchange.dispatched.wait()
        await lab.quiet(0.1)
        if exchange.ending is not Ending.OPEN:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the answer was faster than the cut", exchange.sent)
        await exchange.leave(Departure.RST)
        found = await session.settles(task.task_id, *TERMINAL, within=play.lasts * 2 + lab.tempo.answer)
        lab.expect(expect.that(found.state == "completed", "it completes", f"it is {found.state}", found.record))


@check(
    "a2a.replay.subscribe-snapshot-first",
    "A subscription begins with the Task as it is now",
    needs=STREAM,
    faults=("cut",),
    mutants=("subscribe.no-snapshot", "subscribe.stale-snapshot", "subscribe.snapshot-without-artifacts"),
)
async def a_subscription_begins_with_the_task(lab: A2aLab) -> None:
    """A stream is left after three chunks and the client subscribes: the first event is the Task, at work, with at
    least the chunks that were seen."""
    async with lab.session() as session:
        run, head = await work(lab, session, 3 * CHUNKS)
        await head.has_chunks(3, run.rest(lab))
        await head.leave()
        tail = await session.subscribe(run.task)
        await tail.has(1)
        if not tail.is_stream:
            lab.inconclusive(Reason.STIMULUS_FAILED, "there was no subscription", *head.records[-1:], *tail.records)
        lab.require(begins(tail, "task"))
        first = tail.updates[0]
        same = (first.task_id, first.terminal) == (run.task, False)
        told = f"task {first.task_id} in state {first.state}"
        lab.expect(expect.that(same, f"task {run.task}, at work", told, first.record))
        lab.expect(covers(first, head.updates))
        await tail.leave()


@check(
    "a2a.replay.no-gap",
    "Snapshot and following events give the full sequence without a hole or a repetition",
    needs=STREAM,
    faults=("cut_after_events",),
    mutants=("subscribe.misses-event", "subscribe.repeats-event", "subscribe.whole-log-again"),
    patience=1.0,
)
async def no_gap_after_a_cut(lab: A2aLab) -> None:
    """Streams are reset after one to five events. Every second client comes back at once, the others late. What the
    subscription brings must add up to what is stored in the end. An agent so slow that every client came too late is
    given longer tasks once."""
    tails: list[TaskStream] = []
    for gap in (0.1, 0.5):
        async with lab.session() as session, anyio.create_task_group() as group:
            for position in POSITIONS:
                group.start_soon(_cut_and_resumed, lab, session, position, gap, tails)
        if any(steps(tail.updates) for tail in tails):
            return
    lab.inconclusive(Reason.STIMULUS_FAILED, "no subscription brought a chunk: all came too late")


async def _cut_and_resumed(
    lab: A2aLab, session: A2aSession, position: int, gap: float, tails: list[TaskStream]
) -> None:
    fault = cut_after_events(position, on=session.on("SendStreamingMessage"), how=RESET)
    play = await lab.effects.plan(Role.TICKS, count=CHUNKS, gap=gap)
    async with lab.session(fault) as broken:
        head = await broken.play_stream(play)
        await head.ended(play.lasts * 1.5 + lab.tempo.answer)
    if position % 2 == 0:
        await lab.quiet(2.5 * play.gap)
    tail = await rejoin(lab, session, head.task_id, play.lasts * 2 + lab.tempo.answer)
    if tail is not None:
        tails.append(tail)
        lab.expect(_adds_up(tail, await session.task(head.task_id), f"after a cut behind {position} events"))


def _adds_up(tail: TaskStream, task: Update, when: str) -> list[Violation]:
    """A subscription that ended with its task, and whose events are the whole."""
    ended = expect.that(
        tail.is_stream and tail.ending is Ending.CLOSED and tail.state == task.state,
        f"a subscription {when} ends with its task ({task.state})",
        f"it is {tail.ending.value} in state {tail.state or 'none'}",
        *tail.records[-2:],
        tail.exchange.end,
    )
    parts = whole(tail.updates, task, f"the events of a subscription {when}")
    return [found for found in (ended, parts or once(tail.updates, task)) if found]


@check(
    "a2a.replay.no-gap-race",
    "A subscription in a burst of events misses none and repeats none",
    needs=STREAM,
    mutants=("subscribe.misses-event", "subscribe.repeats-event", "subscribe.late-join"),
    patience=0.5,
)
async def no_gap_in_a_burst(lab: A2aLab) -> None:
    """Chunks come 1 ms apart while readers subscribe one after the other."""
    tails: list[TaskStream] = []
    async with lab.session() as session:
        run, head = await work(lab, session, BURST, 0.001)
        for place in JOINING:
            await head.has_chunks(place, run.rest(lab))
            tail = await session.subscribe(run.task)
            await tail.has(1)
            tails.append(tail)
        task = await session.settles(run.task, *TERMINAL, within=run.rest(lab) + lab.tempo.answer)
        for tail in tails:
            await tail.ended()
    caught = [tail for tail in tails if steps(tail.updates)]
    if not caught:
        lab.inconclusive(Reason.STIMULUS_FAILED, "every reader came too late", task.record)
    for tail in caught:
        lab.expect(_adds_up(tail, task, "in a burst"))


@check(
    "a2a.replay.backfill-03",
    "tasks/resubscribe delivers a snapshot, a backfill or what is new, and then the rest of the task",
    needs=STREAM,
    faults=("cut_after_events",),
    mutants=("resubscribe.with-holes",),
)
async def what_a_resubscription_delivers(lab: A2aLab) -> None:
    """A stream is left after three chunks, and the client comes back later: its chunks are without holes."""
    async with lab.session() as session:
        run, head = await work(lab, session, 2 * CHUNKS)
        await head.has_chunks(3, run.rest(lab))
        await head.leave()
        await lab.quiet(2.5 * run.play.gap)
        tail = await rejoin(lab, session, run.task, run.rest(lab))
        if tail is None or not tail.is_stream:
            lab.inconclusive(Reason.STIMULUS_FAILED, "there was nothing to subscribe to any more", *head.records[-1:])
        lab.note(f"tasks/resubscribe delivers {_manner(tail, head)}", *tail.records[:2])
        lab.expect(consecutive(steps(tail.updates), "chunks without holes", tail.records))
        lab.expect(expect.that(tail.ending is Ending.CLOSED, "the stream ends", tail.ending.value, tail.exchange.end))


def _manner(tail: TaskStream, head: TaskStream) -> str:
    if tail.updates and tail.updates[0].kind == "task":
        return "a snapshot and what follows"
    seen, again = steps(head.updates), steps(tail.updates)
    return "a backfill" if again and seen and again[0] <= seen[-1] + 1 else "what is new"


@check(
    "a2a.replay.store-not-duplicated",
    "Subscribing does not change the stored task",
    needs=STREAM,
    faults=("cut",),
    mutants=("subscribe.stores-again", "subscribe.runs-again"),
    patience=1.0,
)
async def readers_do_not_change_the_store(lab: A2aLab) -> None:
    """A stream is left, and three readers subscribe: every chunk is stored once."""
    async with lab.session() as session:
        run, head = await work(lab, session)
        await head.has_chunks(2, run.rest(lab))
        await head.leave(Departure.RST)
        tails = [await session.subscribe(run.task) for _ in range(3)]
        control = await session.task((await ticks(lab, session, CHUNKS)).task_id)
        task = await session.settles(run.task, *TERMINAL, within=run.rest(lab))
        _read(lab, tails)
        lab.expect(complete(task, control))


def _read(lab: A2aLab, tails: Sequence[TaskStream]) -> None:
    """Raises Inconclusive unless somebody subscribed."""
    if not any(tail.updates for tail in tails):
        lab.inconclusive(Reason.STIMULUS_FAILED, "nobody could subscribe", *(tail.exchange.sent for tail in tails))
