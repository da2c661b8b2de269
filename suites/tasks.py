"""A2A: tasks in the state that a check needs. A part that cannot be had makes the case INCONCLUSIVE."""

from __future__ import annotations

from typing import Any

from seatrial import A2aLab, A2aSession, Outcome, Reason, Role, Update, update_in


def task_in(lab: A2aLab, outcome: Outcome, what: str = "the stimulus") -> Update:
    """The task with which a means was answered. Raises Inconclusive for a Message, and for no answer."""
    lab.need(outcome, what)
    found = update_in(outcome)
    if found.kind != "task" or not found.task_id:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"{what} was answered without a task", outcome)
    return found


async def played(lab: A2aLab, session: A2aSession, role: Role, *states: str, text: str = "", **options: Any) -> Update:
    """Play a role to its end: the task, in one of these states (any, if none is named). Raises Inconclusive."""
    play = await lab.effects.plan(role, **({"text": text} if text else {}))
    outcome = await session.perform(play, **options)
    task = task_in(lab, outcome, f"the stimulus {role.value}")
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
