"""A2A: what a cancellation does to the work, to the streams of its task and to its webhooks, and what is none."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from seatrial import (
    TERMINAL,
    A2aLab,
    A2aSession,
    Delivery,
    Departure,
    Ending,
    Feature,
    Hook,
    Outcome,
    Reason,
    Refusal,
    Role,
    TaskStream,
    Update,
    Violation,
    check,
    expect,
    update_in,
)
from seatrial.judge.a2a.errors import refused
from seatrial.judge.a2a.notifications import update

from ..tasks import Work, at_work, completed
from .canceling import PROMPTLY, SECONDS, become_canceled, canceled, terminal_states

GRACE = 1.0
"""Seconds in which what was on its way may still arrive."""
WITNESSED = 1.2
"""How long a task works that leaves a trace: another is waited for to its end, and this one beyond."""
WATCHED = 3.0
"""Seconds for which nothing may follow a cancellation."""
TRIALS = 50
AT_ONCE = 10
"""How many of them run at the same time."""
JITTER = 0.05
"""Seconds around the end of a task in which it is cancelled."""


@check(
    "a2a.cancel.reaches-executor",
    "Cancelling a task stops its work",
    needs={Role.HOLD, Role.WITNESS},
    mutants=("task-cancel.work-goes-on",),
    patience=5.0,
)
async def cancelled_work_stops(lab: A2aLab) -> None:
    """A task is cancelled while it works. The witness is read when it would long be over, and must lack what a task
    leaves last that nobody cancelled."""
    control = await lab.effects.control(Role.HOLD, seconds=WITNESSED)
    if not control.last:
        lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of a task that was left alone")
    async with lab.session() as session:
        before = await lab.effects.baseline(await lab.effects.plan(Role.HOLD, seconds=WITNESSED), session)
        run, _ = await canceled(lab, session, seconds=WITNESSED)
        sighting = await lab.effects.sight(run.play, control, session, before, run.begun, run.task)
    lab.expect(expect.that(not sighting.finished, "the work stops before its end", str(sighting), *sighting.records))
    if not sighting.began:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the witness never saw the task begin", *sighting.records)


async def _hooked(lab: A2aLab, session: A2aSession, task: str) -> Hook | None:
    """A webhook of ours for a task; None where the agent sends no notifications, or none to us."""
    if not lab.declares(Feature.PUSH):
        return None
    hook = await lab.hook()
    outcome = await session.create_push(task, session.push_config(hook.url))
    if isinstance(outcome, Refusal):
        lab.note("the agent refuses our webhook", outcome)
        return None
    return hook


@check(
    "a2a.cancel.no-late-events",
    "Nothing follows the canceled state",
    needs={Role.HOLD},
    mutants=("task-cancel.late-chunk-on-stream", "task-cancel.late-chunk-to-webhook"),
    patience=4.0,
)
async def nothing_follows_the_cancellation(lab: A2aLab) -> None:
    """A task is cancelled under the eyes of its stream and of a webhook. Neither is told anything of it afterwards,
    but that it is canceled."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        hook = await _hooked(lab, session, run.task)
        if run.stream is None and hook is None:
            lab.inconclusive(Reason.NO_STIMULUS, "the agent has neither streams nor webhooks to be watched")
        await lab.quiet(0.5)
        await become_canceled(lab, session, run.task)
        moment = anyio.current_time() + lab.tempo.scaled(GRACE)
        await lab.quiet(WATCHED)
        lab.expect(_late(run.stream.updates if run.stream else ()))
        lab.expect(_told_later(hook.deliveries if hook else (), moment))


def _late(updates: Sequence[Update]) -> Violation | None:
    """A Task that is resent as canceled says nothing new."""
    end = next((place for place, found in enumerate(updates) if found.state == "canceled"), len(updates))
    late = [found for found in updates[end + 1 :] if found.state != "canceled"]
    told = f"{len(late)} events, the first a {late[0].kind} {late[0].state}" if late else ""
    return expect.that(not late, "no event after CANCELED", told, *(found.record for found in late[:5]))


def _told_later(deliveries: Sequence[Delivery], moment: float) -> Violation | None:
    """What came so late that it was not under way any more when the task was canceled."""
    late = [d for d in deliveries if d.began > moment and update(d).state != "canceled"]
    told = f"{len(late)} notifications, the first a {update(late[0]).kind}" if late else ""
    return expect.that(not late, "no notification after CANCELED", told, *(d.record for d in late[:5]))


