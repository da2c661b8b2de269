"""Proof of effect: what a witness shows, read as tokens or as counts, compared with a control."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .wire.json import JsonError, loads

_TOKEN = re.compile(r"[^\s,;\[\]{}\"]+")


GAUGES = frozenset({"active", "running"})
"""Counts that fall again: how many are at work at the moment."""
COUNTED = 1000
"""How often one count may have grown; beyond that nobody counts."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the witness said at one moment: the items of a log in order, or `counts` by name, None for a log."""

    text: str = ""
    tokens: tuple[str, ...] = ()
    record: int = 0
    counts: Mapping[str, int] | None = None

    @property
    def busy(self) -> bool:
        """Does it count something that is at work?"""
        return any(number > 0 for name, number in (self.counts or {}).items() if name in GAUGES)

    def same(self, other: Reading) -> bool:
        return (self.tokens, self.counts) == (other.tokens, other.counts)


NOTHING = Reading()
"""What a witness shows of a key that nobody has used."""


def read(text: str, record: int) -> Reading:
    """A witness's answer, recorded under that number."""
    return Reading(text, tokens(text), record, counters(text))


def counters(text: str) -> dict[str, int] | None:
    """The counts that a witness tells, by name; None where it tells something else.

    It is a JSON object of whole numbers. Other members may stand beside them where one counts what has finished.
    """
    try:
        value = loads(text)
    except JsonError:
        return None
    members = value if isinstance(value, dict) else {}
    found = {name: n for name, n in members.items() if isinstance(n, int) and not isinstance(n, bool)}
    return found if found and (len(found) == len(members) or "finished" in found) else None


def tokens(text: str) -> tuple[str, ...]:
    """The items of a witness's answer: of a JSON list its elements, else its words."""
    try:
        value = loads(text)
    except JsonError:
        value = None
    if isinstance(value, list):
        return tuple(item if isinstance(item, str) else json.dumps(item, sort_keys=True) for item in value)
    return tuple(_TOKEN.findall(text))


def text_of(result: Any) -> str:
    """The text of a tool result, of resource contents or of prompt messages; else its JSON."""
    blocks = result.get("content", result.get("contents")) if isinstance(result, dict) else None
    texts = [b["text"] for b in blocks or () if isinstance(b, dict) and isinstance(b.get("text"), str)]
    return "\n".join(texts) if texts else json.dumps(result, sort_keys=True, ensure_ascii=False)


def gained(before: Reading, after: Reading) -> tuple[str, ...]:
    """What a later reading has beyond an earlier one; of counts each name as often as its number has grown."""
    if after.counts is None:
        return added(before.tokens, after.tokens)
    known = before.counts or {}
    growth = {name: number - known.get(name, 0) for name, number in sorted(after.counts.items())}
    return tuple(name for name, more in growth.items() for _ in range(min(more, COUNTED)))


def added(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """What a later reading has beyond an earlier one of the same log."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    return tuple(after[same:])


def about(tokens: Sequence[str], name: str) -> tuple[str, ...]:
    """Only what names this work, with the name made the same for all work; everything where nothing names it."""
    found = tuple(token.replace(name, "(name)") for token in tokens if name in token) if name else ()
    return found or tuple(tokens)


@dataclass(frozen=True, slots=True)
class Control:
    """What a stimulus leaves behind when nobody interferes: the yardstick of every other play.

    `duration` in seconds. `last` is what it adds last, "" when the witness shows nothing at all. `counted`: the
    witness tells counts, which have no order.
    """

    duration: float
    seen: tuple[str, ...]
    records: tuple[int, ...]
    counted: bool = False

    @property
    def last(self) -> str:
        return self.seen[-1] if self.seen else ""

    @property
    def marks(self) -> frozenset[str]:
        """What a play that runs to its end leaves: of a log its last entry, of counts every one that has grown."""
        return frozenset(self.seen) - GAUGES if self.counted else frozenset(self.seen[-1:])


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a play left behind, set against its control. `began`: it really started. `finished`: it ran to its end."""

    seen: tuple[str, ...]
    control: Control
    records: tuple[int, ...]

    @property
    def began(self) -> bool:
        return bool(self.seen)

    @property
    def finished(self) -> bool:
        """Did it add what the control added last? Of counts: did all grow that grew with the control?"""
        return bool(self.control.marks) and self.control.marks <= set(self.seen)

    @property
    def repeated(self) -> bool:
        """Did it add all that as often as the control did? An end that is told several times counts once all are."""
        return bool(self.control.marks) and all(
            self.seen.count(mark) >= self.control.seen.count(mark) for mark in self.control.marks
        )

    def __str__(self) -> str:
        return f"the witness shows {' '.join(self.seen) or 'nothing'}; the control left {' '.join(self.control.seen)}"
