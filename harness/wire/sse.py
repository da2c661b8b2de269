"""Server-sent events (WHATWG HTML, section 9.2.6), with framing faults kept visible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

EVENT_LIMIT = 4 * 1024 * 1024
"""Bytes of one event, its line ends included."""

_LINE_END = re.compile(rb"[\r\n]")
_BOM = b"\xef\xbb\xbf"


class SseError(ValueError):
    """The stream cannot be decoded any further."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One block of fields, or one comment line (then only `comment` is set).

    `data` is None when the block has no data field: a browser would not dispatch it. `id` is the raw value,
    kept when empty or holding NUL. `faults` says what was malformed. `complete` is false for a tail that no
    blank line ended. `raw` is the bytes; the `raw` of all events of a stream, joined, are the stream up to `rest`.
    """

    event: str = ""
    data: str | None = None
    id: str | None = None
    retry: int | None = None
    comment: str | None = None
    faults: tuple[str, ...] = ()
    complete: bool = True
    raw: bytes = field(default=b"", compare=False, repr=False)

    @property
    def framing(self) -> tuple[str, ...]:
        """What readers of event streams take, but AG-UI does not send."""
        found = (("CR in the line ends", b"\r" in self.raw), ("a byte order mark", self.raw.startswith(_BOM)))
        return tuple(text for text, shown in found if shown)

    @property
    def position(self) -> str | None:
        """The id that a client keeps to resume behind: none of a tail, none that holds NUL."""
        return self.id if self.complete and "\0" not in (self.id or "") else None

    @property
    def dispatched(self) -> bool:
        """Whether a conforming client hands this event to the application."""
        return self.complete and self.data is not None


@dataclass(slots=True)
class SseDecoder:
    """Incremental: `feed` returns the events that the new bytes complete, at any split the same."""

    limit: int = EVENT_LIMIT
    _buffer: bytearray = field(default_factory=bytearray)
    _scanned: int = 0
    _after_cr: bool = False
    _first: bool = True
    _raw: bytearray = field(default_factory=bytearray)
    _lines: list[bytes] = field(default_factory=list)

    def feed(self, data: bytes) -> list[SseEvent]:
        """Raises SseError when one event is larger than `limit`."""
        self._buffer += data
        events = [event for line in self._ended_lines() for event in self._line(line)]
        if len(self._buffer) + len(self._raw) > self.limit:
            raise SseError(f"an event is larger than {self.limit} bytes")
        return events

    @property
    def rest(self) -> bytes:
        """The bytes that no event had: with the `raw` of all events they are the stream."""
        return bytes(self._raw + self._buffer)

    def close(self) -> list[SseEvent]:
        """The tail that no blank line ended, as an event that is not complete; nothing when there is none."""
        self._raw += self._buffer
        lines = [*self._lines, bytes(self._buffer)] if self._buffer else self._lines
        raw = self._taken()
        self._buffer.clear()
        return [_parsed(lines, raw, complete=False)] if raw.strip(b"\r\n") else []

    def _ended_lines(self) -> Iterator[bytes]:
        while self._buffer:
            if self._after_cr and self._buffer.startswith(b"\n"):
                self._keep(1)
            self._after_cr = False
            end = _LINE_END.search(self._buffer, self._scanned)
            if end is None:
                self._scanned = len(self._buffer)
                return
            line = bytes(self._buffer[: end.start()])
            self._after_cr = end.group() == b"\r"
            self._keep(end.end())
            yield line

    def _keep(self, count: int) -> None:
        """Move bytes from the buffer to what the event in the making consists of."""
        self._raw += self._buffer[:count]
        del self._buffer[:count]
        self._scanned = 0

    def _line(self, line: bytes) -> list[SseEvent]:
        if self._first:
            self._first, line = False, line.removeprefix(_BOM)
        if line.startswith(b":"):
            return [self._comment(line)]
        if line:
            self._lines.append(line)
            return []
        return [_parsed(self._lines, self._taken())] if self._lines else []

    def _comment(self, line: bytes) -> SseEvent:
        """A comment shows at once; its bytes belong to the block that it stands in."""
        text, faults = _decoded(line[1:])
        raw = b"" if self._lines else self._taken()
        return SseEvent(comment=text.removeprefix(" "), faults=faults, raw=raw)

    def _taken(self) -> bytes:
        raw = bytes(self._raw)
        self._raw.clear()
        self._lines = []
        return raw


def _decoded(line: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return line.decode(), ()
    except UnicodeDecodeError:
        return line.decode(errors="replace"), ("not UTF-8",)


def _parsed(lines: list[bytes], raw: bytes, complete: bool = True) -> SseEvent:
    fields: dict[str, str] = {}
    data: list[str] = []
    faults: list[str] = []
    for line in lines:
        text, wrong = _decoded(line)
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        faults += [*wrong, *_field_faults(name, value)]
        if name == "data":
            data.append(value)
        elif name in ("event", "id") or (name == "retry" and _is_digits(value)):
            fields[name] = value
    return SseEvent(
        event=fields.get("event", ""),
        data="\n".join(data) if data else None,
        id=fields.get("id"),
        retry=int(fields["retry"]) if "retry" in fields else None,
        faults=tuple(faults),
        complete=complete,
        raw=raw,
    )


def _field_faults(name: str, value: str) -> list[str]:
    if name == "retry" and not _is_digits(value):
        return [f"retry is not a number: {value[:40]!r}"]
    if name == "id" and "\0" in value:
        return ["id holds NUL"]
    if name not in ("event", "data", "id", "retry"):
        return [f"unknown field: {name[:40]!r}"]
    return []


def _is_digits(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < 16


def encode(event: SseEvent) -> bytes:
    """The event with LF line ends. `raw` and `faults` play no part."""
    lines = [] if event.comment is None else [f": {line}" for line in event.comment.split("\n")]
    if event.event:
        lines.append(f"event: {event.event}")
    if event.id is not None:
        lines.append(f"id: {event.id}")
    if event.retry is not None:
        lines.append(f"retry: {event.retry}")
    if event.data is not None:
        lines += [f"data: {line}" for line in event.data.split("\n")]
    return ("\n".join(lines) + "\n\n").encode()
