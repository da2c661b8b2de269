"""Transcripts made comparable: what two runs with one seed must agree on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .transcript import Kind, Record

Normal = tuple[tuple[str, tuple[str, ...]], ...]
"""Operation -> its records as text, in order. Operations are sorted: how they interleave is the scheduler's affair."""

_OWN_ID = re.compile(r'("(?:id|requestId|[\w./]*subscriptionId)": )(\d+)\b')

VOLATILE_HEADERS = frozenset({"date", "mcp-session-id", "last-event-id"})
VOLATILE_MEMBERS = frozenset(
    {"event_id", "id", "pid", "requestState", "taskId", "createdAt", "lastUpdatedAt"}
    | {"messageId", "contextId", "timestamp", "threadId", "runId", "toolCallId", "interruptId", "subagentRunId"}
)


def normalised(records: Sequence[Record]) -> Normal:
    """A case's records without times, numbers, and the values that a target draws by chance.

    Of an exchange that we walked away from only what we sent counts: how much of it had come is chance.
    """
    left = {record.operation for record in records if record.data.get("ending") == "left"}
    kept = [record for record in records if record.operation not in left or record.kind is Kind.SENT]
    ordered = sorted(kept, key=_place)
    drawn = {value: f"<{number}>" for number, value in enumerate(dict.fromkeys(_drawn(ordered)), 1)}
    operations: dict[str, list[str]] = {}
    for record in ordered:
        operations.setdefault(_place(record), []).append(_text(record, drawn))
    return _renumbered(operations)


def _renumbered(operations: Mapping[str, Sequence[str]]) -> Normal:
    """Request ids count on from case to case on a lent session: number them anew, in order of appearance."""
    ids: dict[str, str] = {}

    def renumber(match: re.Match[str]) -> str:
        return f"{match[1]}#{ids.setdefault(match[2], str(len(ids)))}"

    return tuple((name, tuple(_OWN_ID.sub(renumber, line) for line in lines)) for name, lines in operations.items())


def _place(record: Record) -> str:
    """The operation; what the system says of a process is apart from what the process says."""
    return f"{record.operation}/process" if record.kind is Kind.PROCESS else record.operation


def _drawn(records: Iterable[Record]) -> Iterator[str]:
    """Values that the target made up: they differ from run to run and may come again anywhere."""
    for record in records:
        for name, value in record.data.get("headers") or ():
            if name.lower() in VOLATILE_HEADERS:
                yield value
        if record.kind in (Kind.SENT, Kind.RECEIVED, Kind.EVENT, Kind.DELIVERY):
            yield from _members(record.data, own=record.kind is not Kind.SENT)


def _members(value: Any, own: bool = False) -> Iterator[str]:
    """The texts of volatile members. A message's own `id` is the client's choice, an event's is the target's."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            made_up = name in VOLATILE_MEMBERS and (own or name != "id")
            if made_up and isinstance(item, str) and len(item) > 3:
                yield item
            yield from _members(item)
    elif isinstance(value, list):
        for item in value:
            yield from _members(item)


def _text(record: Record, drawn: Mapping[str, str]) -> str:
    text = f"{record.kind} {json.dumps(record.data, sort_keys=True, default=str)}"
    for value in sorted(drawn, key=len, reverse=True):
        text = text.replace(json.dumps(value)[1:-1], drawn[value])
    return re.sub(r'"pid": \d+|\["[Cc]ontent-[Ll]ength", "\d+"\]', "", text)
