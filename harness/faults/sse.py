"""Faults of single server-sent events. `after` names the event itself: events(2) is the second."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from ..wire.sse import SseDecoder, SseError, SseEvent
from .fault import Armed, Fault, FaultError, Mount
from .stage import Action, Direction, End, Flow, Framing, How, Stage
from .trigger import CONNECT, Connect, Events, Trigger

FIRST_EVENT = Events(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFault(Fault):
    """Turns the raw bytes of some events of a stream into others. `span` events are held together."""

    mounts: ClassVar[frozenset[Mount]] = frozenset({Mount.RELAY})
    after: Trigger = FIRST_EVENT

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not isinstance(self.after, Events) or self.after.n < 1:
            raise FaultError(f"{self.name}: after is events(n), n at least 1")

    @property
    def span(self) -> int:
        return 1

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        """What comes instead of these events. `before`: the id that the stream had before them."""
        raise NotImplementedError

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        mine = flow.framing is Framing.SSE and flow.direction is Direction.DOWN
        return _Changed(armed, flow, self) if mine else None


class _Changed(Stage):
    """Lets whole events pass until the chosen ones have come, and those changed."""

    def __init__(self, armed: Armed, flow: Flow, fault: EventFault) -> None:
        assert isinstance(fault.after, Events)
        self._armed, self._flow, self._fault = armed, flow, fault
        self._decoder = SseDecoder()
        self._start, self._count = fault.after.n, 0
        self._held: list[SseEvent] = []
        self._before: str | None = None

    def feed(self, data: bytes) -> Iterator[Action]:
        try:
            events = self._decoder.feed(data)
        except SseError:  # no event, and so no way on
            yield End(How.RESET)
            return
        for event in events:
            yield from self._event(event)

    def _event(self, event: SseEvent) -> Iterator[Action]:
        self._count += event.dispatched
        chosen = self._start <= self._count < self._start + self._fault.span
        if not event.dispatched or not chosen:
            self._before = self._before if event.id is None else event.id
            yield event.raw
            return
        self._held.append(event)
        if len(self._held) == self._fault.span:
            yield from self._release()

    def _release(self) -> Iterator[Action]:
        held = [event.raw for event in self._held]
        changed = self._fault.changed(self._held, self._before)
        self._held.clear()
        fires = changed != held and self._armed.fire(f"{self._flow.name}, event {self._start}")
        yield from changed if fires else held

    def eof(self) -> Iterator[Action]:
        yield from (event.raw for event in self._held)
        yield self._decoder.rest


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateEvent(EventFault):
    """An event comes `copies` times more."""

    name: ClassVar[str] = "duplicate_event"
    copies: int = 1

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return [event.raw for event in events] * (1 + self.copies)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorderEvents(EventFault):
    """`window` events come in the opposite order."""

    name: ClassVar[str] = "reorder_events"
    window: int = 2

    @property
    def span(self) -> int:
        return self.window

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return [event.raw for event in reversed(events)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropEvent(EventFault):
    """An event is left out."""

    name: ClassVar[str] = "drop_event"

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return []


class EventId(StrEnum):
    """ABSENT: none. REPEATED: that of the event before. NUL: with a NUL, which a client ignores. HUGE: 64 KiB long.
    FOREIGN: one that the target never gave."""

    ABSENT = "absent"
    REPEATED = "repeated"
    NUL = "nul"
    HUGE = "huge"
    FOREIGN = "foreign"


_ID_FIELD = re.compile(rb"((?<![^\r\n])(?:\xef\xbb\xbf)?)id(?::[^\r\n]*)?(\r\n|\r|\n)")
_HUGE = 64 * 1024
FOREIGN_ID = "never-given-by-this-target"


@dataclass(frozen=True, slots=True, kw_only=True)
class MutateId(EventFault):
    """The id of an event is another one, or none. An event without an id, or without one before it to repeat, is left
    alone."""

    name: ClassVar[str] = "mutate_id"
    kind: EventId = EventId.FOREIGN

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return [self._altered(event, before) for event in events]

    def _altered(self, event: SseEvent, before: str | None) -> bytes:
        if event.id is None:
            return event.raw
        new = self._instead(event.id, before)
        field = b"" if new is None else b"id: " + new.encode()
        return _ID_FIELD.sub(lambda found: found[1] + field + (found[2] if field else b""), event.raw)

    def _instead(self, id: str, before: str | None) -> str | None:
        return {
            EventId.ABSENT: None,
            EventId.REPEATED: id if before is None else before,
            EventId.NUL: id + "\0",
            EventId.HUGE: id + "x" * _HUGE,
            EventId.FOREIGN: FOREIGN_ID,
        }[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenignEventFault(EventFault):
    """Adds what no application is told of."""

    times: int = 0

    @property
    def benign(self) -> bool:
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectComment(BenignEventFault):
    """A comment comes behind an event, as proxies send them to keep a connection alive."""

    name: ClassVar[str] = "inject_comment"
    text: str = "keep-alive"

    def __post_init__(self) -> None:
        EventFault.__post_init__(self)
        if not self.text.isprintable():
            raise FaultError("inject_comment: text is one line of printable characters")

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return [*(event.raw for event in events), f": {self.text}\n\n".encode()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank(BenignEventFault):
    """`count` blank lines come behind an event."""

    name: ClassVar[str] = "blank"
    count: int = 1

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return [*(event.raw for event in events), *[b"\n"] * self.count]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryField(EventFault):
    """Behind an event comes a retry field of `value` milliseconds."""

    name: ClassVar[str] = "retry_field"
    value: int = 1000

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return [*(event.raw for event in events), b"retry: %d\n\n" % self.value]


BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bom(EventFault):
    """A byte order mark stands at the start of a stream, where it is legal, or before an event: `after` is connect or
    events(n)."""

    name: ClassVar[str] = "bom"
    after: Trigger = CONNECT

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not isinstance(self.after, Connect):
            EventFault.__post_init__(self)

    def changed(self, events: Sequence[SseEvent], before: str | None) -> list[bytes]:
        return [_marked(event.raw) for event in events]

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        changing = EventFault.stage(self, armed, flow) if isinstance(self.after, Events) else None
        mine = flow.framing is Framing.SSE and flow.direction is Direction.DOWN
        return changing or (_Marked(armed, flow) if mine else None)


def _marked(raw: bytes) -> bytes:
    """The mark before the first field. The LF of a CRLF that ended the event before comes first."""
    fields = raw.lstrip(b"\r\n")
    return raw[: len(raw) - len(fields)] + BOM + fields


class _Marked(Stage):
    def __init__(self, armed: Armed, flow: Flow) -> None:
        self._armed, self._flow, self._begun = armed, flow, False

    def feed(self, data: bytes) -> Iterator[Action]:
        if data and not self._begun:
            self._begun = True
            yield BOM if self._armed.fire(f"{self._flow.name}, at the start") else b""
        yield data
