"""Faults of server-sent events: repeated, exchanged, lost. `after` names the event itself: events(2) is the second."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..wire.sse import SseDecoder, SseError, SseEvent
from .fault import Armed, Fault, FaultError, Mount
from .stage import Action, Direction, End, Flow, Framing, How, Stage
from .trigger import Events, Trigger

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

    def changed(self, raws: list[bytes]) -> list[bytes]:
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
        self._held: list[bytes] = []

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
            yield event.raw
            return
        self._held.append(event.raw)
        if len(self._held) == self._fault.span:
            yield from self._release()

    def _release(self) -> Iterator[Action]:
        held, self._held = self._held, []
        fires = self._armed.fire(f"{self._flow.name}, event {self._start}")
        yield from self._fault.changed(held) if fires else held

    def eof(self) -> Iterator[Action]:
        yield from self._held
        yield from (event.raw for event in self._decoder.close())


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateEvent(EventFault):
    """An event comes `copies` times more."""

    name: ClassVar[str] = "duplicate_event"
    copies: int = 1

    def changed(self, raws: list[bytes]) -> list[bytes]:
        return raws * (1 + self.copies)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorderEvents(EventFault):
    """`window` events come in the opposite order."""

    name: ClassVar[str] = "reorder_events"
    window: int = 2

    @property
    def span(self) -> int:
        return self.window

    def changed(self, raws: list[bytes]) -> list[bytes]:
        return raws[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropEvent(EventFault):
    """An event is left out."""

    name: ClassVar[str] = "drop_event"

    def changed(self, raws: list[bytes]) -> list[bytes]:
        return []
