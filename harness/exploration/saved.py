"""The file of regressions beside the configuration, which a team commits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..document import Document, Entry, read
from ..faults import Fault, FaultError, parse_plan
from ..model import Role
from ..protocols import driver_of
from ..spelling import unknown
from .course import courses
from .regression import Regression

FILE = Path("seatrial.regressions.toml")
TABLE = "regression"
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,79}")
_HEAD = "# Plans of faults that once broke a target: seatrial explore adds them, seatrial run plays them again.\n"


def load(path: Path) -> tuple[Regression, ...]:
    """The regressions in a file. Raises ConfigError."""
    return parse(read(path))


def parse(document: Document) -> tuple[Regression, ...]:
    """The regressions in a document. Raises ConfigError."""
    root = document.root().table((TABLE,), "table")
    found = [_regression(entry) for entry in (root[TABLE].tables() if TABLE in root else ())]
    names = [each.name for each, _ in found]
    for place, (each, entry) in enumerate(found):
        if each.name in names[:place]:
            raise entry.error(f"has the name {each.name}, which another regression has; give it one of its own")
    return tuple(each for each, _ in found)


def _regression(entry: Entry) -> tuple[Regression, Entry]:
    values = entry.table(tuple(_READERS))
    for key in _REQUIRED:
        if key not in values:
            raise entry.error(f"has no {key}; {_REQUIRED[key]}")
    made = Regression(**{key: _READERS[key](item) for key, item in values.items()})
    driver = driver_of(made.protocol)
    if made.version not in driver.versions:
        raise values["version"].error(f"is not understood: {unknown('version', made.version, driver.versions)}")
    return made, entry


def _name(entry: Entry) -> str:
    if not _NAME.fullmatch(entry.text()):
        raise entry.error(f"must be small letters, digits, points and hyphens, not {entry.value!r:.60}")
    return entry.text()


def _protocol(entry: Entry) -> str:
    if entry.text() not in courses():
        raise entry.error(f"is not understood: {unknown('protocol', entry.text(), courses())}")
    return entry.text()


def _role(entry: Entry) -> Role:
    if entry.text() not in list(Role):
        raise entry.error(f"is not understood: {unknown('role', entry.text(), list(Role))}")
    return Role(entry.text())


def _plan(entry: Entry) -> tuple[Fault, ...]:
    try:
        plan = parse_plan(entry.text())
    except FaultError as error:
        raise entry.error(f"is no plan: {error}") from None
    if not plan:
        raise entry.error("is empty; write a fault, such as cut(how=reset)")
    return plan


_READERS: Mapping[str, Callable[[Entry], Any]] = {
    "name": _name,
    "target": Entry.text,
    "protocol": _protocol,
    "stimulus": _role,
    "version": Entry.text,
    "binding": Entry.text,
    "plan": _plan,
    "invariant": Entry.text,
    "failed": Entry.text,
    "found": Entry.day,
}
_REQUIRED = {
    "name": "give it one, such as cut-after-three-events",
    "target": 'name one of the configuration, such as target = "shop"',
    "protocol": "say which it speaks: mcp, a2a or agui",
    "stimulus": "name the role that is played, such as progress",
    "version": "name the version of the protocol",
    "binding": "name the binding, such as streamable-http",
    "plan": "write the faults, such as 'cut(how=reset)'",
}
"""The keys of an entry without a default, and what to write there."""


def append(path: Path, regression: Regression) -> None:
    """Write one more. What stands in the file stays as it is, remarks too. Raises OSError."""
    import tomlkit

    text = path.read_text(encoding="utf-8") if path.exists() else _HEAD
    document = tomlkit.parse(f"{text.rstrip()}\n\n")
    tables = document.get(TABLE) or tomlkit.aot()
    tables.append(tomlkit.item(_written(regression)))
    document[TABLE] = tables
    path.write_text(tomlkit.dumps(document).rstrip() + "\n", encoding="utf-8")


def _written(regression: Regression) -> dict[str, Any]:
    """The keys of an entry as they stand in the file."""
    import tomlkit

    values = {key: getattr(regression, key) for key in _READERS}
    literal = "'" not in regression.faults
    values |= {"plan": tomlkit.string(regression.faults, literal=literal), "stimulus": regression.stimulus.value}
    return {key: value for key, value in values.items() if value}
