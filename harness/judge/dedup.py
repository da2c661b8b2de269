"""Judges of repetition: a request has one response, an event id one event, a notification one delivery."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..claims import Spoken
from ..model import Violation
from ..protocols.outcome import Message
from ..transcript import Kind, Record
from .operations import Histories, Operation, header, operations, sent_as_text, untouched
from .traffic import Heard, Judgement, Key, heard, key, requests_per_id


def on_one_stream(calls: Sequence[Sequence[Message]], listeners: Sequence[Sequence[Message]]) -> Violation | None:
    """No notification of a listening stream came on another stream too, and no progress on two streams.

    Equal calls may well say equal things, each on its own stream; progress has a token and a value of its own.
    """
    places: dict[str, list[tuple[int, Message]]] = defaultdict(list)
    for number, messages in enumerate((*listeners, *calls)):
        for message in messages:
            if message.method is not None:
                places[json.dumps(message.payload, sort_keys=True)].append((number, message))
    for copies in places.values():
        streams = {number for number, _ in copies}
        shared = min(streams) < len(listeners) or copies[0][1].method == "notifications/progress"
        if len(streams) > 1 and shared:
            actual = f"{copies[0][1].method} on {len(streams)} streams"
            return Violation("a message on one stream only", actual, tuple(message.record for _, message in copies))
    return None


def one_response_per_request(histories: Histories, spoken: Spoken) -> Judgement:
    """No request got more responses than it was sent times; a replay of an event is not another response.

    JSON-RPC 2.0 section 5. `seen` counts the responses. A response to no request is a finding unless the client
    also sent what cannot be read here, or HTTP refused what it sent, or it came in a replay: others judge those.
    """
    seen = 0
    found: list[Violation] = []
    for history in untouched(histories):
        responses = [m for m in heard(history, spoken.version) if m.is_response and m.payload.get("id") is not None]
        seen += len(responses)
        found += _surplus(history, responses)
    return Judgement(seen, tuple(found))


def _surplus(history: Sequence[Record], responses: Iterable[Heard]) -> Iterator[Violation]:
    asked = requests_per_id(history)
    elsewhere = {each.name for each in operations(history) if (each.code or 0) >= 400 or _resumes(each)}
    readable = not any(sent_as_text(record) for record in history)
    groups: dict[tuple[str, Key], dict[tuple[Any, ...], int]] = defaultdict(dict)
    for message in responses:
        if message.request or message.operation not in elsewhere:
            groups[message.scope, key(message.payload["id"])].setdefault(_delivery(message), message.record)
    for name, deliveries in groups.items():
        times, request_id = asked[name], name[1][1]
        if len(deliveries) > times and (times or readable):
            actual = f"{len(deliveries)} responses to {times} requests"
            yield Violation(f"one response with id {request_id}", actual, tuple(deliveries.values()))


def _resumes(operation: Operation) -> bool:
    return header(operation.sent, "last-event-id") is not None


def _delivery(message: Heard) -> tuple[Any, ...]:
    """Equal for an event and its replay, different for any two other messages."""
    if message.event_id:
        return message.event_id, json.dumps(message.payload, sort_keys=True)
    return (message.record,)


def event_ids_unique(histories: Histories, spoken: Spoken) -> Judgement:
    """No event id names two events of a session; the replay of an event after Last-Event-ID is the same event.

    Without a session each stream stands for itself. `seen` counts the events with an id.
    """
    seen = 0
    found: list[Violation] = []
    for history in untouched(histories):
        names: dict[tuple[str, str], list[tuple[Operation, Record]]] = defaultdict(list)
        for operation in operations(history):
            for record in (*operation.received, *operation.events):
                if event_id := _event_id(record):
                    names[operation.session or operation.name, event_id].append((operation, record))
        seen += sum(map(len, names.values()))
        found += [finding for (_, name), events in names.items() if (finding := _one_event(name, events))]
    return Judgement(seen, tuple(found))


def _event_id(record: Record) -> str:
    return record.data.get("event_id" if record.kind is Kind.RECEIVED else "id") or ""


def _one_event(name: str, events: Sequence[tuple[Operation, Record]]) -> Violation | None:
    contents = {_event_content(record) for _, record in events}
    originals = [operation for operation, _ in events if header(operation.sent, "last-event-id") is None]
    within = Counter(operation.name for operation, _ in events)
    if len(contents) == 1 and len(originals) <= 1 and max(within.values()) == 1:
        return None
    records = tuple(record.number for _, record in events)
    return Violation("an event id is used once in a session", f"id {name[:80]!r} names {len(events)} events", records)


def _event_content(record: Record) -> str:
    names = ("message", "raw") if record.kind is Kind.RECEIVED else ("event", "data")
    return json.dumps([record.data.get(name) for name in names], sort_keys=True)
