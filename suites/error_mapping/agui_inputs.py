"""AG-UI: inputs that start no run, and odd ones that may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio
from seatrial import (
    AguiLab,
    AguiSession,
    Answer,
    Isolation,
    Reason,
    Refusal,
    Role,
    Violation,
    check,
    dumps,
    expect,
)
from seatrial.judge.errors import leaks

from ..inputs import asked, end, handled, refused

UNREADABLE = (b"{nope", b"", b"[1]", b'"hello"', b"null", b"\xff\xfe\xfd", b"{}\xc3(")


@check(
    "agui.err.bad-json",
    "A body that is no JSON object is refused before the run starts",
    faults=("malform", "corrupt"),
    mutants=("fail.bad-json-500", "fail.array-500", "fail.bytes-replaced"),
    isolation=Isolation.PROCESS,
)
async def body_that_is_no_object_is_refused(lab: AguiLab) -> None:
    """Broken JSON, nothing, JSON of other kinds, bytes that are no UTF-8, alone and inside a text.

    A lenient decoder that reads the text with a replacement character is a soft violation (RFC 8259 section 9).
    """
    async with lab.session() as session:
        for body in UNREADABLE:
            lab.expect(refused(await session.post(body).outcome(), f"the body {body!r}"))
        outcome = await session.post(_spoilt(session)).outcome()
        found = refused(outcome, "a text that is no UTF-8")
        lab.expect(replace(found, soft=isinstance(outcome, Answer)) if found else None)
        lab.expect(expect.answered(await session.fence(), "the next request is answered"))


def _spoilt(session: AguiSession) -> bytes:
    """A good input but for the encoding of one text: a lenient decoder reads it."""
    said = {"id": session.fresh(), "role": "user", "content": "hello ?"}
    whole = {"threadId": session.fresh(), "runId": session.fresh(), "state": {}, "messages": [said]}
    return dumps({**whole, "tools": [], "context": [], "forwardedProps": {}}).replace(b"hello ?", b"hello \xff")


@check(
    "agui.err.missing-required",
    "An input without a required field is refused before the run starts",
    needs={Role.CHAT},
    mutants=("fail.ids-made-up", "fail.missing-messages-served", "fail.refusal-as-stream"),
)
async def incomplete_input_is_refused(lab: AguiLab) -> None:
    """threadId, runId and messages are left out in turn."""
    async with lab.session() as session:
        for name in ("threadId", "runId", "messages"):
            lab.expect(refused(await asked(lab, session, without=(name,)), f"an input without {name}"))


MALFORMED: Mapping[str, Mapping[str, Any]] = {
    "threadId 5": {"threadId": 5},
    "runId null": {"runId": None},
    "runId []": {"runId": []},
    "messages as an object": {"messages": {"id": "m-1", "role": "user", "content": "hello"}},
    "a message that is a text": {"messages": ["hello"]},
    "a message with content 5": {"messages": [{"id": "m-1", "role": "user", "content": 5}]},
    "a message without content": {"messages": [{"id": "m-1", "role": "user"}]},
    "a message without a role": {"messages": [{"id": "m-1", "content": "hello"}]},
    "a message with id 7": {"messages": [{"id": 7, "role": "user", "content": "hello"}]},
    "a text part without text": {"messages": [{"id": "m-1", "role": "user", "content": [{"type": "text"}]}]},
    "tools as a text": {"tools": "x"},
    "a tool without a name": {"tools": [{"description": "Does something.", "parameters": {}}]},
    "context as an object": {"context": {"description": "a", "value": "b"}},
    "a resume entry of status maybe": {"resume": [{"interruptId": "i-1", "status": "maybe"}]},
    "a resume entry without an id": {"resume": [{"status": "resolved"}]},
}
"""What is malformed, and the fields of the input that have it."""


@check(
    "agui.err.malformed-known-field",
    "A known field with a malformed value is refused before the run starts",
    needs={Role.CHAT},
    mutants=("fail.shapes-unchecked", "fail.content-coerced", "fail.resume-unchecked"),
)
async def malformed_fields_are_refused(lab: AguiLab) -> None:
    """One malformed field at a time, at the top and inside messages, tools, context and resume."""
    async with lab.session() as session:
        for what, fields in MALFORMED.items():
            lab.expect(refused(await asked(lab, session, extra=fields), what))


@check(
    "agui.err.null-optional-input",
    "null for an optional field of the input is refused or served",
    needs={Role.CHAT},
    mutants=("fail.null-500",),
)
async def null_for_an_optional_field_is_handled(lab: AguiLab) -> None:
    """tools, state, context and forwardedProps are null in turn; recorded is what becomes of the run."""
    async with lab.session() as session:
        for name in ("tools", "state", "context", "forwardedProps"):
            outcome = await asked(lab, session, extra={name: None})
            lab.expect(handled(outcome, f"{name} null"))
            lab.note(f"{name} null is {'served' if isinstance(outcome, Answer) else 'not served'}", outcome)
        await lab.survives(session)


@check(
    "agui.err.wrong-method",
    "Other HTTP methods than POST are refused",
    mutants=("fail.any-method",),
)
async def other_methods_are_refused(lab: AguiLab) -> None:
    """GET, PUT and DELETE at the endpoint."""
    async with lab.session() as session:
        for verb, body in (("GET", None), ("PUT", b"{}"), ("DELETE", None)):
            headers = {"Accept": "text/event-stream"} | ({"Content-Type": "application/json"} if body else {})
            exchange = session.raw(verb, headers, body)
            outcome = await exchange.outcome()
            await exchange.leave()
            lab.expect(expect.refused(outcome, statuses={404, 405, 501}, what=f"{verb} is refused with 405 or 404"))


@check(
    "agui.err.wrong-content-type",
    "A body that is not declared as JSON is refused",
    needs={Role.CHAT},
    faults=("rewrite_type",),
    mutants=("fail.any-content-type",),
)
async def body_of_another_type_is_refused(lab: AguiLab) -> None:
    """A good input as text/plain, and as a form, which browsers send to other origins without asking."""
    async with lab.session() as session:
        for kind in ("text/plain", "application/x-www-form-urlencoded"):
            outcome = await asked(lab, session, headers={"Content-Type": kind})
            lab.expect(refused(outcome, f"an input as {kind}"))


SECRET = "sk-7f3a7f3a7f3a7f3a7f3a7f3a"
LARGE = 1024 * 1024
BOUND = 64 * 1024
"""Bytes that suffice for telling what is wrong with an input."""


@check(
    "agui.err.reject-body-no-leak",
    "A refusal repeats neither large nor secret input, and no stack trace",
    faults=("oversize",),
    mutants=("fail.refusal-repeats-input", "fail.refusal-with-traceback"),
)
async def refusal_repeats_no_input(lab: AguiLab) -> None:
    """A malformed message with a text that looks like a secret, then one of 1 MB."""
    async with lab.session() as session:
        for text in (SECRET, "x" * LARGE):
            broken = {"id": session.fresh(), "role": "user", "content": {"token": text}}
            run = await session.run(messages=[broken], without=("threadId",))
            outcome = await end(lab, run)
            if not isinstance(outcome, Refusal):
                lab.inconclusive(Reason.STIMULUS_FAILED, "the malformed input was not refused", outcome)
            lab.expect(_discreet(outcome))


def _discreet(outcome: Refusal) -> Violation | None:
    body = outcome.reply.body.decode("utf-8", "replace")
    told = ["what looks like a secret"] * (SECRET in body) + [f"{len(body)} characters"] * (len(body) > BOUND)
    found = [*told, *(name for name in leaks(body) if name == "a stack trace")]
    return expect.that(not found, "a short refusal that repeats nothing", f"it shows {', '.join(found)}", outcome)


@check(
    "agui.err.empty-messages",
    "An input without any message is served, or fails in the stream",
    mutants=("fail.no-message-500",),
)
async def input_without_messages_is_handled(lab: AguiLab) -> None:
    """The list of messages is there and empty."""
    async with lab.session() as session:
        outcome = await end(lab, await session.run())
        good = outcome.reply.status == 200 and isinstance(outcome, Answer | Refusal)
        lab.expect(expect.that(good, "a run, or RUN_ERROR in its stream", outcome, outcome))
        await lab.survives(session)


@check(
    "agui.err.dangling-call-history",
    "A history with a tool call that nobody answered does not hang the server",
    needs={Role.CHAT},
    mutants=("fail.dangling-call-hangs", "fail.dangling-call-500"),
)
async def dangling_call_is_handled(lab: AguiLab) -> None:
    """A call of the assistant without a result, then a new line of the user, with no resume."""
    async with lab.session() as session:
        outcome = await asked(lab, session, messages=_dangling(session))
        lab.expect(handled(outcome, "a history with an unanswered call"))
        await lab.survives(session)


def _dangling(session: AguiSession) -> list[Any]:
    call = {"id": session.fresh(), "type": "function", "function": {"name": "look", "arguments": "{}"}}
    said = {"id": session.fresh(), "role": "user", "content": "Look, please."}
    return [said, {"id": session.fresh(), "role": "assistant", "content": "I will.", "toolCalls": [call]}]


HUGE = 10 * 1024 * 1024


@check(
    "agui.err.huge-body",
    "A very large input does not end the server",
    needs={Role.CHAT},
    faults=("oversize",),
    mutants=("fail.huge-body-500",),
    isolation=Isolation.PROCESS,
)
async def huge_input_is_survived(lab: AguiLab) -> None:
    """A message of 10 MB before the user's line: a run, a refusal, or a connection that is closed on us."""
    async with lab.session() as session:
        long = {"id": session.fresh(), "role": "user", "content": "all at sea " * (HUGE // 11)}
        outcome = await asked(lab, session, messages=[long])
        lab.expect(expect.that((outcome.reply.status or 0) < 500, "413, another 4xx or a run", outcome, outcome))
        lab.expect(expect.answered(await session.fence(), "the next request is answered"))


@check(
    "agui.err.rejects-before-side-effects",
    "An input that is refused has no effect",
    needs={Role.TOOL, Role.WITNESS},
    mutants=("fail.works-before-it-refuses",),
)
async def refused_input_has_no_effect(lab: AguiLab) -> None:
    """The prompt of a tool in an input without runId, beside one that is whole: the witness must show nothing of it."""
    control = await lab.effects.control(Role.TOOL, seconds=0.2)
    if not control.marks:
        lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of the tool when it is left alone")
    async with lab.session() as session:
        play = await lab.effects.plan(Role.TOOL, seconds=0.2)
        before = await lab.effects.baseline(play, session)
        begun = anyio.current_time()
        outcome = await end(lab, await session.play(play, without=("runId",)))
        if not isinstance(outcome, Refusal):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the malformed input was not refused", outcome)
        sighting = await lab.effects.sight(play, control, session, before, begun)
        lab.expect(expect.that(not sighting.began, "no effect", str(sighting), outcome, *sighting.records))
