"""The notation of message shapes: tables of members, read by `Shapes` (the table itself says how it is written)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

PRIMITIVES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: is_number(value),
    "integer": lambda value: _is_integer(value),
    "natural": lambda value: _is_integer(value) and value >= 0,
    "share": lambda value: is_number(value) and 0 <= value <= 1,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
    "any": lambda value: True,
}


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    """As JSON Schema has it: 1.0 is an integer."""
    return is_number(value) and math.isfinite(value) and value == int(value)


@dataclass(frozen=True, slots=True)
class Member:
    """One line of a table: a member's name, whether it must be there, its type, and the versions that know it."""

    name: str
    required: bool
    type: str
    versions: str

    def holds(self, version: str) -> bool:
        return not self.versions or version in self.versions


class Fault(NamedTuple):
    """What is wrong in one place: a JSON pointer, what stands there ("" for nothing), and the type that is wanted."""

    at: str
    seen: str
    wanted: str

    def __str__(self) -> str:
        return f"{self.at}: is {self.seen}, not {self.wanted}" if self.seen else f"{self.at}: is missing"


@dataclass(frozen=True, slots=True)
class Shapes:
    """Types and aliases by name. Versions are the letters of the table."""

    types: Mapping[str, Mapping[str, Any]]
    aliases: Mapping[str, str]

    def faults(self, version: str, type_: str, value: Any, at: str = "") -> list[Fault]:
        """What is wrong with a value. Of several alternatives, what all of them want otherwise, else the closest's."""
        options = [option for option, versions in alternatives(type_) if not versions or version in versions]
        found = [self._one(version, option, value, at) for option in options]
        if not found or [] in found:
            return []
        common = _wanted_by_all(found) if len(found) > 1 else []
        return common or min(found, key=len)

    def _one(self, version: str, type_: str, value: Any, at: str) -> list[Fault]:
        if type_ in self.aliases:
            return self.faults(version, self.aliases[type_], value, at)
        if type_ in self.types:
            return self._members(version, type_, value, at)
        if type_[0] in "[{":
            return self._each(version, type_, value, at)
        fits = value == type_[1:-1] if type_[0] == "'" else PRIMITIVES[type_](value)
        return [] if fits else [Fault(at, _shown(value), type_)]

    def _each(self, version: str, type_: str, value: Any, at: str) -> list[Fault]:
        if not isinstance(value, list if type_[0] == "[" else dict):
            return [Fault(at, _shown(value), type_)]
        items = enumerate(value) if isinstance(value, list) else value.items()
        return [fault for name, item in items for fault in self.faults(version, type_[1:-1], item, below(at, name))]

    def _members(self, version: str, type_: str, value: Any, at: str) -> list[Fault]:
        if not isinstance(value, dict):
            return [Fault(at, _shown(value), type_)]
        found: list[Fault] = []
        for member in self.members(type_):
            place = below(at, member.name)
            if not member.holds(version):
                continue
            if member.name in value:
                found += self.faults(version, member.type, value[member.name], place)
            elif member.required:
                found.append(Fault(place, "", member.type))
        return found

    def members(self, type_: str) -> Iterator[Member]:
        """The members of a type, those that it includes first."""
        for name, text in self.types[type_].items():
            if name == "+":
                for included in text:
                    yield from self.members(included)
            else:
                yield _member(name, text)


@cache
def _member(name: str, text: str) -> Member:
    name, _, versions = name.partition("@")
    return Member(name.removesuffix("?"), not name.endswith("?"), text, versions)


@cache
def alternatives(text: str) -> tuple[tuple[str, str], ...]:
    """The alternatives of a type, each with the versions that know it ("" for all); brackets keep theirs together."""
    found: list[str] = [""]
    depth = 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "|" and not depth:
            found.append("")
        else:
            found[-1] += character
    pairs = (option.strip().rpartition("@") for option in found)
    return tuple(
        (before, after) if at and after.isalpha() else (f"{before}{at}{after}", "") for before, at, after in pairs
    )


def below(at: str, name: str | int) -> str:
    """RFC 6901."""
    return f"{at}/{str(name).replace('~', '~0').replace('/', '~1')}"


def _wanted_by_all(found: Sequence[Sequence[Fault]]) -> list[Fault]:
    """The value itself, or the member that tells the alternatives apart, where it fits none of them."""
    wrong = [{(fault.at, fault.seen): fault.wanted for fault in faults if fault.seen} for faults in found]
    shared = [place for place in wrong[0] if all(place in each for each in wrong)]
    return [Fault(*place, " | ".join(dict.fromkeys(each[place] for each in wrong))) for place in shared[:1]]


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return json.dumps(value)[:60]
