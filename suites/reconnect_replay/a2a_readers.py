"""A2A: who may read the events of a task, several at once, and what each of them gets."""

from __future__ import annotations

from seatrial import (
    NOWHERE,
    TERMINAL,
    A2aLab,
    A2aSession,
    Departure,
    Ending,
    Feature,
    Reason,
    Role,
    TaskStream,
    Update,
    check,
    expect,
)
from seatrial.faults import events, stall
from seatrial.judge.a2a.errors import refused
from seatrial.judge.a2a.streams import consecutive, ends, same_tail, steps

from ..tasks import at_work, played, waiting
from .watching import STREAM, begins, closed

FLOOD = 1500
"""Chunks that no buffer between agent and reader holds."""
PATIENCE = 20.0
"""Seconds in which a flood is over."""


async def _readers(lab: A2aLab, session: A2aSession) -> tuple[list[TaskStream], float]:
    """The stream that began a task with chunks, and two that joined it one after the other."""
    run = await at_work(lab, session, Role.TICKS, count=12, gap=0.1)
    assert run.stream is not None
    found = [run.stream]
    for place in (1, 3):
        await run.stream.has_chunks(place, run.rest(lab))
        found.append(await session.subscribe(run.task))
        await found[-1].has(1)
    if not all(stream.updates for stream in found):
        lab.inconclusive(Reason.STIMULUS_FAILED, "not every reader could join", *(s.exchange.sent for s in found))
    return found, run.rest(lab)


@check(
    "a2a.replay.multi-subscriber-same",
    "All streams of a task get the same events in the same order, and none waits for another",
    requirements=("a2a.replay.multi-subscriber-same", "a2a.replay.slow-reader"),
    needs=STREAM,
    faults=("stall",),
    mutants=("readers.share-a-queue", "readers.in-lock-step"),
    patience=2.0,
)
async def all_readers_get_the_same(lab: A2aLab) -> None:
    """Three readers of a task with chunks. Then two of a task that waits for input, of which one stops reading: the
    next turn brings a flood of chunks, which the other must get to the end."""
    async with lab.session() as session:
        streams, within = await _readers(lab, session)
        for stream in streams:
            await stream.ended(within)
            if stream.exchange.flooded:
                lab.note("the stream is longer than what is read of it", stream.records[-1])
                continue
            lab.expect(closed(stream, "every reader gets the end"), "a2a.replay.multi-subscriber-same")
            lab.expect(same_tail(streams[0].updates, stream.updates), "a2a.replay.multi-subscriber-same")
        if not lab.effects.has(Role.ASK):
            lab.waive("no task can be made to wait for a flood", "a2a.replay.slow-reader")
        else:
            await _flooded(lab, session)


CLOSES = "a subscription to a task that waits does not stay open"


async def _flooded(lab: A2aLab, session: A2aSession) -> None:
    """A reader that goes on beside one that has stopped."""
    task = await waiting(lab, session)
    reader = await session.subscribe(task.task_id)
    await reader.has(1)
    if not reader.updates or reader.ending is not Ending.OPEN:
        lab.waive(CLOSES, "a2a.replay.slow-reader")
        return
    async with lab.session(stall(on=session.on("SubscribeToTask"), after=events(1))) as stalled:
        await (await stalled.subscribe(task.task_id)).has(1)
        play = await lab.effects.plan(Role.TICKS, count=FLOOD, gap=0)
        params = session.sending(play.params["text"], task=task.task_id, context=task.context_id, blocking=False)
        await session.begin("SendMessage", params)
        ended = await reader.ended(max(play.lasts, 0.0) * 2 + lab.tempo.scaled(PATIENCE))
        found = await session.settles(task.task_id, *TERMINAL, within=lab.tempo.answer)
    _unaffected(lab, reader, found, ended)


def _unaffected(lab: A2aLab, reader: TaskStream, task: Update, ended: bool) -> None:
    same, slow = "a2a.replay.multi-subscriber-same", "a2a.replay.slow-reader"
    if reader.ending is Ending.CLOSED and reader.state == "input-required":
        lab.waive(CLOSES, slow)
        return
    told = f"it got {len(reader.updates)} events and is {reader.ending.value} in state {reader.state}"
    evidence = (*reader.records[-2:], task.record)
    right = ended and (reader.state in TERMINAL or reader.exchange.flooded)
    lab.expect(expect.that(right, "the reader that goes on gets the end", told, *evidence), same)
    lab.expect(consecutive(steps(reader.updates), "the numbered chunks of a flood", evidence), same)
    told = f"it is {task.state or 'not to be had'}"
    if reader.exchange.flooded:
        lab.note("the flood is longer than what is read of it", *evidence)
    lab.expect(expect.that(task.terminal, "the task ends whoever reads", told, *evidence), slow)


