"""Cancellations of A2A tasks: what they may be answered with, and the task afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seatrial import TERMINAL, A2aLab, A2aSession, Outcome, Reason, Update, Violation, expect, update_in
from seatrial.judge.a2a.errors import refused

from ..tasks import Work, at_work

SECONDS = 4.0
"""How long a task works that will be cancelled, where it can be chosen."""
PROMPTLY = 5.0
"""Seconds in which a cancellation takes effect."""


async def cancels(lab: A2aLab, session: A2aSession, task: str, **members: Any) -> list[Violation]:
    """Cancel a task that is not over, and see that it is: what is wrong with the answer, and with the task.

    TaskNotCancelable is only warned of: success is not guaranteed (3.1.5). The answer may show a task still at work.
    """
    outcome = await session.cancel(task, **members)
    if refused(lab.spoken, outcome, "TaskNotCancelable") is None:
        return [Violation("the task is cancelled", expect.shown(outcome), expect.cited(outcome), soft=True)]
    found = await session.settles(task, *TERMINAL, within=lab.tempo.scaled(PROMPTLY))
    told = f"GetTask then says {found.state or 'nothing'}; the answer was {expect.shown(outcome)}"
    right = answers(outcome) and found.state == "canceled"
    wrong = expect.that(right, "a Task that is, or soon will be, canceled", told, outcome, found.record)
    return [wrong] if wrong else []


def answers(outcome: Outcome) -> bool:
    """Is this the Task, cancelled or not yet?"""
    task = update_in(outcome)
    return task.kind == "task" and (task.state == "canceled" or task.state not in TERMINAL)


async def canceled(lab: A2aLab, session: A2aSession, **values: float) -> tuple[Work, Update]:
    """A task that was at work and is canceled. Raises Inconclusive where it will not be: another check tells why."""
    run = await at_work(lab, session, seconds=values.get("seconds", SECONDS))
    return run, await become_canceled(lab, session, run.task)


async def become_canceled(lab: A2aLab, session: A2aSession, task: str) -> Update:
    """Cancel a task; what is stored of it then. Raises Inconclusive where it does not become canceled."""
    outcome = await session.cancel(task)
    found = await session.settles(task, *TERMINAL, within=lab.tempo.scaled(PROMPTLY))
    if found.state != "canceled":
        lab.inconclusive(Reason.STIMULUS_FAILED, "the task could not be canceled", outcome, found.record)
    return found


def again(lab: A2aLab, outcome: Outcome, what: str = "a cancellation that is repeated") -> Violation | None:
    """Any of the answers that a second cancellation may have: the canceled Task, or one of two refusals."""
    if update_in(outcome).state == "canceled":
        return None
    if refused(lab.spoken, outcome, "TaskNotCancelable", "TaskNotFound") is None:
        return None
    expected = f"{what} gives the canceled Task, TaskNotCancelable or TaskNotFound"
    return Violation(expected, expect.shown(outcome), expect.cited(outcome))


def stays(task: Update, state: str) -> Violation | None:
    """A stored task is in this state. One that is not there any more is only warned of: it may be purged (3.3.1)."""
    told = f"it is {task.state or 'not to be had'}"
    return expect.that(task.state == state, f"the task stays {state}", told, task.record, soft=task.kind == "")


def terminal_states(states: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(state for state in states if state in TERMINAL))
