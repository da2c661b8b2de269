"""Proof of effect: what a witness shows, read as tokens, compared with a control."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .wire.json import JsonError, loads

_TOKEN = re.compile(r"[^\s,;\[\]{}\"]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the witness said at one moment. `tokens` are its items in order."""

    text: str
    tokens: tuple[str, ...]
    record: int


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


def added(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """What a later reading has beyond an earlier one of the same log."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    return tuple(after[same:])


@dataclass(frozen=True, slots=True)
class Control:
    """What a stimulus leaves behind when nobody interferes: the yardstick of every other play.

    `duration` in seconds. `last` is what it adds last, "" when the witness shows nothing at all.
    """

    duration: float
    seen: tuple[str, ...]
    records: tuple[int, ...]

    @property
    def last(self) -> str:
        return self.seen[-1] if self.seen else ""


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
        """Did it add what the control added last?"""
        return bool(self.control.last) and self.control.last in self.seen

    def __str__(self) -> str:
        return f"the witness shows {' '.join(self.seen) or 'nothing'}; the control left {' '.join(self.control.seen)}"