@check(
    "a2a.replay.close-one",
    "Closing one stream does not affect the others",
    needs=STREAM,
    faults=("cut",),
    mutants=("readers.closed-together",),
    patience=1.0,
)
async def a_reader_that_leaves_takes_nobody_along(lab: A2aLab) -> None:
    """Of three readers the one that began the task is reset and another closes: the third gets all that follows."""
    async with lab.session() as session:
        (first, second, third), within = await _readers(lab, session)
        await first.leave(Departure.RST)
        await second.leave(Departure.FIN)
        known = len(third.updates)
        await third.ended(within)
        lab.expect(closed(third, "the stream of the reader that stays ends with its task"))
        task = await session.settles(third.task_id, *TERMINAL, within=lab.tempo.answer)
        lab.expect(ends(third.updates[known - 1 :], task, "what the reader that stays gets from then on"))


@check(
    "a2a.replay.subscribe-terminal",
    "Subscribing to a task in a terminal state is refused",
    needs={Feature.STREAMING, Role.ECHO},
    mutants=("subscribe.snapshot-of-the-dead", "subscribe.terminal-invalid-params"),
)
async def a_finished_task_has_no_subscribers(lab: A2aLab) -> None:
    """Tasks that completed, failed and were rejected, as far as the agent has such."""
    async with lab.session() as session:
        for role in (Role.ECHO, *(role for role in (Role.FAIL, Role.REJECT) if lab.effects.has(role))):
            task = await played(lab, session, role, *TERMINAL)
            outcome = await (await session.subscribe(task.task_id)).opened()
            lab.expect(refused(lab.spoken, outcome, "UnsupportedOperation"))


@check(
    "a2a.replay.subscribe-unknown",
    "Subscribing to an unknown task is refused",
    needs={Feature.STREAMING},
    mutants=("subscribe.unknown-empty",),
)
async def an_unknown_task_has_no_subscribers(lab: A2aLab) -> None:
    """SubscribeToTask (0.3: tasks/resubscribe) with an id that no task has."""
    async with lab.session() as session:
        outcome = await (await session.subscribe(NOWHERE)).opened()
        lab.expect(refused(lab.spoken, outcome, "TaskNotFound"))


@check(
    "a2a.replay.subscribe-interrupted",
    "A subscription to a task that needs input carries the next turn",
    needs={Feature.STREAMING, Role.ASK},
    mutants=("subscribe.interrupted-refused", "subscribe.deaf-to-next-turn"),
    patience=0.5,
)
async def a_subscription_carries_the_next_turn(lab: A2aLab) -> None:
    """A client subscribes to a task that waits for input, and then gives it: the Task comes first, then the events of
    the new turn. A stream that ends with its first event is only warned of (11.7)."""
    async with lab.session() as session:
        task = await waiting(lab, session)
        stream = await session.subscribe(task.task_id)
        await stream.has(1)
        lab.require(begins(stream, "task"))
        await stream.ended(lab.tempo.scaled(0.5))
        early = stream.ending is Ending.CLOSED
        lab.need(await session.send("green", task=task.task_id, context=task.context_id), "the next turn")
        await stream.ended()
        right = stream.state in TERMINAL and stream.ending is Ending.CLOSED
        told = f"it is {stream.ending.value} in state {stream.state}"
        lab.expect(expect.that(right, "the events of the next turn and the end", told, *stream.records, soft=early))


async def _ends_or_goes_on(lab: A2aLab, role: Role, *, closes: bool) -> None:
    """A stream at an interruption: closed in order, or open and then with the events of the next turn."""
    async with lab.session() as session:
        stream = await session.play_stream(await lab.effects.plan(role))
        if not await stream.reaches("input-required", "auth-required"):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the task was not interrupted", *stream.records)
        if await stream.ended(lab.tempo.scaled(1.0)) == closes:
            lab.expect(None)
        else:
            lab.note(f"the stream is {stream.ending.value}, which is accepted", stream.records[-1])
        if stream.ending is Ending.OPEN:
            await session.send("green", task=stream.task_id, context=stream.context_id)
            await stream.ended()
            task = await session.task(stream.task_id)
            told = f"{stream.ending.value} in state {stream.state}; the task is {task.state}"
            right = stream.state == task.state or not task.terminal
            lab.expect(expect.that(right, "an open stream carries the next turn", told, *stream.records, task.record))
        else:
            lab.expect(closed(stream, "the stream ends in order"))


@check(
    "a2a.stream.interrupted-closes",
    "A stream ends when the task needs input, or carries its next turn",
    needs={Feature.STREAMING, Role.ASK},
    mutants=("interrupted.dead-stream", "interrupted.torn-stream"),
)
async def a_stream_ends_at_a_question(lab: A2aLab) -> None:
    """The stream of a task that asks for input. One that stays open is accepted where the answer shows on it."""
    await _ends_or_goes_on(lab, Role.ASK, closes=True)


@check(
    "a2a.stream.auth-required-stays",
    "A stream stays open while credentials are awaited, and carries what follows",
    needs={Feature.STREAMING, Role.AUTH},
    mutants=("auth.deaf-stream",),
)
async def a_stream_outlasts_the_wait_for_credentials(lab: A2aLab) -> None:
    """The stream of a task that awaits credentials. One that ends is accepted."""
    await _ends_or_goes_on(lab, Role.AUTH, closes=False)
