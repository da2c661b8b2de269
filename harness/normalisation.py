"""Transcripts made comparable: what two runs with one seed must agree on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .transcript import Kind, Record

Normal = list[tuple[float, str, Kind, Any]]
"""Of each record, in order, its time, operation and kind, and its data without what the target draws."""

DRAWN = re.compile(r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})\b")
"""What a target makes up by chance, wherever it stands: UUIDs and numbers of 64 bits and more."""

SEALED = frozenset({"requestState", "mcp-session-id"})
"""Members and headers in whose values such numbers are not to be seen: they count as drawn as a whole."""

MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def normalised(records: Sequence[Record]) -> Normal:
    """The records of a case, as they are but for their numbers, the time of day, and what the target drew.

    What it drew is numbered in the order in which it is first seen: where a value comes again, the same number does.
    """
    seen = _Seen()
    return [(record.time, record.operation, record.kind, seen.plain(record.data)) for record in records]


@dataclass(slots=True)
class _Seen:
    """The values drawn so far, with their numbers."""

    numbers: dict[str, str] = field(default_factory=dict)

    def plain(self, value: Any, name: str = "") -> Any:
        """A JSON value of this name without what was drawn, and without the time of day. Pairs of texts are headers."""
        match value:
            case Mapping():
                return {self.told(key): self.plain(item, key) for key, item in value.items()}
            case [str(header), str(text)]:
                return [header, self.plain(text, header.lower())]
            case list() | tuple():
                return [self.plain(item) for item in value]
            case str():
                return self.number(value) if name in SEALED else self.told(value)
        return value

    def told(self, text: str) -> str:
        return MOMENT.sub("<time>", DRAWN.sub(lambda found: self.number(found[0]), text))

    def number(self, drawn: str) -> str:
        return self.numbers.setdefault(drawn, f"<{len(self.numbers)}>")
