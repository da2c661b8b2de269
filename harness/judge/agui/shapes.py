"""The shape of every event: members that must be there, their types, and nothing that the protocol does not name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from ...model import Violation
from ..notation import Fault, Shapes, alternatives, below
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

UNKNOWN = "unknown"
"""What a fault wants of a member that no table names."""

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
            pairs = [self.bare(letter, name[1:-1], item, below(at, n)) for n, item in enumerate(value)]
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
                nulls.append(below(at, key))
            else:
                kept[key], inner = self.bare(letter, member.type, item, below(at, key)) if member else (item, [])
                nulls += inner
        return kept, nulls

    def closest(self, letter: str, type_: str, value: Any) -> str:
        """Of several alternatives, the one whose tags the value has and that it breaks least; else all of them."""
        known = alternatives(self.shapes.aliases.get(type_, type_))
        options = [option for option, versions in known if not versions or letter in versions]
        if options == [type_]:
            return type_
        flat = [name for option in options for name in self._flat(letter, option)]
        fitting = [name for name in flat if self._tells(letter, name, value)]
        return min(fitting, key=lambda name: len(self.shapes.faults(letter, name, value)), default=type_)

    def _flat(self, letter: str, option: str) -> list[str]:
        """The alternatives of an alias among alternatives."""
        if option not in self.shapes.aliases:
            return [option]
        known = alternatives(self.shapes.aliases[option])
        return [name for name, versions in known if not versions or letter in versions]

    def _tells(self, letter: str, type_: str, value: Any) -> bool:
        """Whether the kind of value fits, and the members that tell alternatives apart (type, role)."""
        if type_ not in self.shapes.types:
            return isinstance(value, list) if type_.startswith("[") else not self.shapes.faults(letter, type_, value)
        tags = [member for member in self.shapes.members(type_) if member.name in ("type", "role")]
        return isinstance(value, dict) and not any(self.shapes.faults(letter, t.type, value.get(t.name)) for t in tags)

    def faults(self, letter: str, type_: str, value: Any, at: str = "") -> Iterator[Fault]:
        """What is wrong with a value, unknown members included."""
        name = self.closest(letter, type_, value)
        if name.startswith("[") and isinstance(value, list):
            for number, item in enumerate(value):
                yield from self.faults(letter, name[1:-1], item, below(at, number))
        elif name in self.shapes.types and isinstance(value, dict):
            yield from self._member_faults(letter, name, value, at)
        else:
            yield from self.shapes.faults(letter, name, value, at)

    def _member_faults(self, letter: str, name: str, value: Mapping[str, Any], at: str) -> Iterator[Fault]:
        members = {member.name: member for member in self.shapes.members(name) if member.holds(letter)}
        for member in members.values():
            if member.required and member.name not in value:
                yield Fault(below(at, member.name), "", member.type)
        for key, item in value.items():
            if key in members:
                yield from self.faults(letter, members[key].type, item, below(at, key))
            else:
                yield Fault(below(at, key), "", UNKNOWN)


@cache
def event_shapes() -> EventShapes:
    table = tomllib.loads(resources.files(__package__).joinpath("shapes.toml").read_text("utf-8"))
    return EventShapes(Shapes(table["type"], table["alias"]), table["event"])


def letter(profile: Profile) -> str:
    """The version's letter in the table."""
    return "B" if profile.modern else "A"


def declaration(value: Any, record: int) -> list[Violation]:
    """What is wrong with a declaration of capabilities (basic/capabilities). A member that 1.0 does not name is a soft
    violation: the clause has `custom` for what is one's own, and forbids nothing."""
    expected = "a declaration of the shape that 1.0 describes"
    faults = event_shapes().faults("B", "AgentCapabilities", value)
    return [Violation(expected, _told(fault), (record,), soft=fault.wanted == UNKNOWN) for fault in faults]


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
        if event.type.startswith(RETIRED):
            soft = self.sheet.profile.undeclared
            self.sheet.find(Rule.NO_RETIRED_EVENTS, "no event that 1.0 retired", event.type, event.record, soft=soft)
        type_ = self._table.type_of(self._letter, event.type)
        if type_ is None:
            self._unknown_type(event)
            return None
        payload, places = self._table.bare(self._letter, type_, event.payload)
        nulls = [place for place in places if not self._is_ours(event, place)]
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
        if not event.type.startswith(RETIRED):
            actual = shown(event.payload.get("type")) if event.payload else "no object"
            self.sheet.find(Rule.NO_UNKNOWN_EVENTS, "an event type that the protocol describes", actual, event.record)

    def _judge(self, type_: str, event: Event) -> None:
        """Each broken rule once, with all that breaks it in this event."""
        broken: dict[Rule, list[str]] = {}
        for rule in self._rules(event):
            self.sheet.look(rule)
        for fault in self._table.faults(self._letter, type_, event.payload):
            if not self._is_ours(event, fault.at):
                broken.setdefault(self._rule(event, fault), []).append(_told(fault))
        for rule, faults in broken.items():
            expected = f"{event.type} has the shape that the protocol describes"
            self.sheet.find(rule, expected, "; ".join(faults[:MOST_FAULTS]), event.record)

    def _rules(self, event: Event) -> Iterator[Rule]:
        yield Rule.NO_UNKNOWN_FIELDS
        yield from (PLACES[place] for place in PLACES if place[0] == event.type and _stands(place, event))
        if "timestamp" in event.payload:
            yield Rule.TIMESTAMP

    def _rule(self, event: Event, fault: Fault) -> Rule:
        if fault.at == "/timestamp":
            return Rule.TIMESTAMP
        if fault.at.startswith("/outcome/interrupts"):
            return self._interrupts_rule(event, fault)
        if fault.wanted == UNKNOWN:
            return Rule.NO_UNKNOWN_FIELDS
        return PLACES.get((event.type, fault.at.split("/")[1] if fault.at else ""), Rule.NO_UNKNOWN_FIELDS)

    def _interrupts_rule(self, event: Event, fault: Fault) -> Rule:
        """A cancelled run has no interrupts at all."""
        if event.payload["outcome"].get("type") == "cancelled":
            return Rule.CANCELLED_BARE
        return Rule.NO_UNKNOWN_FIELDS if fault.wanted == UNKNOWN else Rule.INTERRUPT_FORM

    def _is_ours(self, event: Event, at: str) -> bool:
        """Whether the place is in a message of the input, which a snapshot gives back as it was sent."""
        path = at.split("/")
        if event.type != "MESSAGES_SNAPSHOT" or path[1] != "messages" or len(path) < 3:
            return False
        message = event.payload["messages"][int(path[2])]
        id_ = message.get("id") if isinstance(message, dict) else None
        return isinstance(id_, str) and id_ in self._ours


def _told(fault: Fault) -> str:
    return f"{fault.at}: is not known" if fault.wanted == UNKNOWN else str(fault)


def _list(places: list[str]) -> str:
    return ", ".join(places[:MOST_FAULTS])


def _stands(place: tuple[str, str], event: Event) -> bool:
    """Is there a member to look at? That an error has no code is as good as a right one."""
    return place[1] in event.payload or PLACES[place] is Rule.ERROR_CODE
