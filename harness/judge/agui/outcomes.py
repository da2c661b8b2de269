"""What a run comes to: its outcome, its usage, and what it consisted of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..notation import is_number
from .events import Event
from .rules import Rule, Sheet, shown

PREFIX = frozenset(":./-")
"""What separates a prefix from the name behind it."""

LARGEST = 2**53 - 1
"""The largest integer that every reader of JSON keeps."""

FRAME = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED"})

WHOLES = {
    "reasoningTokens": "outputTokens",
    "cachedInputTokens": "inputTokens",
    "cacheWriteInputTokens": "inputTokens",
    "inputTokens": "totalTokens",
    "outputTokens": "totalTokens",
}
"""A count of tokens and the count that it is part of."""


class Outcomes:
    """Judges the boundary events and the passthrough events of a run."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._types: Counter[str] = Counter()
        self._raw = 0

    def see(self, event: Event) -> None:
        self._timestamp(event)
        if event.type == "RUN_STARTED":
            self._types.clear()
        self._types[event.type] += 1
        match event.type:
            case "RAW":
                self._raw = event.record
            case "CUSTOM":
                self._custom(event)
            case "RUN_ERROR":
                self._usage(event)
            case "RUN_FINISHED":
                self._usage(event)
                self._outcome(event)
                self._content(event)

    def _timestamp(self, event: Event) -> None:
        stamp: Any = event.payload.get("timestamp")
        if not event.implied and is_number(stamp) and abs(stamp) > LARGEST and stamp == int(stamp):
            self.sheet.find(Rule.TIMESTAMP, f"a timestamp within {LARGEST}", shown(stamp), event.record)

    def _custom(self, event: Event) -> None:
        name = event.text("name")
        if name is not None:
            holds = not PREFIX.isdisjoint(name)
            self.sheet.expect(
                Rule.CUSTOM_PREFIXED, holds, "the name of a custom event has a prefix", shown(name), event.record
            )

    def _content(self, event: Event) -> None:
        """A run of 1.0 does not hide in RAW what the protocol has events for."""
        if self._types["RAW"]:
            holds = any(type_ not in FRAME and type_ != "RAW" for type_ in self._types)
            records = (self._raw, event.record)
            self.sheet.expect(Rule.RAW_NOT_SOLE, holds, "content in events of the protocol", "RAW alone", *records)

    def _usage(self, event: Event) -> None:
        entries = event.payload.get("usage")
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict) and (wrong := _mistaken(entry)):
                self.sheet.find(Rule.USAGE, "token counts that add up", wrong, event.record)

    def _outcome(self, event: Event) -> None:
        outcome = event.payload.get("outcome")
        if not isinstance(outcome, dict):
            return
        interrupts = outcome.get("interrupts")
        if outcome.get("type") == "cancelled":
            self.sheet.look(Rule.CANCELLED_BARE)  # the shape has no interrupts
        elif outcome.get("type") == "interrupt":
            self.sheet.look(Rule.INTERRUPT_FORM)
            if isinstance(interrupts, list):
                self._interrupts(interrupts, event)

    def _interrupts(self, interrupts: list[Any], event: Event) -> None:
        ids = [i["id"] for i in interrupts if isinstance(i, dict) and isinstance(i.get("id"), str)]
        if not interrupts:
            self.sheet.find(Rule.INTERRUPT_FORM, "at least one interrupt", "none", event.record)
        elif len(set(ids)) < len(ids):
            self.sheet.find(Rule.INTERRUPT_FORM, "interrupts with ids of their own", shown(ids), event.record)


def _mistaken(entry: Mapping[str, Any]) -> str:
    """What does not add up in one entry; counts that are no counts are a matter of shape."""
    counts = {name: value for name, value in entry.items() if is_number(value)}
    total, parts = counts.get("totalTokens"), [counts.get("inputTokens"), counts.get("outputTokens")]
    if total is not None and None not in parts and total != sum(filter(None, parts)):
        return f"totalTokens {total} of {parts[0]} and {parts[1]}"
    for name, whole in WHOLES.items():
        if name in counts and whole in counts and counts[name] > counts[whole]:
            return f"{name} {counts[name]} of {whole} {counts[whole]}"
    return ""
