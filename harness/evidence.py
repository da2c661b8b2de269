"""The evidence of a run that is over: its records, found by case or by number, without holding them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .transcript import Kind, Record, decode

FILE = "evidence.jsonl"
LINE_LIMIT = 16 * 2**20
"""Bytes of one line that are read; a longer one counts as unreadable."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where a record stands in the file: `offset` and `size` in bytes."""

    number: int
    case: str
    kind: Kind
    operation: str
    offset: int
    size: int


@dataclass(slots=True)
class Evidence:
    """The lines of one file by case, in their order. `unreadable` counts those that hold no record."""

    file: Path
    unreadable: int = 0
    _cases: dict[str, list[Line]] = field(default_factory=dict)
    _numbers: dict[int, Line] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> Evidence:
        """Raises OSError."""
        found = cls(file)
        for offset, raw in _raw_lines(file):
            found._add(offset, raw)
        return found

    def of(self, case: str) -> Sequence[Line]:
        return self._cases.get(case, [])

    def at(self, number: int) -> Line | None:
        return self._numbers.get(number)

    @property
    def lines(self) -> Sequence[Line]:
        """All of them, in the order of the file."""
        return tuple(self._numbers.values())

    @property
    def last(self) -> int:
        """The greatest number of a record; 0 where there is none."""
        return max(self._numbers, default=0)

    def records(self, lines: Sequence[Line]) -> Iterator[Record]:
        """What these lines hold. Raises OSError."""
        with self.file.open("rb") as stream:
            for line in lines:
                stream.seek(line.offset)
                yield decode(stream.read(line.size).decode())[1]

    def _add(self, offset: int, raw: bytes) -> None:
        try:
            case, record = decode(raw.decode())
            line = Line(record.number, str(case), record.kind, str(record.operation), offset, len(raw))
        except (ValueError, KeyError, TypeError, RecursionError):
            self.unreadable += 1
            return
        self._cases.setdefault(line.case, []).append(line)
        self._numbers[line.number] = line


def _raw_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of each line, of one that is too long only its beginning."""
    with file.open("rb") as stream:
        offset = 0
        while raw := stream.readline(LINE_LIMIT):
            yield offset, raw
            rest = raw
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(LINE_LIMIT)
            offset = stream.tell()
