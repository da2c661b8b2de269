"""A2A: what the stream of a task consists of, from its first event to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from seatrial import (
    HTTP_JSON,
    NOWHERE,
    TERMINAL,
    A2aLab,
    Feature,
    Reason,
    Role,
    TaskStream,
    Update,
    Violation,
    check,
    expect,
)
from seatrial.faults import recode

from ..tasks import streaming, waiting
from .watching import CLOSING, COUNT, STREAM, admitted, begins, closed, read, ticks


@check(
    "a2a.stream.content-type",
    "A stream is an event stream",
    needs={Feature.STREAMING, Role.ECHO},
    mutants=("task-stream.json-body",),
)
async def a_stream_is_an_event_stream(lab: A2aLab) -> None:
    """A message is sent for a stream: its answer has status 200 and the type text/event-stream."""
    async with lab.session() as session:
        stream = await session.play_stream(await lab.effects.plan(Role.ECHO))
        await admitted(lab, stream)
        await stream.ended()
        reply = stream.exchange.reply
        told = f"HTTP status {reply.status}, Content-Type {reply.header('content-type')}"
        right = reply.status == 200 and stream.is_stream
        lab.expect(expect.that(right, "status 200 and Content-Type text/event-stream", told, *stream.records))


@check(
    "a2a.stream.framing",
    "Every event of a JSON-RPC stream is a full response with the id of the request",
    needs=STREAM,
    mutants=("task-stream.bare-events", "task-stream.event-ids"),
    patience=0.5,
)
async def every_event_is_a_response(lab: A2aLab) -> None:
    """Streams are asked for under a number and under a string; each event's data is judged."""
    async with lab.session() as session:
        for ident in (session.next_id(), f"stream-{session.fresh_id()}"):
            play = await lab.effects.plan(Role.TICKS, count=COUNT, gap=0.05)
            params = session.sending(play.params["text"], message_id=play.params["message_id"])
            stream = TaskStream(await session.begin("SendStreamingMessage", params, id=ident))
            await stream.ended(play.lasts * 1.5 + lab.tempo.answer)
            right = partial(_is_response, ident=ident)
            lab.expect(_unlike(lab, stream, right, f"a response with id {ident!r}"))


def _unlike(lab: A2aLab, stream: TaskStream, right: Callable[[Any], bool], what: str) -> Iterator[Violation]:
    """Events with data that is not JSON, or not what it should be. Raises Inconclusive without any."""
    if not stream.exchange.events:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the stream has no events", *stream.records)
    decoded = {message.record: message.payload for message in stream.exchange.messages}
    for event in stream.exchange.events:
        if event.data is not None and not right(decoded.get(event.record)):
            yield Violation(f"the data of every event is {what}", expect.shown(event.data), (event.record,))
            return


def _is_response(payload: Any, ident: Any) -> bool:
    if not isinstance(payload, dict) or payload.get("jsonrpc") != "2.0":
        return False
    return payload.get("id") == ident and ("result" in payload) != ("error" in payload)


@check(
    "a2a.stream.framing-rest",
    "Every event of an HTTP+JSON stream is a StreamResponse with exactly one member",
    needs=STREAM,
    mutants=("task-stream.enveloped-rest",),
)
async def every_event_is_a_stream_response(lab: A2aLab) -> None:
    """The data of each event of a stream of chunks is judged."""
    members = {"task", "message", "statusUpdate", "artifactUpdate"}
    async with lab.session() as session:
        stream = await read(lab, session, Role.TICKS, count=COUNT, gap=0.05)

        def right(payload: Any) -> bool:
            return isinstance(payload, dict) and len(payload) == 1 and payload.keys() <= members

        lab.expect(_unlike(lab, stream, right, "an object with one of the four members"))


@check(
    "a2a.stream.first-event",
    "A stream begins with a Task or a Message",
    needs={Feature.STREAMING, Role.ECHO},
    mutants=("task-stream.updates-first", "task-stream.empty-after-exception"),
)
async def a_stream_begins_with_a_task_or_a_message(lab: A2aLab) -> None:
    """The streams of a task that is done at once, and of one whose agent breaks before it has said anything. The
    latter may be refused, but a stream that was opened must not be empty."""
    async with lab.session() as session:
        lab.expect(begins(await read(lab, session, Role.ECHO)))
        if lab.effects.has(Role.RAISE):
            play = await lab.effects.plan(Role.RAISE, text="early")
            stream = await session.play_stream(play)
            await stream.ended(lab.tempo.answer + max(play.lasts, 0.0))
            if stream.is_stream and not stream.errors:
                lab.expect(begins(stream))


