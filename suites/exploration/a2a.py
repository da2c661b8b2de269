"""A2A: a task through any faults. A client whose stream was lost subscribes to its task again, as often as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seatrial import (
    OPERATIONS,
    TERMINAL,
    A2aLab,
    A2aSession,
    Column,
    Course,
    Ending,
    Feature,
    Play,
    Reason,
    Role,
    TaskStream,
    Update,
    Violation,
    expect,
)
from seatrial.faults import Fault
from seatrial.judge.a2a.streams import complete, consecutive, numbered, once, steps, whole

from ..reconnect_replay.watching import read

RETURNS = 4
"""So often does a client come back for one task."""
COUNT, GAP = 6, 0.05
"""Chunks of a task and the seconds between them, where they can be chosen."""


def course() -> Course:
    return Course((Role.TICKS, Role.HOLD), exchanges, play_through)


def exchanges(method: str, column: Column) -> tuple[str, ...]:
    """The stream that begins a task, and the subscriptions by which a client comes back to it."""
    begun, again = OPERATIONS["SendStreamingMessage"], OPERATIONS["SubscribeToTask"]
    return begun.on(column.version, column.binding), again.on(column.version, column.binding)


async def play_through(lab: A2aLab, role: Role, plan: Sequence[Fault]) -> None:
    """The task is played once in peace, then through the faults. Its streams are in order and end once, it has
    everything in the end, the client knows all of that, and the agent goes on."""
    if not lab.declares(Feature.STREAMING):
        lab.not_applicable("the agent declares no streams", lab.claim_record)
    async with lab.session() as peaceful:
        control = await peaceful.task((await read(lab, peaceful, role, count=COUNT, gap=GAP)).task_id)
    play = await lab.effects.plan(role, count=COUNT, gap=GAP)
    async with lab.session(*plan) as session:
        parts = await _followed(lab, session, play)
    lab.expect([found for part in parts for found in _ordered(part, control)])
    async with lab.session() as other:
        lab.expect(expect.answered(await other.fence(), "the agent answers afterwards"))
        ident = next((part.task_id for part in parts if part.task_id), "")
        if not ident:
            lab.inconclusive(
                Reason.STIMULUS_FAILED, "no task came, so there is nothing to come back to", parts[0].exchange.end
            )
        task = await other.settles(ident, *TERMINAL, within=play.lasts * 1.5 + lab.tempo.answer)
    lab.expect(list(_known(parts, task, control)))


async def _followed(lab: A2aLab, session: A2aSession, play: Play) -> list[TaskStream]:
    """The streams of a task, from its beginning to where the client knows its end, or cannot come back any more."""
    parts = [await session.play_stream(play)]
    await _heard(lab, play, parts[0])
    ident = parts[0].task_id
    while ident and not _over(parts[-1]) and len(parts) <= RETURNS:
        parts.append(await session.subscribe(ident))
        await _heard(lab, play, parts[-1])
    return parts


async def _heard(lab: A2aLab, play: Play, part: TaskStream) -> None:
    """Until it ends, or nothing more can be hoped for; then it is left."""
    await part.ended(max(play.lasts, 0.0) * 1.5 + lab.tempo.quiet)
    if part.ending is Ending.OPEN:
        await part.leave()


def _over(part: TaskStream) -> bool:
    """Is the end known, or refused because there is nothing left to subscribe to?"""
    refused = part.exchange.reply.status is not None and not part.is_stream
    return part.state in TERMINAL or refused


def _ordered(part: TaskStream, control: Update) -> Iterator[Violation]:
    """Chunks in order and once, one end, and nothing behind it: whatever was lost."""
    wanted = numbered(control)
    if len(wanted) > 1 and not consecutive(wanted, ""):
        found = consecutive(steps(part.updates), "the chunks of a stream", part.records)
        yield from [found] if found else []
    ends = [place for place, update in enumerate(part.updates) if update.terminal]
    late = part.updates[ends[0] + 1 :] if ends else []
    if late:
        records = tuple(update.record for update in late)
        yield Violation("nothing comes after the end of the task", f"{len(late)} more events came", records)


def _known(parts: Sequence[TaskStream], task: Update, control: Update) -> Iterator[Violation]:
    """The stored task is whole, and so is what the last subscription told of it."""
    last = parts[-1]
    told = f"it is {task.state or 'gone'}"
    found = [
        expect.that(task.state == control.state, f"the task ends as {control.state}", told, task.record),
        complete(task, control),
    ]
    if last.is_stream:
        ended = f"it is {last.ending.value} in state {last.state or 'none'}"
        good = last.state == task.state
        what = "the last stream ends with its task"
        found.append(expect.that(good, what, ended, *last.records[-2:], last.exchange.end, task.record))
    if last.is_stream and last.state in TERMINAL and last.updates[0].kind == "task":
        found += [whole(last.updates, task, "the events of the last stream") or once(last.updates, task)]
    yield from (violation for violation in found if violation)
