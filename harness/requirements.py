"""The requirement tables: the rows of a `requirements.json` as values."""

from __future__ import annotations

import json
import tomllib
from importlib import resources
from typing import Any

from .model import Level, Requirement

TABLE = "requirements.json"
GAPS = "uncovered"

_TEXTS = frozenset({"id", "suite", "protocol", "level", "spec", "title"})
_LISTS = frozenset({"versions", "bindings"})
_OPTIONAL = frozenset({"probe", "expected", "needs"})


class TableError(ValueError):
    """A requirement table that cannot be used; the text names the table and the row."""


def load(package: str) -> tuple[Requirement, ...]:
    """The rows of the table that lies in `package`. Raises TableError when it is missing or malformed."""
    place = f"{package}/{TABLE}"
    try:
        text = resources.files(package).joinpath(TABLE).read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError) as error:
        raise TableError(f"{place}: cannot be read ({error})") from error
    return parse(text, place)


def reasons(package: str) -> dict[str, str]:
    """Requirement id -> why no check covers it yet, from the table [uncovered] of each `uncovered*.toml`."""
    found: dict[str, str] = {}
    for file in resources.files(package).iterdir():
        if file.name.startswith(GAPS) and file.name.endswith(".toml"):
            found |= tomllib.loads(file.read_text(encoding="utf-8")).get("uncovered", {})
    return found


def parse(text: str, place: str = TABLE) -> tuple[Requirement, ...]:
    """The rows of a table's text, a JSON array of objects. `place` names the table in errors."""
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise TableError(f"{place}: is not JSON ({error})") from error
    if not isinstance(rows, list):
        raise TableError(f"{place}: must be a JSON array of rows")
    found = tuple(_requirement(row, f"{place}, row {number}") for number, row in enumerate(rows, 1))
    _refuse_duplicates(found, place)
    return found


def _requirement(row: Any, place: str) -> Requirement:
    if not isinstance(row, dict):
        raise TableError(f"{place}: must be an object")
    _refuse_odd_fields(row, f"{place} ({row.get('id', 'without id')})")
    lists = {name: tuple(row[name]) for name in (*_LISTS, "needs") if name in row}
    try:
        return Requirement(**{**row, **lists, "level": Level(row["level"])})
    except ValueError as error:
        raise TableError(f"{place} ({row['id']}): level must be one of {', '.join(Level)}") from error


def _refuse_odd_fields(row: dict[str, Any], place: str) -> None:
    if missing := sorted((_TEXTS | _LISTS) - row.keys()):
        raise TableError(f"{place}: lacks {', '.join(missing)}")
    if unknown := sorted(row.keys() - _TEXTS - _LISTS - _OPTIONAL):
        raise TableError(f"{place}: has unknown {', '.join(unknown)}")
    for name, value in row.items():
        wanted = "a list of strings" if name in _LISTS or name == "needs" else "a string"
        if not (_is_texts(value) if wanted.startswith("a list") else isinstance(value, str)):
            raise TableError(f"{place}: {name} must be {wanted}")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _refuse_duplicates(rows: tuple[Requirement, ...], place: str) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise TableError(f"{place}: has {row.id} twice")
        seen.add(row.id)
