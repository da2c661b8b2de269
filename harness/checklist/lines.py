"""The lines of the checklist: what is asked, how dear it is to leave undone, and what decides it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

PROTOCOLS = ("mcp", "a2a", "agui")


class Who(StrEnum):
    """Who answers a line: Seatrial, a person, or a person after Seatrial has looked."""

    AUTO = "auto"
    HUMAN = "human"
    BOTH = "both"


class Weight(StrEnum):
    """Whether an open line stands in the way of a launch."""

    BLOCKER = "blocker"
    ADVISORY = "advisory"


@dataclass(frozen=True, slots=True)
class Basis:
    """What a line rests on in one protocol. `checks` are ids, or patterns with `*`."""

    checks: tuple[str, ...] = ()
    lints: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One question. `because` is the reason for its weight; `bases` are by protocol."""

    id: str
    question: str
    kind: Who
    weight: Weight
    because: str
    protocols: tuple[str, ...] = PROTOCOLS
    bases: Mapping[str, Basis] = field(default_factory=dict)

    def basis(self, protocol: str) -> Basis:
        return self.bases.get(protocol, Basis())


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that are read together."""

    id: str
    title: str
    lines: tuple[Line, ...]


@cache
def groups() -> tuple[Group, ...]:
    """The whole list, in the order in which it is read."""
    text = resources.files(__package__).joinpath("lines.toml").read_text(encoding="utf-8")
    return tuple(map(_group, tomllib.loads(text)["group"]))


def lines() -> dict[str, Line]:
    """All lines by id."""
    return {line.id: line for group in groups() for line in group.lines}


def _group(entry: Mapping[str, Any]) -> Group:
    return Group(entry["id"], entry["title"], tuple(_line(line) for line in entry["line"]))


def _line(entry: Mapping[str, Any]) -> Line:
    return Line(
        entry["id"],
        entry["question"],
        Who(entry["kind"]),
        Weight(entry["weight"]),
        entry["because"],
        tuple(entry.get("protocols", PROTOCOLS)),
        {name: Basis(**{k: tuple(v) for k, v in entry[name].items()}) for name in PROTOCOLS if name in entry},
    )
