"""A TOML document whose values know where they stand, so that an error can name file, line and key."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

from .spelling import unknown

_HEADER = re.compile(r"^\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")

Keys = tuple[str, ...]
T = TypeVar("T")


class ConfigError(Exception):
    """The configuration cannot be used. The text is one sentence that names the place and the remedy."""


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one file. `file` is its name as the user knows it."""

    file: str
    text: str = ""

    def line(self, path: Keys) -> int:
        """The line, from 1, on which the value of `path` or the nearest table around it begins.

        The tables of an array are its keys "1", "2" and so on.
        """
        best, found = -1, 1
        table: Keys = ()
        elements: Counter[Keys] = Counter()
        for number, line in enumerate(self.text.splitlines(), start=1):
            if header := _HEADER.match(line):
                table = here = _parts(header[1])
                if line.lstrip().startswith("[["):
                    elements[table] += 1
                    table = here = (*table, str(elements[table]))
            elif key := _KEY.match(line):
                here = table + _parts(key[1])
            else:
                continue
            if len(here) > best and path[: len(here)] == here:
                best, found = len(here), number
        return found

    def root(self) -> Entry:
        """The whole document. Raises ConfigError when it is not TOML."""
        try:
            return Entry(self, (), tomllib.loads(self.text))
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{self.file} is not valid TOML: {error}; correct the file") from None


def _parts(dotted: str) -> Keys:
    return tuple(a or b or c for a, b, c in _PART.findall(dotted))


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a document. Each reader raises ConfigError when the value is of another type."""

    document: Document
    path: Keys
    value: Any

    @property
    def place(self) -> str:
        """File, line and key."""
        return f"{self.document.file}:{self.document.line(self.path)}: {'.'.join(self.path)}"

    def error(self, problem: str) -> ConfigError:
        return ConfigError(f"{self.place} {problem}")

    def text(self) -> str:
        return self._typed(str, "a text in quotes")

    def flag(self) -> bool:
        return self._typed(bool, "true or false")

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self._wrong("a number")
        return float(self.value)

    def whole(self) -> int:
        if isinstance(self.value, bool):
            raise self._wrong("a whole number")
        return self._typed(int, "a whole number")

    def day(self) -> date:
        if isinstance(self.value, datetime) or not isinstance(self.value, date):
            raise self._wrong("a day without quotes, such as 2027-01-31")
        return self.value

    def tables(self) -> tuple[Entry, ...]:
        """The tables of an array."""
        wanted = f"tables that begin with [[{'.'.join(self.path)}]]"
        values = self._typed(list, wanted)
        if not all(isinstance(value, dict) for value in values):
            raise self._wrong(wanted)
        return tuple(Entry(self.document, (*self.path, str(n)), value) for n, value in enumerate(values, start=1))

    def texts(self) -> tuple[str, ...]:
        wanted = "a list of texts in quotes"
        values = self._typed(list, wanted)
        if not all(isinstance(value, str) for value in values):
            raise self._wrong(wanted)
        return tuple(values)

    def table(self, legal: Collection[str] = (), kind: str = "key") -> dict[str, Entry]:
        """The entries of a table; with `legal`, any other name is an error."""
        entries = {k: Entry(self.document, (*self.path, k), v) for k, v in self._typed(dict, "a table").items()}
        for key, entry in entries.items():
            if legal and key not in legal:
                raise entry.error(f"is not understood: {unknown(kind, key, legal)}")
        return entries

    def _typed(self, kind: type[T], wanted: str) -> T:
        if not isinstance(self.value, kind):
            raise self._wrong(wanted)
        return self.value

    def _wrong(self, wanted: str) -> ConfigError:
        return self.error(f"must be {wanted}, not {self.value!r:.60}")


def read(path: Path) -> Document:
    """The document in a file. Raises ConfigError when it cannot be read."""
    try:
        return Document(str(path), path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"{path} cannot be read: {reason}") from None
