"""The shape of every event: members that must be there, their types, and nothing that the protocol does not name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from ..notation import Fault, Shapes, alternatives
from .events import Event, RunInput
from .rules import Profile, Rule, Sheet, shown

RETIRED = "THINKING_"
"""How the types begin that 1.0 no longer has."""

PLACES: Mapping[tuple[str, str], Rule] = {
    ("RUN_ERROR", "code"): Rule.ERROR_CODE,
    ("RUN_ERROR", "usage"): Rule.USAGE,
    ("RUN_FINISHED", "usage"): Rule.USAGE,
    ("RUN_STARTED", "protocolVersion"): Rule.DECLARES_OWN,
    ("TOOL_CALL_RESULT", "content"): Rule.RESULT_CONTENT,
    ("STATE_DELTA", "delta"): Rule.PATCH_VALID,
    ("ACTIVITY_DELTA", "patch"): Rule.ACTIVITY_BASELINE,
    ("ACTIVITY_SNAPSHOT", "content"): Rule.ACTIVITY_BASELINE,
}
"""Members that have a rule of their own, by event type; what is wrong elsewhere breaks NO_UNKNOWN_FIELDS."""

MOST_FAULTS = 5
"""Faults of one event that a finding lists."""


@dataclass(frozen=True, slots=True)
class EventShapes:
    """The table: `events` has the type of each event."""

    shapes: Shapes
    events: Mapping[str, str]

    def type_of(self, letter: str, event_type: str) -> str | None:
        """The type of an event that this version knows."""
        found = alternatives(self.events.get(event_type, ""))[0]
        return found[0] if found[0] and (not found[1] or letter in found[1]) else None

    def bare(self, letter: str, type_: str, value: Any, at: str = "") -> tuple[Any, list[str]]:
        """The value without optional members that are null, and where those were."""
        name = self.closest(letter, type_, value)
        if name.startswith("[") and isinstance(value, list):
            pairs = [self.bare(letter, name[1:-1], item, f"{at}/{n}") for n, item in enumerate(value)]
            return [item for item, _ in pairs], [place for _, places in pairs for place in places]
        if name not in self.shapes.types or not isinstance(value, dict):
            return value, []
        return self._bare_members(letter, name, value, at)

    def _bare_members(self, letter: str, name: str, value: Mapping[str, Any], at: str) -> tuple[Any, list[str]]:
        members = {member.name: member for member in self.shapes.members(name) if member.holds(letter)}
        kept: dict[str, Any] = {}
        nulls: list[str] = []
        for key, item in value.items():
            member = members.get(key)
            if member and not member.required and item is None:
                nulls.append(f"{at}/{key}")
            else:
                kept[key], below = self.bare(letter, member.type, item, f"{at}/{key}") if member else (item, [])
                nulls += below
        return kept, nulls

    def closest(self, letter: str, type_: str, value: Any) -> str:
        """Of several alternatives, the one that the value breaks least."""
        options = [
            o
            for o, versions in alternatives(self.shapes.aliases.get(type_, type_))
            if letter in versions or not versions
        ]
        if options == [type_]:
            return type_
        best = min(options, key=lambda option: len(self._faults(letter, option, value)), default="any")
        return self.closest(letter, best, value)

    def _faults(self, letter: str, type_: str, value: Any) -> list[Fault]:
        if type_ in self.shapes.types and isinstance(value, dict) and not self._tells(letter, type_, value):
            return [Fault("", "", "")] * 1000
        return self.shapes.faults(letter, type_, value)

    def _tells(self, letter: str, type_: str, value: Mapping[str, Any]) -> bool:
        """Whether the members that tell alternatives apart (type, role) are as this one wants them."""
        tags = (m for m in self.shapes.members(type_) if m.name in ("type", "role") and m.required)
        return all(not self.shapes.faults(letter, tag.type, value.get(tag.name)) for tag in tags)

    def unknown(self, letter: str, type_: str, value: Any, at: str = "") -> Iterator[str]:
        """Where members stand that the type does not name."""
        name = self.closest(letter, type_, value)
        if name.startswith("[") and isinstance(value, list):
            for number, item in enumerate(value):
                yield from self.unknown(letter, name[1:-1], item, f"{at}/{number}")
        if name not in self.shapes.types or not isinstance(value, dict):
            return
        members = {member.name: member for member in self.shapes.members(name) if member.holds(letter)}
        for key, item in value.items():
            if key not in members:
                yield f"{at}/{key}"
            else:
                yield from self.unknown(letter, members[key].type, item, f"{at}/{key}")


@cache
def event_shapes() -> EventShapes:
    table = tomllib.loads(resources.files(__package__).joinpath("shapes.toml").read_text("utf-8"))
    return EventShapes(Shapes(table["type"], table["alias"]), table["event"])


def letter(profile: Profile) -> str:
    """The version's letter in the table."""
    return "B" if profile.modern else "A"


