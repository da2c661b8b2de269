"""Judges of resumed streams, in the words of a set checker: lost, duplicated, unexpected, out of order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise

from ..model import Violation
from ..protocols.exchange import is_response
from ..protocols.outcome import Message

Name = Callable[[Message], Hashable]
"""What a message is called when two deliveries are compared."""


def content(message: Message) -> str:
    """The payload as canonical JSON."""
    return json.dumps(message.payload, sort_keys=True)


def progress(message: Message) -> Hashable:
    """The progress value of a progress notification, "response" for a response, else the content."""
    if message.method == "notifications/progress":
        value = message.params.get("progress")
        return value if isinstance(value, int | float) else content(message)
    return "response" if is_response(message) else content(message)


def complete(
    head: Sequence[Message], tail: Sequence[Message], whole: Iterable[Hashable], name: Name = progress
) -> Violation | None:
    """Everything of `whole`, given by name, came before the loss or after it."""
    seen = {name(message) for message in (*head, *tail)}
    lost = [item for item in whole if item not in seen]
    if not lost:
        return None
    return Violation("every message of the stream is delivered", f"lost: {_listed(lost)}", _records(head, tail))


def nothing_twice(head: Sequence[Message], tail: Sequence[Message] = ()) -> Violation | None:
    """No message came again: by event id, and by content where the content is unique (progress, responses)."""
    every = (*head, *tail)
    for label, names in (("event id", _event_ids(every)), ("message", _unique_contents(every))):
        counts = Counter(name for name, _ in names)
        if again := [name for name, count in counts.items() if count > 1]:
            records = tuple(record for name, record in names if name in again)
            return Violation("no message is delivered twice", f"{label} delivered twice: {_listed(again)}", records)
    return None


def in_order(messages: Sequence[Message], whole: Sequence[Hashable], name: Name = progress) -> Violation | None:
    """What came of `whole`, given by name, came in the order of `whole`. Names must be unique in `whole`."""
    place = {item: index for index, item in enumerate(whole)}
    known = [message for message in messages if name(message) in place]
    for before, after in pairwise(known):
        if place[name(before)] > place[name(after)]:
            actual = f"{_listed([name(after)])} came after {_listed([name(before)])}"
            return Violation("messages come in the order of the stream", actual, (before.record, after.record))
    return None


def same(first: Sequence[Message], second: Sequence[Message]) -> Violation | None:
    """Two replays from one point delivered the same messages under the same event ids."""
    deliveries = [[(message.event_id, content(message)) for message in replay] for replay in (first, second)]
    if deliveries[0] == deliveries[1]:
        return None
    actual = f"{len(first)} and {len(second)} messages, or other ones"
    return Violation("resuming from one point twice gives the same events", actual, _records(first, second))


def _event_ids(messages: Iterable[Message]) -> list[tuple[str, int]]:
    return [(message.event_id, message.record) for message in messages if message.event_id]


def _unique_contents(messages: Iterable[Message]) -> list[tuple[str, int]]:
    return [
        (content(message), message.record)
        for message in messages
        if message.method == "notifications/progress" or is_response(message)
    ]


def _records(*groups: Iterable[Message]) -> tuple[int, ...]:
    return tuple(message.record for group in groups for message in group)


def _listed(items: Iterable[Hashable]) -> str:
    texts = [str(item)[:80] for item in items]
    return ", ".join(texts[:5]) + (f" and {len(texts) - 5} more" if len(texts) > 5 else "")
