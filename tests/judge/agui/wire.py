"""Events of AG-UI, written short."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from seatrial.judge.agui import Event, Finding, RunInput, event

JsonObject = dict[str, Any]

THREAD, RUN = "t-1", "r-1"
OFFERED = "pick_colour"
"""The tool that the client offers."""

USER = {"id": "u-1", "role": "user", "content": "hello"}

BODY: JsonObject = {
    "threadId": THREAD,
    "runId": RUN,
    "protocolVersion": "1.0",
    "state": {"n": 0},
    "messages": [USER],
    "tools": [{"name": OFFERED, "description": "asks for a colour"}],
}
INPUT = RunInput(BODY)


def e(type_: str, **members: Any) -> JsonObject:
    return {"type": type_, **members}


def started(run: str = RUN, **members: Any) -> JsonObject:
    return e("RUN_STARTED", **{"threadId": THREAD, "runId": run, **members})


def finished(run: str = RUN, **members: Any) -> JsonObject:
    return e("RUN_FINISHED", **{"threadId": THREAD, "runId": run, **members})


def error(**members: Any) -> JsonObject:
    return e("RUN_ERROR", **{"message": "it failed", **members})


def text(id_: str, *pieces: str, **opening: Any) -> list[JsonObject]:
    """A text message; `opening` are members of its start, an owner goes to all events."""
    owner = {name: opening[name] for name in ("subagentRunId",) if name in opening}
    start = e("TEXT_MESSAGE_START", messageId=id_, **opening)
    contents = [e("TEXT_MESSAGE_CONTENT", messageId=id_, delta=piece, **owner) for piece in pieces]
    return [start, *contents, e("TEXT_MESSAGE_END", messageId=id_, **owner)]


def call(id_: str, *pieces: str, name: str = "look_up", **opening: Any) -> list[JsonObject]:
    """A tool call without its result."""
    owner = {name: opening[name] for name in ("subagentRunId",) if name in opening}
    start = e("TOOL_CALL_START", toolCallId=id_, toolCallName=name, **opening)
    arguments = [e("TOOL_CALL_ARGS", toolCallId=id_, delta=piece, **owner) for piece in pieces]
    return [start, *arguments, e("TOOL_CALL_END", toolCallId=id_, **owner)]


def result(id_: str, message: str, content: Any = "42", **members: Any) -> JsonObject:
    return e("TOOL_CALL_RESULT", toolCallId=id_, messageId=message, content=content, **members)


def thought(id_: str, *pieces: str, **owner: Any) -> list[JsonObject]:
    """A reasoning message."""
    start = e("REASONING_MESSAGE_START", messageId=id_, role="reasoning", **owner)
    contents = [e("REASONING_MESSAGE_CONTENT", messageId=id_, delta=piece, **owner) for piece in pieces]
    return [start, *contents, e("REASONING_MESSAGE_END", messageId=id_, **owner)]


def span(id_: str, *inner: JsonObject, **owner: Any) -> list[JsonObject]:
    return [e("REASONING_START", messageId=id_, **owner), *inner, e("REASONING_END", messageId=id_, **owner)]


def step(name: str, *inner: JsonObject, **owner: Any) -> list[JsonObject]:
    return [e("STEP_STARTED", stepName=name, **owner), *inner, e("STEP_FINISHED", stepName=name, **owner)]


def subagent(id_: str, *inner: JsonObject, **members: Any) -> list[JsonObject]:
    start = e("SUBAGENT_STARTED", subagentRunId=id_, name="helper", **members)
    return [start, *inner, e("SUBAGENT_FINISHED", subagentRunId=id_)]


def text_chunk(id_: str | None = None, delta: str = "c", **members: Any) -> JsonObject:
    return e("TEXT_MESSAGE_CHUNK", **({} if id_ is None else {"messageId": id_}), delta=delta, **members)


def tool_chunk(id_: str | None = None, **members: Any) -> JsonObject:
    return e("TOOL_CALL_CHUNK", **({} if id_ is None else {"toolCallId": id_}), **members)


def op(name: str, path: str, *value: Any) -> JsonObject:
    return {"op": name, "path": path, **({"value": value[0]} if value else {})}


def delta(*operations: Any, **members: Any) -> JsonObject:
    return e("STATE_DELTA", delta=list(operations), **members)


def snapshot(value: Any, **members: Any) -> JsonObject:
    return e("STATE_SNAPSHOT", snapshot=value, **members)


def run(*events: JsonObject | Iterable[JsonObject], version: str | None = "1.0", **finish: Any) -> list[JsonObject]:
    """A run of 1.0 with single events and lists of them."""
    declared = {} if version is None else {"protocolVersion": version}
    body = [item for part in events for item in ([part] if isinstance(part, dict) else part)]
    return [started(**declared), *body, finished(**finish)]


def sequence(payloads: Iterable[Any]) -> list[Event]:
    """The payloads as they would be after the wire; record n for the n-th."""
    return [event(json.loads(json.dumps(payload)), n) for n, payload in enumerate(payloads, 1)]


def ids(findings: Iterable[Finding]) -> list[str]:
    """The rules of some findings, without their prefix."""
    return [finding.rule.value.removeprefix("agui.") for finding in findings]
