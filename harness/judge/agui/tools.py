"""Tool calls as a whole: their arguments, their results, and who answers them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...transcript import BODY_LIMIT
from .events import Event, RunInput
from .rules import Rule, Sheet, shown


@dataclass(slots=True)
class Call:
    """One call of a run. `pieces` are its argument deltas."""

    id: str
    name: str
    start: Event
    pieces: list[str] = field(default_factory=list)


def called(messages: Any) -> Iterator[str]:
    """The ids of the calls in a list of messages, answered or not."""
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict):
            calls = message.get("toolCalls")
            yield from (call["id"] for call in calls if _has_id(call)) if isinstance(calls, list) else ()
            if isinstance(message.get("toolCallId"), str):
                yield message["toolCallId"]


def _has_id(call: Any) -> bool:
    return isinstance(call, dict) and isinstance(call.get("id"), str)


class ToolCalls:
    """The calls of a run and the ids of all calls of the thread."""

    def __init__(self, sheet: Sheet, run_input: RunInput) -> None:
        self.sheet = sheet
        self._offered = run_input.tools
        self._known = set(called(run_input.body.get("messages")))
        self._resumed = bool(run_input.objects("resume"))
        """An answer may then name a call that only the server remembers."""
        self._calls: dict[str, Call] = {}
        self._results: dict[str, Event] = {}

    def see(self, event: Event) -> None:
        id_ = event.text("toolCallId")
        match event.type:
            case "RUN_STARTED":
                self._calls.clear()
                self._results.clear()
            case "MESSAGES_SNAPSHOT":
                self._known.update(called(event.payload.get("messages")))
            case "TOOL_CALL_START" if id_ is not None:
                self._known.add(id_)
                self._calls.setdefault(id_, Call(id_, event.text("toolCallName") or "", event))
            case "TOOL_CALL_ARGS" if id_ in self._calls:
                self._calls[id_].pieces.append(event.text("delta") or "")
            case "TOOL_CALL_RESULT" if id_ is not None:
                self._result(id_, event)
            case "RUN_FINISHED":
                self._finish(event)

    def _result(self, id_: str, event: Event) -> None:
        self.sheet.expect(
            Rule.RESULT_KNOWN_CALL,
            id_ in self._known or self._resumed,
            "the result of a call of this thread",
            f"{shown(id_)} was never called",
            event.record,
        )
        self.sheet.look(Rule.RESULT_ONCE)
        self.sheet.look(Rule.FRONTEND_UNANSWERED, self._is_frontend(id_))
        if before := self._results.get(id_):
            self.sheet.find(
                Rule.RESULT_ONCE, "one result of a call", f"{shown(id_)} again", before.record, event.record
            )
        elif self._is_frontend(id_):
            records = (self._calls[id_].start.record, event.record)
            self.sheet.find(Rule.FRONTEND_UNANSWERED, "a frontend tool is answered by the client", "a result", *records)
        self._results.setdefault(id_, event)

    def _is_frontend(self, id_: str) -> bool:
        return id_ in self._calls and self._calls[id_].name in self._offered

    def _finish(self, event: Event) -> None:
        for call in self._calls.values():
            self._arguments(call)
        outcome = event.payload.get("outcome")
        outcome = outcome if isinstance(outcome, dict) else {"type": "success"}
        if outcome.get("type") == "success":
            self._pending(outcome, event)
        elif outcome.get("type") == "interrupt":
            self._interrupted(outcome.get("interrupts"), event)

    def _arguments(self, call: Call) -> None:
        """A recorded text may be shortened, and a call without arguments may have no text: they tell nothing."""
        text = "".join(call.pieces)
        if not text.strip() or any(len(piece) > BODY_LIMIT for piece in call.pieces):
            return
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            self.sheet.find(
                Rule.ARGS_JSON, "argument deltas that join to one JSON value", shown(text), call.start.record
            )
        self.sheet.look(Rule.ARGS_JSON)

    def _pending(self, outcome: Mapping[str, Any], event: Event) -> None:
        unanswered = [id_ for id_ in self._calls if id_ not in self._results]
        frontend = [id_ for id_ in unanswered if self._is_frontend(id_)]
        self.sheet.look(Rule.FRONTEND_UNANSWERED, bool(frontend))
        named = outcome.get("pendingToolCallIds")
        self.sheet.look(Rule.PENDING_CALLS, bool(frontend) or named is not None)
        expected = f"pendingToolCallIds {shown(unanswered)}, the calls without a result"
        if named is None:
            if frontend:
                self.sheet.find(Rule.PENDING_CALLS, expected, "no pendingToolCallIds", event.record, soft=True)
        elif named != unanswered:
            self.sheet.find(Rule.PENDING_CALLS, expected, shown(named), event.record)
        else:
            self._offered_only(named, event)

    def _offered_only(self, named: Sequence[str], event: Event) -> None:
        for id_ in named:
            call = self._calls[id_]
            expected, actual = "a pending call of a tool that was offered", shown(call.name)
            holds = call.name in self._offered
            self.sheet.expect(Rule.UNOFFERED_TOOL, holds, expected, actual, call.start.record, event.record)

    def _interrupted(self, interrupts: Any, event: Event) -> None:
        """A stop for a frontend tool is a success; an interrupt asks for something else."""
        named = [i.get("toolCallId") for i in interrupts if isinstance(i, dict)] if isinstance(interrupts, list) else []
        for id_ in named:
            if isinstance(id_, str) and self._is_frontend(id_):
                expected = "a stop for a frontend tool ends the run as success"
                self.sheet.find(Rule.FRONTEND_UNANSWERED, expected, f"an interrupt for {shown(id_)}", event.record)
