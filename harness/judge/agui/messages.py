"""Messages as a whole: their ids, their contents, and the snapshots that list them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .events import Event, RunInput
from .rules import Rule, Sheet, shown
from .tools import called

ROLES = frozenset({"developer", "system", "assistant", "user", "tool"})
"""Messages that a snapshot lists. A client keeps its reasoning and activities when a snapshot has none."""

STARTS = {"TEXT_MESSAGE_START": "text", "REASONING_MESSAGE_START": "reasoning"}
CONTENTS = {"TEXT_MESSAGE_CONTENT": "text", "REASONING_MESSAGE_CONTENT": "reasoning"}
ENDS = {"TEXT_MESSAGE_END": "text", "REASONING_MESSAGE_END": "reasoning"}

MANY, LONG = 3, 12
"""Deltas and characters that are not the same again by chance."""

Key = tuple[str, str]
"""text or reasoning, and an id."""


@dataclass(slots=True)
class Message:
    """A message that was streamed. `owned`: it belongs to a subagent."""

    start: Event
    owned: bool
    pieces: list[str] = field(default_factory=list)

    @property
    def content(self) -> str:
        return "".join(self.pieces)


class Messages:
    """The messages of a stream, and those of its input."""

    def __init__(self, sheet: Sheet, run_input: RunInput) -> None:
        self.sheet = sheet
        self._input = run_input
        self._taken: dict[str, int] = {}
        """Ids of tool messages and the records that used them."""
        self._streamed: dict[Key, Message] = {}
        self._open: set[Key] = set()
        self._closed: dict[Key, Message] = {}
        self._run: dict[Key, Message] = {}
        self._calls: dict[str, Event] = {}
        self._past = False
        """Whether a run of the past is told again: what it restates is older than the input."""

    def see(self, event: Event) -> None:
        id_ = event.text("messageId") or ""
        if event.type in STARTS and id_:
            self._start((STARTS[event.type], id_), event)
        elif event.type in CONTENTS and (message := self._streamed.get((CONTENTS[event.type], id_))):
            message.pieces.append(event.text("delta") or "")
        elif event.type in ENDS:
            self._end((ENDS[event.type], id_))
        elif event.type == "TOOL_CALL_RESULT" and id_:
            self._result(id_, event)
        elif event.type == "TOOL_CALL_END" and event.owner is None:
            self._calls.setdefault(event.text("toolCallId") or "", event)
        elif event.type == "MESSAGES_SNAPSHOT":
            self._snapshot(event)
        elif event.type in ("RUN_FINISHED", "RUN_ERROR"):
            self._finish()
        elif event.type == "RUN_STARTED":
            self._run.clear()
            self._open.clear()
            self._past = event.text("runId") not in (None, self._input.text("runId"))

    def _start(self, key: Key, event: Event) -> None:
        self._open.add(key)
        message = self._streamed.setdefault(key, Message(event, event.owner is not None))
        self._run.setdefault(key, message)
        if message.start is not event:
            return
        used = key[1] in self._input.message_ids
        records = tuple(record for record in (self._taken.get(key[1]),) if record)
        actual = f"{shown(key[1])} is in the input" if used else f"{shown(key[1])} is a tool result"
        holds = not used and not records
        self.sheet.expect(
            Rule.MESSAGE_ID_UNIQUE, holds, "a message has an id of its own", actual, *records, event.record
        )

    def _end(self, key: Key) -> None:
        self._open.discard(key)
        if key in self._run:
            self._closed[key] = self._run[key]

    def _finish(self) -> None:
        """Contents are compared when they are whole: a closed message may be opened again and go on."""
        told: dict[Key, Message] = {}
        for (kind, id_), message in self._run.items():
            text = message.content
            if (kind, id_) in self._open or not text.strip():
                continue
            self.sheet.look(Rule.CONTENT_ONCE)
            if again := repeated(message.pieces):
                what = f"no content twice in the {kind} message {shown(id_)}"
                self.sheet.find(Rule.CONTENT_ONCE, what, shown(again), message.start.record)
            first = told.setdefault((kind, text), message)
            if first is not message:
                expected, records = (
                    f"no content of a {kind} message twice in a run",
                    (first.start.record, message.start.record),
                )
                self.sheet.find(Rule.CONTENT_ONCE, expected, shown(text), *records)

    def _result(self, id_: str, event: Event) -> None:
        others = [m.start.record for (_, name), m in self._streamed.items() if name == id_]
        others += [self._taken[id_]] if id_ in self._taken else []
        used = others or id_ in self._input.message_ids
        actual = f"{shown(id_)} is the id of another message"
        expected = "a tool result has a message id of its own"
        self.sheet.expect(Rule.RESULT_OWN_ID, not used, expected, actual, *others, event.record)
        self._taken.setdefault(id_, event.record)

    def _snapshot(self, event: Event) -> None:
        if self._past:
            return
        messages = event.payload.get("messages")
        listed = [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
        missing = self._missing_messages({str(m.get("id")) for m in listed}) + self._missing_calls(listed)
        expected = "every message of the input and every one streamed so far, with its id"
        actual = f"without {', '.join(map(shown, missing[:5]))}"
        self.sheet.expect(Rule.SNAPSHOT_COMPLETE, not missing, expected, actual, event.record)
        named = [m for m in listed if isinstance(m.get("id"), str)]
        self._renamed(named, event)
        self._repeated(named, event)

    def _renamed(self, listed: Sequence[Mapping[str, Any]], event: Event) -> None:
        """A text that was streamed is listed under another id, and what has its own id is without any."""
        known = {*self._input.message_ids, *(id_ for _, id_ in self._streamed)}
        others = {m["content"]: m["id"] for m in listed if _is_text(m) and m["id"] not in known}
        emptied = {m["id"] for m in listed if not m.get("content")}
        for (kind, id_), message in self._closed.items():
            if kind == "text" and id_ in emptied and message.content.strip() and message.content in others:
                expected = f"the text that was streamed as {shown(id_)}, with that id"
                actual = f"the same text as {shown(others[message.content])}"
                self.sheet.find(Rule.SNAPSHOT_COMPLETE, expected, actual, message.start.record, event.record)

    def _repeated(self, listed: Sequence[Mapping[str, Any]], event: Event) -> None:
        """Listed more often than the input has it: a soft violation, for the clause counts no messages."""
        sent = Counter(m["id"] for m in self._input.objects("messages") if isinstance(m.get("id"), str))
        times = Counter(m["id"] for m in listed)
        again = [id_ for id_, number in times.items() if number > max(1, sent[id_])]
        if again:
            actual = f"{', '.join(map(shown, again[:5]))} again"
            self.sheet.find(Rule.SNAPSHOT_COMPLETE, "each message once", actual, event.record, soft=True)

    def _missing_messages(self, ids: set[str]) -> list[str]:
        """Messages without content and those of subagents may be left out."""
        own = [m["id"] for m in self._input.objects("messages") if _is_listed(m)]
        streamed = [id_ for (kind, id_), m in self._closed.items() if kind == "text" and m.content and not m.owned]
        return [id_ for id_ in (*own, *streamed, *self._taken) if id_ not in ids]

    def _missing_calls(self, listed: Sequence[Mapping[str, Any]]) -> list[str]:
        ids = set(called(listed))
        return [id_ for id_ in self._calls if id_ not in ids]


def repeated(pieces: Sequence[str]) -> str:
    """What the deltas of one message say twice: each of several in a row, or all of them once more as the last one."""
    said = [piece for piece in pieces if piece]
    firsts, before = said[::2], "".join(said[:-1])
    if len(firsts) >= MANY and firsts == said[1::2] and len(set(firsts)) > 1:
        return "".join(firsts)
    return before if len(said) > MANY and len(before) >= LONG and said[-1] == before else ""


def _is_text(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "assistant" and isinstance(message.get("content"), str)


def _is_listed(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    return isinstance(role, str) and role in ROLES and isinstance(message.get("id"), str)
