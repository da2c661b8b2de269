"""A2A: tasks in the state that a check needs. A part that cannot be had makes the case INCONCLUSIVE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import anyio
from seatrial import TERMINAL, A2aLab, A2aSession, Feature, Outcome, Play, Reason, Role, TaskStream, Update, update_in

OVER = (*TERMINAL, "input-required", "auth-required")
"""States in which nothing happens until the client does something."""


def task_in(lab: A2aLab, outcome: Outcome, what: str = "the stimulus") -> Update:
    """The task with which a means was answered. Raises Inconclusive for a Message, and for no answer."""
    lab.need(outcome, what)
    found = update_in(outcome)
    if found.kind != "task" or not found.task_id:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"{what} was answered without a task", outcome)
    return found


async def played(lab: A2aLab, session: A2aSession, role: Role, *states: str, text: str = "", **options: Any) -> Update:
    """Play a role to its end: the task, in one of these states (any, if none is named). Raises Inconclusive.

    An agent that answers before is waited for: that a send waits by default is a claim of its own.
    """
    play = await lab.effects.plan(role, **({"text": text} if text else {}))
    outcome = await session.perform(play, **options)
    task = task_in(lab, outcome, f"the stimulus {role.value}")
    ends = (*states, *TERMINAL) if states else OVER
    if task.state not in ends:
        task = await session.settles(task.task_id, *ends, within=play.lasts + lab.tempo.answer)
    if states and task.state not in states:
        actual = f"the stimulus {role.value} led to {task.state or 'no state'}, not to {' or '.join(states)}"
        lab.inconclusive(Reason.STIMULUS_FAILED, actual, outcome)
    return task


async def completed(lab: A2aLab, session: A2aSession, **options: Any) -> Update:
    """A task that was done at once."""
    return await played(lab, session, Role.ECHO, "completed", **options)


async def waiting(lab: A2aLab, session: A2aSession, **options: Any) -> Update:
    """A task that waits for its client."""
    return await played(lab, session, Role.ASK, "input-required", **options)


@dataclass(frozen=True, slots=True)
class Work:
    """A stimulus that an agent works on, as a task. `stream` is the one that began it, None where it has none.

    `begun` is in seconds of the run.
    """

    play: Play
    task: str
    stream: TaskStream | None
    begun: float

    @property
    def over(self) -> float:
        """When it would surely be over, had nobody interfered."""
        return self.begun + self.play.lasts * 1.25 + 1.0

    def rest(self, lab: A2aLab) -> float:
        """Seconds from now within which it must be over."""
        return max(0.0, self.over - anyio.current_time()) + self.play.lasts + lab.tempo.answer


async def at_work(lab: A2aLab, session: A2aSession, role: Role = Role.HOLD, **values: Any) -> Work:
    """Begin a stimulus, by a stream where the agent declares them, else by a send that does not wait; seen at work.

    Raises Inconclusive when no task is at work then.
    """
    play = await lab.effects.plan(role, **values)
    begun = anyio.current_time()
    if lab.declares(Feature.STREAMING):
        stream = await streaming(lab, session, play)
        return Work(play, stream.task_id, stream, begun)
    task = task_in(lab, await session.perform(play, blocking=False), f"the stimulus {role.value}")
    if task.terminal:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the stimulus {role.value} was over at once", task.record)
    return Work(play, task.task_id, None, begun)


async def streaming(lab: A2aLab, session: A2aSession, play: Play, **options: Any) -> TaskStream:
    """The stream of a stimulus that is at work. Raises Inconclusive when it is not."""
    stream = await session.play_stream(play, **options)
    await stream.has(1, play.lasts + lab.tempo.answer)
    await stream.until(lambda s: s.state == "working" or bool(s.chunks), lab.tempo.scaled(0.5))
    if not stream.task_id or stream.state in TERMINAL:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the stimulus {play.role} is not at work", *stream.records)
    return stream
