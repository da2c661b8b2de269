"""Who asked, how much was said, and who hung up."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from anyio import current_time

KEPT = 1000
"""Requests that are remembered."""
PROMPT_LIMIT = 2000
"""Characters of a prompt that are kept."""
KEY_LIMIT = 100


class End(StrEnum):
    """How a request ended. OPEN: not yet."""

    DONE = "done"
    LEFT = "client left"
    OPEN = "open"


@dataclass(slots=True, eq=False)
class Entry:
    """One request. `started` and `ended_at` are seconds of the server's life; `chunks`: pieces that were sent."""

    id: int
    prompt: str
    started: float
    chunks: int = 0
    end: End = End.OPEN
    ended_at: float | None = None

    def shown(self, now: float) -> dict[str, Any]:
        """`key` is the last word of the prompt."""
        seconds = (now if self.ended_at is None else self.ended_at) - self.started
        key = (self.prompt.split() or [""])[-1][:KEY_LIMIT]
        told = {"id": self.id, "key": key, "started": round(self.started, 3), "chunks": self.chunks}
        return {**told, "ended": self.end, "seconds": round(seconds, 3)}

    @property
    def story(self) -> Sequence[str]:
        """The request as events in order."""
        last = {End.DONE: ["model done"], End.LEFT: ["model closed by client"], End.OPEN: []}[self.end]
        return ["model start", *(f"chunk {number}" for number in range(1, self.chunks + 1)), *last]


@dataclass(slots=True)
class Log:
    """The latest requests; the counters are of all of them."""

    born: float = field(default_factory=current_time)
    started: int = 0
    cancelled: int = 0
    finished: int = 0
    entries: deque[Entry] = field(default_factory=lambda: deque(maxlen=KEPT))

    @property
    def active(self) -> int:
        return self.started - self.cancelled - self.finished

    @property
    def now(self) -> float:
        return current_time() - self.born

    def begin(self, prompt: str) -> Entry:
        self.started += 1
        entry = Entry(self.started, prompt[-PROMPT_LIMIT:], self.now)
        self.entries.append(entry)
        return entry

    def close(self, entry: Entry, end: End) -> None:
        entry.end, entry.ended_at = end, self.now
        self.cancelled += end is End.LEFT
        self.finished += end is End.DONE

    def about(self, key: str) -> Sequence[Entry]:
        """The requests whose prompt has the key, all of them for an empty one."""
        return [entry for entry in self.entries if key in entry.prompt]

    def shown(self, key: str) -> dict[str, Any]:
        counters = {name: getattr(self, name) for name in ("started", "active", "cancelled", "finished")}
        return {"requests": [entry.shown(self.now) for entry in self.about(key)], **counters}

    def story(self, key: str) -> Sequence[str]:
        return [event for entry in self.about(key) for event in entry.story]