@check(
    "a2a.cancel.stream-gets-canceled",
    "Every stream of a canceled task gets that state and ends",
    needs={Feature.STREAMING, Role.HOLD},
    mutants=("task-cancel.stream-ends-without-word", "task-cancel.stream-stays-open", "task-cancel.tells-only-one"),
)
async def every_stream_gets_the_cancellation(lab: A2aLab) -> None:
    """The stream that began a task and one that subscribed to it are open when it is cancelled."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        assert run.stream is not None
        joined = await session.subscribe(run.task)
        await joined.has(1, lab.tempo.scaled(1.0))
        open_ones = [stream for stream in (run.stream, joined) if stream.ending is Ending.OPEN]
        if run.stream not in open_ones:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the stream was over too early", *run.stream.records)
        await become_canceled(lab, session, run.task)
        moment = anyio.current_time() + lab.tempo.scaled(WATCHED)
        for stream in open_ones:
            await stream.ended(moment - anyio.current_time())
            lab.expect(_ends_canceled(stream))


def _ends_canceled(stream: TaskStream) -> Violation | None:
    told = f"the last state is {stream.state or 'none'}, the stream is {stream.ending.value} {stream.exchange.why}"
    right = stream.state == "canceled" and stream.ending is Ending.CLOSED
    return expect.that(right, "CANCELED, and then the end", told, *stream.records[-2:], stream.exchange.end)


@check(
    "a2a.cancel.push-canceled",
    "The canceled state is notified once",
    needs={Feature.PUSH, Role.HOLD},
    mutants=("task-cancel.not-notified", "task-cancel.notified-twice"),
)
async def the_cancellation_is_notified_once(lab: A2aLab) -> None:
    """A task with a webhook is cancelled: one notification tells the canceled state."""
    async with lab.session() as session:
        run = await at_work(lab, session, seconds=SECONDS)
        hook = await _hooked(lab, session, run.task)
        if hook is None:
            lab.inconclusive(Reason.WEBHOOK_REFUSED, "the agent refuses our webhook")
        found = await become_canceled(lab, session, run.task)
        await hook.silent(lab.tempo.scaled(GRACE), lab.tempo.scaled(PROMPTLY))
        statuses = [d for d in hook.deliveries if update(d).state == "canceled" and update(d).kind == "status"]
        tasks = [d for d in hook.deliveries if update(d).state == "canceled" and update(d).kind == "task"]
        counts = len(statuses), len(tasks)
        told = f"{counts[0]} status updates and {counts[1]} tasks among {len(hook.deliveries)} notifications"
        evidence = (found.record, *(d.record for d in (*statuses, *tasks)))
        lab.expect(expect.that(max(counts) == 1, "one notification of CANCELED", told, *evidence))


@check(
    "a2a.cancel.race-complete",
    "A cancellation at the moment of completion leads to one terminal state",
    needs={Role.TICKS},
    faults=("cancel_race",),
    mutants=("task-cancel.finished-overwritten", "task-cancel.only-claimed"),
    patience=3.0,
)
async def a_race_with_completion_has_one_end(lab: A2aLab) -> None:
    """Fifty tasks are cancelled around the moment at which each completes, from a little before to a little after.
    The answer agrees with what GetTask says then and later, and with the stream."""
    places = anyio.CapacityLimiter(AT_ONCE)
    async with lab.session() as session, anyio.create_task_group() as group:
        for number in range(TRIALS):
            group.start_soon(_race, lab, session, JITTER * (2 * number / TRIALS - 1), places)


async def _race(lab: A2aLab, session: A2aSession, offset: float, places: anyio.CapacityLimiter) -> None:
    async with places:
        run = await at_work(lab, session, Role.TICKS, count=3, gap=0.1)
        await lab.until(run.begun + run.play.lasts + offset)
        outcome = await session.cancel(run.task)
        task = await session.settles(run.task, *TERMINAL, within=run.rest(lab))
    await lab.quiet(0.5)
    later = await session.task(run.task)
    streamed = [u.state for u in run.stream.updates] if run.stream else []
    ends = terminal_states(iter((*streamed, task.state, later.state)))
    told = f"{expect.shown(outcome, 120)}; the terminal states are {ends}"
    evidence = (outcome, task.record, later.record)
    lab.expect(expect.that(len(ends) == 1, "one terminal state", told, *evidence))
    lab.expect(expect.that(_agrees(lab, outcome, task), f"an answer that agrees with {task.state}", told, *evidence))


def _agrees(lab: A2aLab, outcome: Outcome, task: Update) -> bool:
    """A Task in the state that it has then, or not over yet; a refusal because it is over in another way."""
    if refused(lab.spoken, outcome, "TaskNotCancelable", "TaskNotFound") is None:
        return task.state != "canceled"
    answer = update_in(outcome)
    return answer.kind == "task" and (answer.state == task.state or answer.state not in TERMINAL)


@check(
    "a2a.cancel.race-start",
    "A cancellation right after the start leaves no task at work, and fifty of them leave the agent alive",
    needs={Role.HOLD, Role.ECHO},
    faults=("cancel_race",),
    mutants=("task-cancel.orphans", "task-cancel.leaks-slots"),
    patience=2.0,
)
async def early_cancellations_leave_nothing_behind(lab: A2aLab) -> None:
    """Fifty tasks are begun without waiting and cancelled at once. Soon none of them is at work, and a message
    completes."""
    async with lab.session() as session:
        begun: list[str] = []
        for _ in range(TRIALS // AT_ONCE):
            async with anyio.create_task_group() as group:
                for _ in range(AT_ONCE):
                    group.start_soon(_begun_and_cancelled, lab, session, begun)
        await lab.quiet(GRACE)
        for ident in begun:
            task = await session.settles(ident, *TERMINAL, within=lab.tempo.scaled(GRACE))
            lab.expect(expect.that(task.state in (*TERMINAL, ""), "no orphan", f"it is {task.state}", task.record))
        outcome = await session.perform(await lab.effects.plan(Role.ECHO))
        lab.expect(expect.answered(outcome, "a message is answered after fifty cancellations"))


async def _begun_and_cancelled(lab: A2aLab, session: A2aSession, begun: list[str]) -> None:
    outcome = await session.perform(await lab.effects.plan(Role.HOLD, seconds=10.0), blocking=False)
    task = update_in(outcome)
    if not task.task_id or task.terminal:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the task was not begun without waiting", outcome)
    begun.append(task.task_id)
    await session.cancel(task.task_id)


@check(
    "a2a.cancel.disconnect-is-not-cancel",
    "Losing the client is not a cancellation",
    needs={Feature.STREAMING, Role.TICKS},
    faults=("cut",),
    mutants=("task-cancel.by-lost-stream", "task-cancel.by-aborted-request"),
    patience=2.0,
)
async def a_lost_client_has_not_cancelled(lab: A2aLab) -> None:
    """Streams are closed and reset, and a request that waits is aborted: each task completes."""
    async with lab.session() as session:
        runs = [await at_work(lab, session, Role.TICKS, count=10, gap=0.1) for _ in (Departure.FIN, Departure.RST)]
        for run, how in zip(runs, (Departure.FIN, Departure.RST), strict=True):
            assert run.stream is not None
            await run.stream.leave(how)
        waited = await _aborted(lab, session)
        for ident in (*(run.task for run in runs), *([waited] if waited else [])):
            task = await session.settles(ident, *TERMINAL, within=runs[0].rest(lab))
            told = f"it is {task.state}"
            lab.expect(expect.that(task.state == "completed", "the task completes", told, task.record))


async def _aborted(lab: A2aLab, session: A2aSession) -> str:
    """A task whose client waited for it and was reset, found by its context; "" where it cannot be found."""
    if not lab.effects.has(Role.ECHO):
        return ""
    first = await completed(lab, session)
    play = await lab.effects.plan(Role.TICKS, count=10, gap=0.1)
    params = session.sending(play.params["text"], context=first.context_id, blocking=True)
    exchange = await session.begin("SendMessage", params)
    await lab.quiet(0.2)
    await exchange.leave(Departure.RST)
    listed = await session.call("ListTasks", {"contextId": first.context_id})
    tasks = update_in(listed).body.get("tasks")
    found = [task.get("id") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    return next((str(ident) for ident in found if ident != first.task_id), "")


@check(
    "a2a.cancel.prompt",
    "A cancellation is answered promptly, whatever the step of the work",
    needs={Role.TICKS},
    mutants=("task-cancel.waits-for-step",),
)
async def a_cancellation_is_answered_promptly(lab: A2aLab) -> None:
    """A task whose steps take ten seconds, where that can be chosen, is cancelled in the middle of one."""
    async with lab.session() as session:
        run = await at_work(lab, session, Role.TICKS, count=2, gap=10.0)
        await _answered_in_time(lab, session, run)


async def _answered_in_time(lab: A2aLab, session: A2aSession, run: Work) -> None:
    begun = anyio.current_time()
    outcome = await session.cancel(run.task, within=2 * lab.tempo.scaled(PROMPTLY))
    took = anyio.current_time() - begun
    told = f"{expect.shown(outcome)} after {took:.1f} s"
    lab.expect(expect.responded(outcome, "a cancellation is answered"))
    lab.expect(expect.that(took <= lab.tempo.scaled(PROMPTLY), f"an answer within {PROMPTLY:.0f} s", told, outcome))


@check(
    "a2a.cancel.slow-executor",
    "A cancellation that the work ignores is still answered",
    needs={Role.IGNORE_CANCEL},
    mutants=("task-cancel.waits-for-the-work",),
)
async def an_ignored_cancellation_is_answered(lab: A2aLab) -> None:
    """A task whose executor does not heed cancellations is cancelled: some answer comes in time."""
    async with lab.session() as session:
        run = await at_work(lab, session, Role.IGNORE_CANCEL, seconds=12.0)
        await _answered_in_time(lab, session, run)