@check(
    "a2a.stream.first-event-followup",
    "A stream of a later turn begins with the Task too",
    needs={Feature.STREAMING, Role.ASK},
    mutants=("task-stream.followup-updates-first",),
)
async def a_later_turn_begins_with_the_task(lab: A2aLab) -> None:
    """A task asks for input, and gets it by a message that asks for a stream."""
    async with lab.session() as session:
        task = await waiting(lab, session)
        stream = await session.stream("green", task=task.task_id, context=task.context_id)
        await stream.ended()
        if not stream.is_stream:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the next turn was not answered by a stream", stream.exchange.sent)
        lab.expect(begins(stream, "task"))


@check(
    "a2a.stream.message-only",
    "A stream that answers with a Message has that Message alone",
    needs={Feature.STREAMING, Role.MESSAGE},
    mutants=("task-stream.message-twice", "task-stream.message-stays-open"),
)
async def a_message_is_alone(lab: A2aLab) -> None:
    """The stream of an agent that answers with a direct Message."""
    async with lab.session() as session:
        stream = await read(lab, session, Role.MESSAGE)
        kinds = [update.kind for update in stream.updates]
        if "message" not in kinds:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the agent did not answer with a Message", *stream.records)
        lab.expect(expect.that(kinds == ["message"], "one Message and nothing else", kinds, *stream.records))
        lab.expect(closed(stream, "the stream ends after its Message"))


@check(
    "a2a.stream.task-then-updates",
    "After the Task a stream has updates only",
    needs=STREAM,
    mutants=("task-stream.task-for-every-update",),
    patience=0.5,
)
async def updates_follow_the_task(lab: A2aLab) -> None:
    """The stream of a task with chunks. A Task at its very end is allowed (11.7)."""
    async with lab.session() as session:
        stream = await ticks(lab, session)
        updates = stream.updates
        inner = updates[1:-1] if updates[-1].kind == "task" and updates[-1].terminal else updates[1:]
        other = [update for update in inner if update.kind not in ("status", "artifact")]
        told = f"{len(other)} other events, the first a {other[0].kind or 'foreign event'}" if other else ""
        lab.expect(expect.that(not other, "status and artifact updates only", told, *(u.record for u in other[:5])))


@check(
    "a2a.stream.terminal-closes",
    "A stream ends with the terminal state of its task",
    needs=STREAM,
    mutants=("task-stream.open-after-end", "task-stream.goes-on-after-end", "task-stream.torn-at-end"),
)
async def a_stream_ends_with_the_terminal_state(lab: A2aLab) -> None:
    """Streams of tasks that complete and that fail. Each must be closed, in order, within 2 s of the terminal state,
    and that must be the last that is told."""
    async with lab.session() as session:
        for role in (Role.TICKS, *(role for role in (Role.FAIL, Role.REJECT) if lab.effects.has(role))):
            play = await lab.effects.plan(role, count=COUNT, gap=0.05)
            stream = await session.play_stream(play)
            await admitted(lab, stream, play.lasts + lab.tempo.answer)
            told = await stream.reaches(*TERMINAL, within=play.lasts * 1.5 + lab.tempo.answer)
            if not told and role is not Role.TICKS:
                continue
            lab.expect(expect.that(told, "a terminal state is told", f"the last is {stream.state}", *stream.records))
            await stream.ended(lab.tempo.scaled(CLOSING))
            lab.expect(closed(stream, f"the stream ends within {CLOSING:.0f} s of the terminal state"))
            lab.expect(_nothing_after(stream.updates))


def _nothing_after(updates: Sequence[Update]) -> Violation | None:
    """A Task that is resent in the same state is allowed."""
    end = next((place for place, update in enumerate(updates) if update.terminal), len(updates))
    late = [u for u in updates[end + 1 :] if not (u.kind == "task" and u.state == updates[end].state)]
    told = f"{len(late)} events, the first a {late[0].kind} {late[0].state}" if late else ""
    return expect.that(not late, "nothing after the terminal state", told, *(u.record for u in late[:5]))


@check(
    "a2a.stream.final-flag",
    "The last status update of a stream, and it alone, is final",
    needs=STREAM,
    mutants=("task-stream.never-final", "task-stream.always-final"),
)
async def only_the_last_status_is_final(lab: A2aLab) -> None:
    """Streams of tasks that complete and that ask for input. Over HTTP+JSON a flag that is false may be left out."""
    async with lab.session() as session:
        for role in (Role.TICKS, *((Role.ASK,) if lab.effects.has(Role.ASK) else ())):
            stream = await read(lab, session, role, count=COUNT, gap=0.05)
            statuses = [update for update in stream.updates if update.kind == "status"]
            if not statuses:
                lab.inconclusive(Reason.STIMULUS_FAILED, "the stream has no status updates", *stream.records)
            lab.expect(_final(lab, statuses, soft=role is Role.ASK))


