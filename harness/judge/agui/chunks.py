"""Chunks: events that stand for the opening, the content and the closing of an item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .events import Event
from .items import EXPLICIT, KINDS, Key, Kind, Move, attribute
from .rules import Rule, Sheet, shown

OF_CHUNK: Mapping[str, Kind] = {kind.chunk: kind for kind in KINDS if kind.chunk}

CLOSE_NOTHING = frozenset(
    {"RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED"}
)
CLOSE_ALL = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"})


@dataclass(slots=True)
class Lane:
    """The item that an owner streams in chunks. `mute`: an error of it was told, nothing more is said of it."""

    kind: Kind
    id: str | None
    owner: str | None
    first: Event
    said: dict[str, str] = field(default_factory=dict)
    mute: bool = False

    @property
    def key(self) -> Key:
        return self.kind.name, self.id or ""

    def implied(self, type_: str, event: Event, *names: str) -> Event:
        """An explicit event with members of a chunk."""
        members = {name: event.payload[name] for name in names if name in event.payload}
        owner = {} if self.owner is None else {"subagentRunId": self.owner}
        return Event(type_, {"type": type_, self.kind.key: self.id, **members, **owner}, event.record, True)


class Lanes:
    """One lane for each owner: the parent agent, and every subagent."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._lanes: dict[str | None, Lane] = {}
        self._chunked: set[Key] = set()
        self._explicit: set[Key] = set()
        self._mixed: set[Key] = set()

    def expand(self, event: Event) -> list[Event]:
        """The explicit events that an event stands for, with the closings that it brings."""
        if event.type in OF_CHUNK:
            return self._chunk(OF_CHUNK[event.type], event)
        if event.type in CLOSE_ALL:
            return [*self._close_all(event), event]
        if event.type in CLOSE_NOTHING:
            return [event]
        if event.type in EXPLICIT:
            kind, move = EXPLICIT[event.type]
            key = (kind.name, event.text(kind.key) or "")
            if key in self._chunked:
                self._mix(kind, key, event)
                return []
            if move is Move.START:
                self._explicit.add(key)
        return [*self._close(event.owner, event), event]

    def _close_all(self, event: Event) -> list[Event]:
        closings = [end for owner in list(self._lanes) for end in self._close(owner, event)]
        if event.type == "RUN_STARTED":
            self._chunked.clear()
            self._explicit.clear()
            self._mixed.clear()
        return closings

    def _close(self, owner: str | None, event: Event) -> list[Event]:
        lane = self._lanes.pop(owner, None)
        return [] if lane is None or lane.mute else [lane.implied(lane.kind.end, event)]

    def _mix(self, kind: Kind, key: Key, event: Event) -> None:
        if key not in self._mixed:
            self._mixed.add(key)
            expected = f"a {kind.name} is sent in chunks or in explicit events"
            self.sheet.find(Rule.CHUNK_NO_MIX, expected, f"{event.type} for {shown(key[1])}", event.record)

    def _chunk(self, kind: Kind, event: Event) -> list[Event]:
        self.sheet.look(Rule.CHUNK_FIRST_FIELDS)
        self.sheet.look(Rule.CHUNK_NO_MIX)
        lane = self._continued(kind, event)
        if lane is not None:
            self._agrees(lane, event)
            return [] if lane.mute else self._content(lane, event)
        closings = self._close(event.owner, event)
        lane = self._lanes[event.owner] = Lane(kind, event.text(kind.key), event.owner, event)
        if lane.key in self._explicit:
            self._mix(kind, lane.key, event)
            lane.mute = True
        elif missing := self._missing(lane):
            actual = f"no {', '.join(missing)}"
            self.sheet.find(
                Rule.CHUNK_FIRST_FIELDS, f"the first {kind.chunk} of an item names it", actual, event.record
            )
            lane.mute = lane.id is None
        if lane.mute:
            return closings
        return [*closings, *self._opening(lane, event), *self._content(lane, event)]

    def _missing(self, lane: Lane) -> list[str]:
        """A chunk that takes an item up again after something closed its lane need not repeat its name."""
        needed = lane.kind.needed[:1] if lane.key in self._chunked else lane.kind.needed
        return [name for name in needed if not lane.first.text(name)]

    def _continued(self, kind: Kind, event: Event) -> Lane | None:
        """The lane whose item a chunk continues, None where it begins one."""
        id_ = event.text(kind.key)
        alike = [lane for lane in self._lanes.values() if lane.kind is kind]
        if id_ is not None:
            return next((lane for lane in alike if lane.id == id_), None)
        own = [lane for lane in alike if lane.owner == event.owner]
        if own or event.owner is not None:
            return own[0] if own else None
        return alike[0] if len(alike) == 1 else None

    def _opening(self, lane: Lane, event: Event) -> list[Event]:
        self._chunked.add(lane.key)
        lane.said = {name: value for name in lane.kind.kept if (value := attribute(event, name))}
        return [lane.implied(lane.kind.start, event, *lane.kind.kept)]

    def _content(self, lane: Lane, event: Event) -> list[Event]:
        return [lane.implied(lane.kind.content, event, "delta")] if "delta" in event.payload else []

    def _agrees(self, lane: Lane, event: Event) -> None:
        changed = [name for name in lane.kind.kept if event.text(name) not in (None, lane.said.get(name))]
        changed = [name for name in changed if name in lane.said]
        expected, actual = "later chunks do not contradict the first", f"another {', '.join(changed)}"
        self.sheet.expect(
            Rule.CHUNK_NO_CONFLICT, lane.mute or not changed, expected, actual, lane.first.record, event.record
        )
        self.sheet.look(Rule.SUBAGENT_OWNER, bool(event.owner or lane.owner))
        if event.owner is not None and event.owner != lane.owner and not lane.mute:
            actual = f"{event.type} of {shown(event.owner)}"
            records = (lane.first.record, event.record)
            self.sheet.find(Rule.SUBAGENT_OWNER, f"the owner of the first chunk, {shown(lane.owner)}", actual, *records)
