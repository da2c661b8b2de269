"""Judges of how messages are carried: media types, event streams, standard output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ..claims import Spoken
from ..model import Violation
from ..transcript import Kind, Record
from .errors import is_request
from .operations import Histories, Operation, operations, untouched
from .traffic import Judgement, asked

REPLY_TYPES = frozenset({"application/json", "text/event-stream"})


def content_type_of_reply(histories: Histories, spoken: Spoken) -> Judgement:
    """A request that HTTP took (2xx) is answered as JSON or as an event stream. `seen` counts the replies."""
    seen = 0
    found: list[Violation] = []
    for history in untouched(histories):
        carrying = {message.operation for message in asked(history) if is_request(message)}
        replies = [each for each in operations(history) if each.name in carrying and each.took_request]
        seen += len(replies)
        found += [_odd_type(reply) for reply in replies if reply.media_type not in REPLY_TYPES]
    return Judgement(seen, tuple(found))


def _odd_type(reply: Operation) -> Violation:
    records = tuple(record.number for record in (*reply.sent, *reply.status))
    actual = f"status {reply.code} with Content-Type {reply.media_type[:80] or '(none)'}"
    return Violation("Content-Type is application/json or text/event-stream", actual, records)


def sse_framing(histories: Histories, spoken: Spoken) -> Judgement:
    """Every event is well framed and its data, where there is any, is one JSON-RPC message.

    The `endpoint` event of HTTP+SSE and events with empty data carry none. `seen` counts the events.
    """
    streams = [
        operation
        for history in untouched(histories)
        for operation in operations(history)
        if operation.media_type == "text/event-stream"
    ]
    seen = sum(len(stream.received) + len(stream.events) for stream in streams)
    return Judgement(seen, tuple(chain.from_iterable(_misframed(stream, spoken.version) for stream in streams)))


def _misframed(stream: Operation, version: str) -> Iterator[Violation]:
    batches = version == "2025-03-26"
    for record in stream.received:
        if faults := record.data.get("faults"):
            yield _malformed(record, faults)
        elif not _is_message(record, batches):
            yield _not_a_message(record, "an event's data is one JSON-RPC message")
    for record in stream.events:
        torn = record.data.get("complete") is False
        if torn and stream.was_torn:
            continue
        if faults := [*record.data.get("faults", ()), *(["no blank line after the last event"] if torn else [])]:
            yield _malformed(record, faults)
        elif record.data.get("data") and record.data.get("event") in (None, "", "message"):
            yield Violation("an event's data is one JSON-RPC message", "other data", (record.number,))


def _malformed(record: Record, faults: Iterable[str]) -> Violation:
    return Violation("a stream follows the event-stream format", ", ".join(faults)[:200], (record.number,))


def _is_message(record: Record, batches: bool) -> bool:
    return isinstance(record.data.get("message"), dict | list if batches else dict)


def _not_a_message(record: Record, expected: str) -> Violation:
    text = str(record.data.get("raw", record.data.get("message")))
    return Violation(expected, f"{text[:80]!r}", (record.number,))


def stdio_stdout_pure(histories: Histories, spoken: Spoken) -> Judgement:
    """Every line on standard output is one JSON-RPC message. `seen` counts the lines.

    The last line of a process that was torn away or signalled may be a fragment. A blank line is a soft finding.
    """
    seen = 0
    found: list[Violation] = []
    for history in untouched(histories):
        lines = [record for record in history if record.kind is Kind.RECEIVED and record.operation.startswith("stdio")]
        seen += len(lines)
        fragments = _fragments(history)
        found += [_foreign_line(line) for line in lines if line.number not in fragments and not _pure(line, spoken)]
    return Judgement(seen, tuple(found))


def _pure(line: Record, spoken: Spoken) -> bool:
    return _is_message(line, batches=spoken.version == "2025-03-26")


def _foreign_line(line: Record) -> Violation:
    blank = not str(line.data.get("raw", "x")).strip()
    expected = "every line on standard output is one JSON-RPC message"
    return Violation(expected, _not_a_message(line, expected).actual, (line.number,), soft=blank)


def _fragments(history: Sequence[Record]) -> set[int]:
    """The last line of each connection that did not end in order."""
    signalled = any(record.kind is Kind.PROCESS and record.data.get("event") == "signal" for record in history)
    torn = [operation for operation in operations(history) if operation.received and (operation.was_torn or signalled)]
    return {operation.received[-1].number for operation in torn if "raw" in operation.received[-1].data}