def _final(lab: A2aLab, statuses: Sequence[Update], *, soft: bool) -> Violation | None:
    """`soft`: at a question the flag is usual, not demanded."""
    absent = False if lab.binding == HTTP_JSON else None
    flags = [absent if update.final is None else update.final for update in statuses]
    expected = "final is true on the last status update and false on each before it"
    right = flags == [False] * (len(flags) - 1) + [True]
    return expect.that(right, expected, f"final: {flags}", *(u.record for u in statuses), soft=soft)


@check(
    "a2a.stream.immediate-feedback",
    "Events are sent as they happen",
    needs={Feature.STREAMING, Role.HOLD},
    mutants=("task-stream.buffered",),
)
async def events_are_sent_as_they_happen(lab: A2aLab) -> None:
    """A task that works for some seconds: its first event comes within 2 s, and while it still works."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.HOLD, seconds=4.0)
        stream = await session.play_stream(play)
        await admitted(lab, stream, play.lasts + lab.tempo.answer)
        first = next((update.time - stream.exchange.begun for update in stream.updates), None)
        limit = min(lab.tempo.scaled(CLOSING), play.lasts / 2)
        told = "no event came" if first is None else f"it came after {first:.1f} s"
        right = first is not None and first <= limit
        lab.expect(expect.that(right, f"the first event within {limit:.1f} s", told, *stream.records))
        await session.cancel(stream.task_id or NOWHERE)


@check(
    "a2a.stream.error-before-open",
    "A stream that is refused is answered by a plain error",
    needs={Feature.STREAMING},
    mutants=("task-stream.error-as-event",),
)
async def a_refusal_is_no_stream(lab: A2aLab) -> None:
    """A message for an unknown task, and a subscription to it."""
    async with lab.session() as session:
        for stream in (await session.stream("hello", task=NOWHERE), await session.subscribe(NOWHERE)):
            await stream.ended()
            if stream.updates:
                lab.inconclusive(Reason.STIMULUS_FAILED, "the request was not refused", *stream.records)
            told = f"Content-Type {stream.exchange.reply.header('content-type')}"
            lab.expect(expect.that(not stream.is_stream, "a JSON error, and no event stream", told, *stream.records))


@check(
    "a2a.stream.headers",
    "A stream is neither cached nor buffered",
    needs=STREAM,
    mutants=("task-stream.cacheable",),
)
async def a_stream_is_not_cached(lab: A2aLab) -> None:
    """The headers of a stream: Cache-Control forbids to store or to reuse it, and no encoding holds it back."""
    async with lab.session() as session:
        stream = await read(lab, session, Role.TICKS, count=2, gap=0.05)
        reply = stream.exchange.reply
        control, encoding = reply.header("cache-control") or "", reply.header("content-encoding") or "identity"
        right = "no-store" in control or "no-cache" in control
        evidence = stream.records[:2]
        lab.expect(expect.that(right, "Cache-Control no-store or no-cache", control or "no such header", *evidence))
        # What our own gateway compresses is not the agent's doing.
        plain = encoding == "identity" or any(isinstance(fault, recode) for fault in lab.berth.ambient)
        lab.expect(expect.that(plain, "no Content-Encoding", encoding, *evidence))


IDLE = 5.1
"""Seconds for which a stream has nothing to say."""


@check(
    "a2a.stream.keepalive",
    "An idle stream stays open",
    needs=STREAM,
    mutants=("task-stream.idle-timeout",),
    patience=5.0,
)
async def an_idle_stream_stays_open(lab: A2aLab) -> None:
    """A task says nothing for 5.2 s, before its first chunk or after it: its stream must then still be there, and bring
    the next one."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.TICKS, count=2, gap=IDLE)
        if play.gap < IDLE:
            lab.inconclusive(Reason.NO_STIMULUS, f"the chunks of this target cannot be {IDLE:.0f} s apart")
        stream = await streaming(lab, session, play)
        early = await stream.has_chunks(1, play.gap / 2)
        came = await stream.has_chunks(2 if early else 1, play.gap * 1.5 + lab.tempo.answer)
        told = f"the stream is {stream.ending.value} {stream.exchange.why}"
        lab.expect(expect.that(came, f"the chunk comes after {IDLE:.0f} s of silence", told, *stream.records))
        await session.cancel(stream.task_id)
