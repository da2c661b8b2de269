"""A2A: what goes wrong inside an agent, and how its clients learn that it did."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from seatrial import (
    TERMINAL,
    A2aLab,
    A2aSession,
    Answer,
    Ending,
    Feature,
    Isolation,
    Message,
    Outcome,
    Reason,
    Refusal,
    Role,
    TaskStream,
    Violation,
    check,
    dumps,
    expect,
    update_in,
)
from seatrial.faults import FIN, UP, cut, octets
from seatrial.judge.a2a import errors
from seatrial.judge.errors import no_leak

CLASS_NAME = re.compile(r"\b(?:[A-Z][a-z]+)+(?:Error|Exception)\b")
"""As Python, Java and JavaScript name exceptions; those of the specification are no secret."""
INSIDE_THE_BODY = 4_000
"""Bytes of a request after which its head is surely over."""


def moments(lab: A2aLab) -> tuple[str, ...]:
    """Texts that choose when the exception comes, where the stimulus takes one: before any event, and after some."""
    return ("early", "after 2") if "text" in lab.effects.stimulus(Role.RAISE).placeholders else ("",)


@check(
    "a2a.err.agent-exception-final",
    "An exception in the agent ends the task: answer, streams and stored task agree on it",
    needs={Role.RAISE},
    mutants=("a2a.exception-not-stored", "a2a.exception-never-told", "a2a.exception-not-streamed"),
    isolation=Isolation.SESSION,
)
async def exceptions_end_tasks_everywhere(lab: A2aLab) -> None:
    """The executor raises, before its first event and after some: by a send, by a stream and for a second reader.

    An internal error may stand for the answer; whoever was told the id of the task reads it again afterwards.
    """
    async with lab.session() as session:
        for text in moments(lab):
            await _sent(lab, session, text)
            if lab.declares(Feature.STREAMING):
                await _streamed(lab, session, text)


async def _sent(lab: A2aLab, session: A2aSession, text: str) -> None:
    outcome = await session.perform(await lab.effects.plan(Role.RAISE, text=text))
    task = update_in(outcome)
    if isinstance(outcome, Answer):
        right = task.kind == "message" or task.state in ("failed", "submitted", "working")
        lab.expect(expect.that(right, "the answer: a failed task, or an internal error", outcome, outcome))
    else:
        lab.expect(errors.refused(lab.spoken, outcome, "InternalError"))
    if task.task_id:
        await _stored(lab, session, task.task_id)


async def _streamed(lab: A2aLab, session: A2aSession, text: str) -> None:
    stream = await session.play_stream(await lab.effects.plan(Role.RAISE, text=text))
    await stream.has(1)
    begun = stream.task_id if stream.ending is Ending.OPEN else ""
    readers = [stream, *([await session.subscribe(begun)] if begun else [])]
    for reader in readers:
        await reader.ended(lab.tempo.answer)
        for violation in _ended_by_failure(lab, reader):
            lab.expect(violation)
    if stream.task_id:
        await _stored(lab, session, stream.task_id)


def _ended_by_failure(lab: A2aLab, reader: TaskStream) -> Iterator[Violation]:
    """The stream ends in order, with the failed state or an error; a plain answer in its place is a refusal."""
    closed = reader.ending is Ending.CLOSED
    if not closed:
        yield Violation("the stream ends in order", f"it is {reader.ending}", reader.records)
    told = reader.state == "failed" or bool(reader.errors)
    if closed and reader.is_stream and not told:
        seen = reader.state or f"no state in {len(reader.updates)} events"
        yield Violation("the stream ends with the failed state or an error", seen, reader.records)


async def _stored(lab: A2aLab, session: A2aSession, task: str) -> None:
    stored = await session.settles(task, *TERMINAL, within=lab.tempo.answer)
    lab.expect(expect.that(stored.state == "failed", "the stored task is failed", stored.state, stored.record))


@check(
    "a2a.err.agent-exception",
    "The report of an exception in the agent gives no internals away",
    needs={Role.RAISE},
    mutants=("a2a.exception-text-told", "a2a.exception-trace-in-status", "a2a.exception-text-streamed"),
)
async def exceptions_give_nothing_away(lab: A2aLab) -> None:
    """The executor raises, before its first event and after some, with a marked text where the stimulus takes one.

    Sought in answers and streams, in the error, the status and the artifacts: the mark, a class name, a path, a stack
    trace, a secret.
    """
    mark = f"seatrial-{lab.effects.fresh_key()}"
    async with lab.session() as session:
        reports = [report for moment in moments(lab) for report in await _reports(lab, session, f"{moment} {mark}")]
        if not reports:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the exception was not reported at all")
        for report in reports:
            for violation in _gives_away(report, mark):
                lab.expect(violation)


async def _reports(lab: A2aLab, session: A2aSession, text: str) -> list[Message]:
    """What tells of an exception: the answer of a send, or the task that it left behind, and the events of a stream."""
    outcome = await session.perform(await lab.effects.plan(Role.RAISE, text=text))
    task = update_in(outcome)
    if task.task_id and not task.terminal:
        await session.settles(task.task_id, *TERMINAL, within=lab.tempo.answer)
        outcome = await session.get(task.task_id)
    failed = isinstance(outcome, Refusal) or update_in(outcome).state == "failed"
    answered = outcome.message if isinstance(outcome, Answer | Refusal) else None
    found = [answered] if failed and answered else []
    if lab.declares(Feature.STREAMING):
        stream = await session.play_stream(await lab.effects.plan(Role.RAISE, text=text))
        await stream.ended(lab.tempo.answer)
        found += stream.exchange.messages if stream.errors or stream.state == "failed" else []
    return found


def _gives_away(report: Message, mark: str) -> tuple[Violation | None, ...]:
    payload = without_history(report.payload)
    told = dumps(payload).decode()
    names = [name for name in CLASS_NAME.findall(told) if name not in errors.NAMES]
    return (
        no_leak(payload, report.record),
        expect.that(not names, "no name of an exception", names, report.record),
        expect.that(mark not in told, "no text of the exception", payload, report.record),
    )


def without_history(value: Any) -> Any:
    """What the agent says, without what was said to it."""
    if isinstance(value, dict):
        return {name: without_history(item) for name, item in value.items() if name != "history"}
    return [without_history(item) for item in value] if isinstance(value, list) else value


@check(
    "a2a.err.internal-answered",
    "An internal failure is answered in time",
    needs={Role.STORE_DOWN},
    mutants=("a2a.store-failure-hangs", "a2a.store-failure-hidden"),
    isolation=Isolation.SESSION,
)
async def internal_failures_are_answered(lab: A2aLab) -> None:
    """A message while the task store fails, by a send and by a stream: an internal error or a failed task in 5 s."""
    async with lab.session() as session:
        outcome = await session.perform(await lab.effects.plan(Role.STORE_DOWN))
        lab.expect(_internal(lab, outcome))
        if lab.declares(Feature.STREAMING):
            stream = await session.play_stream(await lab.effects.plan(Role.STORE_DOWN))
            await stream.until(lambda s: s.state == "failed" or bool(s.errors))
            told = stream.state == "failed" or bool(stream.errors)
            lab.expect(None if told else _internal(lab, await stream.opened()))


def _internal(lab: A2aLab, outcome: Outcome) -> Violation | None:
    if update_in(outcome).state == "failed":
        return None
    return errors.refused(lab.spoken, outcome, "InternalError")


@check(
    "a2a.err.truncated-body",
    "A truncated request does no harm",
    faults=("truncate_body",),
    mutants=("a2a.truncated-body-fatal",),
    isolation=Isolation.PROCESS,
)
async def truncated_requests_do_no_harm(lab: A2aLab) -> None:
    """A message whose connection ends inside its body, short of its Content-Length; then a new client asks."""
    async with lab.session(cut(after=octets(INSIDE_THE_BODY), direction=UP, how=FIN)) as session:
        outcome = await session.send("x" * 10 * INSIDE_THE_BODY)
        lab.note(f"a body that was cut: {expect.shown(outcome)}", outcome)
    async with lab.session(opened=False) as another:
        another.take_over(session)
        lab.expect(expect.answered(await another.fence(), "the next request is answered"))
