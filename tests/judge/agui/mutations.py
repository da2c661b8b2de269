"""Single illegal changes of a legal stream, each with the rule that it breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seatrial.judge.agui import Rule

from .wire import (
    OFFERED,
    USER,
    JsonObject,
    call,
    delta,
    e,
    error,
    finished,
    op,
    result,
    snapshot,
    span,
    started,
    step,
    subagent,
    text,
    text_chunk,
    thought,
    tool_chunk,
)

U = {"subagentRunId": "x-u"}


@dataclass(frozen=True)
class Insertion:
    """Events that are illegal wherever they stand inside a run. `last`: only where nothing of the run follows."""

    rule: Rule
    events: tuple[JsonObject, ...]
    last: bool = False
    early: bool = True
    """Whether 0.1.21 forbids it too."""


def anywhere(rule: Rule, *events: JsonObject, early: bool = True) -> Insertion:
    return Insertion(rule, events, early=early)


def at_the_end(rule: Rule, *events: JsonObject, early: bool = True) -> Insertion:
    return Insertion(rule, events, last=True, early=early)


def modern(rule: Rule, *events: JsonObject) -> Insertion:
    return Insertion(rule, events, early=False)


A, B = e("ACTIVITY_SNAPSHOT", messageId="x-a", activityType="p", content={}), {"messageId": "x-a", "activityType": "p"}

INSERTIONS: dict[str, Insertion] = {
    "content before its text": anywhere(Rule.TEXT_TRIAD, *text("x-m", "a")[1:]),
    "end of no text": anywhere(Rule.TEXT_TRIAD, text("x-m")[-1]),
    "text opened twice": anywhere(Rule.TEXT_TRIAD, text("x-m")[0], *text("x-m", "x")),
    "text not closed": anywhere(Rule.TEXT_TRIAD, *text("x-m", "x")[:-1]),
    "text closed twice": anywhere(Rule.TEXT_TRIAD, *text("x-m", "x"), text("x-m")[-1]),
    "arguments before their call": anywhere(Rule.TOOL_TRIAD, *call("x-c", "1")[1:]),
    "call not closed": anywhere(Rule.TOOL_TRIAD, *call("x-c", "1")[:-1], result("x-c", "x-m")),
    "call opened twice": anywhere(Rule.TOOL_TRIAD, call("x-c")[0], *call("x-c"), result("x-c", "x-m")),
    "end of no thought": anywhere(Rule.REASONING_TRIAD, thought("x-m")[-1]),
    "thought not closed": anywhere(Rule.REASONING_TRIAD, *thought("x-m", "x")[:-1]),
    "span not closed": anywhere(Rule.REASONING_SPAN, span("x-m")[0]),
    "span opened twice": anywhere(Rule.REASONING_SPAN, *span("x-m", span("x-m")[0])),
    "end of no span": anywhere(Rule.REASONING_SPAN, span("x-m")[-1]),
    "step not finished": anywhere(Rule.STEPS_BALANCED, step("x-s")[0]),
    "step of no start": anywhere(Rule.STEPS_BALANCED, step("x-s")[-1]),
    "step started twice": anywhere(Rule.STEPS_BALANCED, *step("x-s", step("x-s")[0])),
    "step finished by another": anywhere(Rule.SUBAGENT_OWNER, step("x-s", **U)[0], step("x-s")[1]),
    "first chunk without id": anywhere(Rule.CHUNK_FIRST_FIELDS, text_chunk(**U), text_chunk(**U)),
    "first chunk without name": anywhere(Rule.CHUNK_FIRST_FIELDS, tool_chunk("x-c", delta="1"), result("x-c", "x-m")),
    "chunk of another role": modern(
        Rule.CHUNK_NO_CONFLICT, text_chunk("x-m", **U), text_chunk("x-m", role="user", **U)
    ),
    "chunk of another tool": modern(
        Rule.CHUNK_NO_CONFLICT,
        tool_chunk("x-c", toolCallName="look_up", **U),
        tool_chunk("x-c", toolCallName="look_down", **U),
        result("x-c", "x-m"),
    ),
    "chunk, then content": modern(Rule.CHUNK_NO_MIX, text_chunk("x-m"), *text("x-m", "x")[1:]),
    "start, then chunk": modern(Rule.CHUNK_NO_MIX, text("x-m")[0], text_chunk("x-m", "x"), text("x-m")[-1]),
    "chunk of another owner": anywhere(
        Rule.SUBAGENT_OWNER, text_chunk("x-m", **U), text_chunk("x-m", subagentRunId="x-v")
    ),
    "result of no call": anywhere(Rule.RESULT_KNOWN_CALL, result("x-c", "x-m")),
    "two results": anywhere(Rule.RESULT_ONCE, *call("x-c"), result("x-c", "x-m"), result("x-c", "x-n")),
    "result with the id of a text": modern(Rule.RESULT_OWN_ID, *text("x-m"), *call("x-c"), result("x-c", "x-m")),
    "result with the id of the input": modern(Rule.RESULT_OWN_ID, *call("x-c"), result("x-c", USER["id"])),
    "arguments of no JSON": anywhere(Rule.ARGS_JSON, *call("x-c", '{"a":', "1"), result("x-c", "x-m")),
    "two objects as arguments": anywhere(Rule.ARGS_JSON, *call("x-c", "{}", "{}"), result("x-c", "x-m")),
    "text with the id of the input": modern(Rule.MESSAGE_ID_UNIQUE, *text(USER["id"], "x")),
    "text with the id of a result": modern(
        Rule.MESSAGE_ID_UNIQUE, *call("x-c"), result("x-c", "x-m"), *text("x-m", "x")
    ),
    "text reopened in another role": modern(Rule.REOPEN_CONSISTENT, *text("x-m", "x"), *text("x-m", "y", role="user")),
    "call reopened for another tool": modern(
        Rule.REOPEN_CONSISTENT, *call("x-c", "1"), *call("x-c", name="other"), result("x-c", "x-m")
    ),
    "text reopened by another": modern(Rule.REOPEN_CONSISTENT, *text("x-m", "x"), *text("x-m", "y", **U)),
    "fraction as timestamp": modern(Rule.TIMESTAMP, e("RAW", event=1, timestamp=1.5)),
    "text as timestamp": modern(Rule.TIMESTAMP, e("RAW", event=1, timestamp="now")),
    "huge timestamp": modern(Rule.TIMESTAMP, e("RAW", event=1, timestamp=2**60)),
    "subagent announced twice": anywhere(Rule.SUBAGENT_LIFECYCLE, *subagent("x-u", subagent("x-u")[0])),
    "end of no subagent": anywhere(Rule.SUBAGENT_LIFECYCLE, subagent("x-u")[-1]),
    "error of no subagent": anywhere(Rule.SUBAGENT_LIFECYCLE, e("SUBAGENT_ERROR", subagentRunId="x-u", message="no")),
    "subagent used again": anywhere(Rule.SUBAGENT_LIFECYCLE, *subagent("x-u"), *subagent("x-u")),
    "subagent not ended": anywhere(Rule.SUBAGENT_CLOSED, subagent("x-u")[0]),
    "parent not announced": anywhere(Rule.SUBAGENT_OWNER, *subagent("x-u", parentSubagentRunId="nobody")),
    "content of another owner": anywhere(
        Rule.SUBAGENT_OWNER, text("x-m", **U)[0], e("TEXT_MESSAGE_END", messageId="x-m", subagentRunId="x-v")
    ),
    "call in a message of another": anywhere(
        Rule.SUBAGENT_OWNER,
        *text("x-m"),
        *call("x-c", parentMessageId="x-m", **U)[:1],
        call("x-c")[-1],
        result("x-c", "x-n"),
    ),
    "custom name without prefix": modern(Rule.CUSTOM_PREFIXED, e("CUSTOM", name="progress", value=1)),
    "retired event": modern(Rule.NO_RETIRED_EVENTS, e("THINKING_START")),
    "unknown event": modern(Rule.NO_UNKNOWN_EVENTS, e("TEXT_MESSAGE_BEGIN", messageId="x")),
    "event without a type": modern(Rule.NO_UNKNOWN_EVENTS, {"messageId": "x"}),
    "event with a type that is no text": modern(Rule.NO_UNKNOWN_EVENTS, {"type": 5}),
    "unknown field": modern(Rule.NO_UNKNOWN_FIELDS, e("RAW", event=1, extra=True)),
    "missing field": modern(Rule.NO_UNKNOWN_FIELDS, e("CUSTOM", name="a.b")),
    "role of another type": modern(Rule.NO_UNKNOWN_FIELDS, *text("x-m", "x", role="wizard")),
    "text without an id": modern(Rule.NO_UNKNOWN_FIELDS, e("TEXT_MESSAGE_START"), *text("x-m", "x")[1:]),
    "null for an optional field": modern(Rule.NO_NULL, *call("x-c", parentMessageId=None), result("x-c", "x-m")),
    "null in an interrupt of a subagent": modern(
        Rule.NO_NULL, *subagent("x-u")[:1], e("SUBAGENT_FINISHED", subagentRunId="x-u", outcome=None)
    ),
    "null as raw event": modern(Rule.NO_NULL, e("RAW", event=1, rawEvent=None)),
    "result that is a number": modern(Rule.RESULT_CONTENT, *call("x-c"), result("x-c", "x-m", 5)),
    "result with an odd part": modern(Rule.RESULT_CONTENT, *call("x-c"), result("x-c", "x-m", [{"type": "hologram"}])),
    "delta that is no array": anywhere(Rule.PATCH_VALID, e("STATE_DELTA", delta={"op": "add"})),
    "delta with an unknown operation": at_the_end(Rule.PATCH_VALID, delta(op("merge", "/x", 1))),
    "delta without a value": at_the_end(Rule.PATCH_VALID, delta(op("add", "/x"))),
    "delta with an odd pointer": at_the_end(Rule.PATCH_VALID, delta(op("add", "x", 1))),
    "delta with a bad escape": at_the_end(Rule.PATCH_VALID, delta(op("add", "/~2", 1))),
    "delta that does not apply": at_the_end(Rule.PATCH_APPLIES, delta(op("remove", "/nowhere"))),
    "failed test": at_the_end(Rule.PATCH_APPLIES, delta(op("test", "/n", "no number"))),
    "snapshot that differs": at_the_end(Rule.CONVERGES, delta(op("add", "/x", 1)), snapshot({"n": None})),
    "activity delta without snapshot": anywhere(Rule.ACTIVITY_BASELINE, e("ACTIVITY_DELTA", patch=[], **B)),
    "activity that is no object": anywhere(
        Rule.ACTIVITY_BASELINE, A, e("ACTIVITY_DELTA", patch=[op("replace", "", 5)], **B)
    ),
    "activity delta that does not apply": anywhere(
        Rule.ACTIVITY_BASELINE, A, e("ACTIVITY_DELTA", patch=[op("remove", "/x")], **B)
    ),
    "activity delta of odd form": anywhere(Rule.ACTIVITY_BASELINE, A, e("ACTIVITY_DELTA", patch=[{}], **B)),
    "snapshot without messages": anywhere(Rule.SNAPSHOT_COMPLETE, e("MESSAGES_SNAPSHOT", messages=[])),
    "content twice": anywhere(Rule.CONTENT_ONCE, *text("x-m", "again"), *text("x-n", "ag", "ain")),
    "thought twice": anywhere(Rule.CONTENT_ONCE, *thought("x-m", "again"), *thought("x-n", "again")),
    "run inside a run": anywhere(Rule.SINGLE_ACTIVE_RUN, started(protocolVersion="1.0")),
    "answer for the client": modern(Rule.FRONTEND_UNANSWERED, *call("x-c", name=OFFERED), result("x-c", "x-m")),
}

Change = Callable[[list[JsonObject]], list[JsonObject]]


def ending(**members: Any) -> Change:
    """The run ends with a RUN_FINISHED that has these members."""
    return lambda events: [*events[:-1], finished(**members)]


def starting(**members: Any) -> Change:
    return lambda events: [{**started(protocolVersion="1.0"), **members}, *events[1:]]


def following(*more: JsonObject) -> Change:
    return lambda events: [*events, *more]


def outcome(type_: str, **members: Any) -> Change:
    return ending(outcome={"type": type_, **members})


def ending_with(*events: JsonObject, **members: Any) -> Change:
    return lambda old: [*old[:-1], *events, finished(**members)]


def i(id_: str, **members: Any) -> JsonObject:
    return {"id": id_, "reason": "ask", **members}


PENDING = {"type": "success", "pendingToolCallIds": ["x-c"]}
FRONT = call("x-c", name=OFFERED)

CHANGES: dict[str, tuple[Rule, Change, bool]] = {
    "no RUN_STARTED": (Rule.RUN_STARTED_FIRST, lambda events: events[1:], True),
    "RUN_STARTED second": (Rule.RUN_STARTED_FIRST, lambda x: [e("RAW", event=1), *x], True),
    "no terminal event": (Rule.ALWAYS_TERMINAL, lambda events: events[:-1], True),
    "no event at all": (Rule.ALWAYS_TERMINAL, lambda events: [], True),
    "text after the end": (Rule.NOTHING_AFTER_FINISH, following(*text("x-m", "x")), True),
    "finished twice": (Rule.NOTHING_AFTER_FINISH, following(finished()), True),
    "text after the error": (Rule.RUN_ERROR_TERMINAL, lambda x: [*x[:-1], error(), *text("x-m", "x")], True),
    "finished after the error": (Rule.NO_FINISH_AFTER_ERROR, lambda x: [*x[:-1], error(), finished()], False),
    "error after the error": (Rule.RUN_ERROR_TERMINAL, lambda x: [*x[:-1], error(), error()], True),
    "two late errors": (Rule.LATE_ERROR, following(error(), error()), False),
    "another thread": (Rule.IDS_ECHO, starting(threadId="t-2"), True),
    "another run": (Rule.IDS_ECHO, lambda x: [started("r-2", protocolVersion="1.0"), *x[1:-1], finished("r-2")], True),
    "another thread at the end": (Rule.IDS_ECHO, ending(threadId="t-2"), True),
    "another run at the end": (Rule.IDS_ECHO, ending(runId="r-2"), True),
    "no version": (Rule.DECLARES_OWN, lambda x: [started(), *x[1:]], False),
    "odd version": (Rule.DECLARES_OWN, starting(protocolVersion="v1"), False),
    "version that is a number": (Rule.DECLARES_OWN, starting(protocolVersion=1.0), False),
    "two versions": (
        Rule.VERSION_STABLE,
        lambda x: [started("r-0", protocolVersion="1.1"), finished("r-0"), *x],
        False,
    ),
    "error code that is a number": (Rule.ERROR_CODE, lambda x: [*x[:-1], error(code=500)], True),
    "another pending call": (Rule.PENDING_CALLS, outcome("success", pendingToolCallIds=["x-c"]), False),
    "no pending call": (Rule.PENDING_CALLS, ending_with(*FRONT), False),
    "pending calls in another order": (
        Rule.PENDING_CALLS,
        ending_with(*FRONT, *call("x-d", name=OFFERED), outcome={**PENDING, "pendingToolCallIds": ["x-d", "x-c"]}),
        False,
    ),
    "pending call of no offered tool": (Rule.UNOFFERED_TOOL, ending_with(*call("x-c"), outcome=PENDING), False),
    "interrupt for a frontend tool": (
        Rule.FRONTEND_UNANSWERED,
        ending_with(*FRONT, outcome={"type": "interrupt", "interrupts": [i("i", toolCallId="x-c")]}),
        False,
    ),
    "interrupts without any": (Rule.INTERRUPT_FORM, outcome("interrupt", interrupts=[]), True),
    "interrupts missing": (Rule.INTERRUPT_FORM, outcome("interrupt"), True),
    "interrupts with one id": (Rule.INTERRUPT_FORM, outcome("interrupt", interrupts=[i("i"), i("i")]), True),
    "interrupt without reason": (Rule.INTERRUPT_FORM, outcome("interrupt", interrupts=[{"id": "i"}]), True),
    "cancelled with interrupts": (Rule.CANCELLED_BARE, outcome("cancelled", interrupts=[i("i")]), False),
    "unknown outcome": (Rule.NO_UNKNOWN_FIELDS, outcome("paused", until="noon"), False),
    "null outcome": (Rule.NO_NULL, ending(outcome=None), False),
    "usage that does not add up": (
        Rule.USAGE,
        ending(usage=[{"inputTokens": 1, "outputTokens": 1, "totalTokens": 3}]),
        False,
    ),
    "more cached than read": (Rule.USAGE, ending(usage=[{"inputTokens": 1, "cachedInputTokens": 3}]), False),
    "negative usage": (Rule.USAGE, ending(usage=[{"inputTokens": -1}]), False),
    "raw events alone": (Rule.RAW_NOT_SOLE, lambda x: [x[0], e("RAW", event="hello"), finished()], False),
}
"""What changes the frame of a run: the rule, the change, and whether 0.1.21 forbids it too."""
