"""What the target says it supports: found out by asking, version by version. ISO 9646 calls it the PICS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .model import Column, Feature


@dataclass(frozen=True, slots=True)
class Spoken:
    """One version that works over one binding. `server` is what the target declares: the initialize or discover
    result, the agent card; its `capabilities` are those that features name.

    `record` shows it; `sessions` says whether a session id was issued. `release` is that of the specification within
    the version, "" where it makes no difference; `edition` is the version by which rows are chosen, "" for `version`.
    """

    version: str
    binding: str
    server: Mapping[str, Any]
    record: int
    sessions: bool = False
    release: str = ""
    edition: str = ""

    def declares(self, feature: Feature) -> bool:
        """Is a capability declared? `tools.listChanged` and the like want a true member."""
        if feature is Feature.SESSIONS:
            return self.sessions
        value: Any = self.server.get("capabilities")
        for key in feature.value.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value is not None and value is not False


@dataclass(frozen=True, slots=True)
class Claims:
    """All that is spoken, and the records in which other versions were refused."""

    spoken: tuple[Spoken, ...] = ()
    refused: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """(version, binding) -> the record that shows that it is not spoken."""
    beside: tuple[Spoken, ...] = ()
    """What is spoken too, in versions that are not to be judged: a server of two eras has other duties."""

    def find(self, version: str, binding: str) -> Spoken | None:
        return next((s for s in self.spoken if (s.version, s.binding) == (version, binding)), None)

    def edition(self, column: Column) -> str:
        """The version by which rows are chosen for a column."""
        found = self.find(column.version, column.binding)
        return (found.edition if found else "") or column.version

    def columns(self, profile: str) -> Iterator[Column]:
        return (Column(s.version, s.binding, profile) for s in self.spoken)

    def versions(self, binding: str) -> tuple[str, ...]:
        """All that are known to be spoken, those that are not to be judged too."""
        return tuple(s.version for s in (*self.spoken, *self.beside) if s.binding == binding)