class ShapeJudge:
    """Judges the shape of each event, and hands on what of it the other judges can use."""

    def __init__(self, sheet: Sheet, run_input: RunInput) -> None:
        self.sheet = sheet
        self._ours = run_input.message_ids
        self._letter = letter(sheet.profile)
        self._table = event_shapes()

    def usable(self, event: Event) -> Event | None:
        """The event without nulls that stand for nothing; None for one of an unknown type."""
        self.sheet.look(Rule.NO_UNKNOWN_EVENTS)
        self.sheet.look(Rule.NO_RETIRED_EVENTS)
        type_ = self._table.type_of(self._letter, event.type)
        if type_ is None:
            self._unknown_type(event)
            return None
        payload, nulls = self._table.bare(self._letter, type_, event.payload)
        self.sheet.expect(
            Rule.NO_NULL,
            not nulls,
            "an optional field without a value is left out",
            f"null at {_list(nulls)}",
            event.record,
        )
        self._judge(type_, replace(event, payload=payload))
        return replace(event, payload=payload)

    def _unknown_type(self, event: Event) -> None:
        if event.type.startswith(RETIRED):
            self.sheet.find(Rule.NO_RETIRED_EVENTS, "no event that 1.0 retired", event.type, event.record)
        else:
            actual = shown(event.payload.get("type")) if event.payload else "no object"
            self.sheet.find(Rule.NO_UNKNOWN_EVENTS, "an event type that the protocol describes", actual, event.record)

    def _judge(self, type_: str, event: Event) -> None:
        """Each broken rule once, with all that breaks it in this event."""
        broken: dict[Rule, list[str]] = {}
        for rule in self._rules(event):
            self.sheet.look(rule)
        for fault in self._table.shapes.faults(self._letter, type_, event.payload):
            if not self._is_ours(event, fault.at):
                broken.setdefault(self._rule(event, fault), []).append(str(fault))
        unknown = [at for at in self._table.unknown(self._letter, type_, event.payload) if self._is_extra(event, at)]
        if unknown:
            broken.setdefault(Rule.NO_UNKNOWN_FIELDS, []).append(f"unknown: {_list(unknown)}")
        for rule, faults in broken.items():
            expected = f"{event.type} has the shape that the protocol describes"
            self.sheet.find(rule, expected, "; ".join(faults[:MOST_FAULTS]), event.record)

    def _rules(self, event: Event) -> Iterator[Rule]:
        yield Rule.NO_UNKNOWN_FIELDS
        yield from (PLACES[event.type, name] for name in event.payload if (event.type, name) in PLACES)
        if "timestamp" in event.payload:
            yield Rule.TIMESTAMP

    def _rule(self, event: Event, fault: Fault) -> Rule:
        if fault.at == "/timestamp":
            return Rule.TIMESTAMP
        if fault.at.startswith("/outcome/interrupts"):
            kind = event.payload["outcome"].get("type")
            return Rule.CANCELLED_BARE if kind == "cancelled" else Rule.INTERRUPT_FORM
        return PLACES.get((event.type, fault.at.split("/")[1] if fault.at else ""), Rule.NO_UNKNOWN_FIELDS)

    def _is_extra(self, event: Event, at: str) -> bool:
        """Interrupts of a cancelled run have a rule of their own."""
        bare = self._rule(event, Fault(at, "", "")) is Rule.CANCELLED_BARE
        return not bare and not self._is_ours(event, at)

    def _is_ours(self, event: Event, at: str) -> bool:
        """Whether the place is in a message of the input, which a snapshot gives back as it was sent."""
        path = at.split("/")
        if event.type != "MESSAGES_SNAPSHOT" or path[1] != "messages" or len(path) < 3:
            return False
        message = event.payload["messages"][int(path[2])]
        return isinstance(message, dict) and message.get("id") in self._ours


def _list(places: list[str]) -> str:
    return ", ".join(places[:MOST_FAULTS])
