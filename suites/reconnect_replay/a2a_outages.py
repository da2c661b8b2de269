"""A2A: agents that stand still, start again, give way to another, or are read from a replica that is behind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import anyio
from seatrial import (
    A2aLab,
    A2aSession,
    Answer,
    Feature,
    Isolation,
    Outcome,
    Reason,
    Role,
    Update,
    Violation,
    check,
    expect,
)
from seatrial.faults import State, events, failover, pause, restart, stale_replica
from seatrial.judge.a2a import errors
from seatrial.judge.a2a.streams import once, stored, whole

from ..plays import STARTING
from ..tasks import at_work, completed
from .watching import STREAM, closed

STANDSTILL = 2.0
"""Seconds for which an agent stands still."""
CHUNKS = 10
LAG = 2
"""A replica is behind by so many readings."""


@check(
    "a2a.replay.pause-borne",
    "A stream loses nothing when its agent stands still for a while",
    needs={*STREAM, Feature.PROCESS},
    faults=("pause",),
    mutants=("pause.short-write-timeout.a2a",),
    isolation=Isolation.PROCESS,
    patience=STANDSTILL,
)
async def a_standstill_loses_nothing(lab: A2aLab) -> None:
    """The process is stopped for two seconds after two events of a stream. The stream must come to its end in order,
    and add up to the stored task."""
    play = await lab.effects.plan(Role.TICKS, count=CHUNKS, gap=0.1)
    still = lab.tempo.scaled(STANDSTILL)
    async with lab.session() as session:
        fault = pause(on=session.on("SendStreamingMessage"), after=events(2), seconds=still)
        async with lab.session(fault) as paused:
            stream = await paused.play_stream(play)
            await stream.ended(still + play.lasts * 1.5 + lab.tempo.answer)
        lab.expect(closed(stream, "the stream ends in order"))
        task = await session.task(stream.task_id)
        lab.expect(whole(stream.updates, task) or once(stream.updates, task))


def _readable(lab: A2aLab, outcome: Outcome, what: str) -> Violation | None:
    """The task, or that it is unknown there."""
    unknown = errors.refused(lab.spoken, outcome, "TaskNotFound") is None
    return expect.that(isinstance(outcome, Answer) or unknown, f"{what} is found, or unknown", outcome, outcome)


@check(
    "a2a.replay.restart",
    "After a restart a task is found, failed or unknown, but not broken",
    needs={Role.HOLD, Role.ECHO, Feature.PROCESS},
    faults=("restart",),
    mutants=("outage.owner-is-asked.a2a", "outage.tasks-without-context"),
    isolation=Isolation.PROCESS,
)
async def tasks_after_a_restart(lab: A2aLab) -> None:
    """The agent is killed and started again on its port while one task is at work and another is finished; another
    time it is told to end (SIGTERM), and may save what it knows. Both tasks are asked for then, and a new one begun."""
    for state in State:
        async with lab.session() as session:
            tasks = {
                f"a finished task after a restart, its state {state},": (await completed(lab, session)).task_id,
                f"a task at work after a restart, its state {state},": (await at_work(lab, session)).task,
            }
            async with lab.session(restart(on=session.on("GetTask"), state=state)) as restarted:
                for what, task in tasks.items():
                    lab.expect(_readable(lab, await restarted.get(task, within=lab.tempo.scaled(STARTING)), what))
                await _serves(lab, restarted)


async def _serves(lab: A2aLab, session: A2aSession) -> None:
    outcome = await session.perform(await lab.effects.plan(Role.ECHO))
    lab.expect(expect.answered(outcome, "a new message is answered"))


@check(
    "a2a.replay.failover",
    "Another replica serves the clients of one that was lost",
    needs={Role.ECHO, Feature.PROCESS},
    faults=("failover",),
    mutants=("outage.owner-is-asked.a2a",),
    isolation=Isolation.PROCESS,
)
async def another_replica_takes_over(lab: A2aLab) -> None:
    """One of two agents serves alone, finishes a task, and is killed before the task is asked for. The other gives it
    or says that it does not know it, and answers a new message."""
    async with lab.session(opened=False) as plain:
        on = plain.on("GetTask")
    async with lab.session(failover(on=on)) as session:
        task = await completed(lab, session)
        lab.expect(_readable(lab, await session.get(task.task_id), "a task of the lost replica"))
        await _serves(lab, session)


@check(
    "a2a.replay.reads-monotonic",
    "Readings of a task do not go back",
    needs={Role.TICKS},
    faults=("stale_replica",),
    mutants=("outage.every-third-reading-old",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def readings_do_not_go_back(lab: A2aLab) -> None:
    """A task with numbered chunks is read again and again. A replica that is two readings behind answers once: only
    that reading may be behind the one before it."""
    async with lab.session() as session:
        fault = stale_replica(on=session.on("GetTask"), lag=LAG)
        async with lab.session(fault) as reader:
            work = await at_work(lab, session, Role.TICKS, count=CHUNKS, gap=0.2)
            readings: list[Update] = []
            while anyio.current_time() < work.over and not (readings and readings[-1].terminal):
                readings.append(await reader.task(work.task))
                await lab.until(work.begun + len(readings) * work.play.lasts / CHUNKS)
        if len({_length(reading) for reading in readings}) < LAG + 2:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the task was over at once", *_records(readings))
        back = [later for earlier, later in pairwise(readings) if _length(later) < _length(earlier)]
        told = f"{len(back)} of {len(readings)} readings go back"
        lab.expect(
            expect.that(len(back) <= 1, "only the reading of the stale replica goes back", told, *_records(back))
        )


def _length(reading: Update) -> int:
    """How much of its artifacts a task has."""
    return sum(map(len, stored(reading).values()))


def _records(readings: Sequence[Update]) -> tuple[int, ...]:
    return tuple(reading.record for reading in readings)
