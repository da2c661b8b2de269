"""Suites from entry points and from files."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from .model import Suite
from .registry import problems

GROUP = "seatrial.suites"


class SuiteError(ValueError):
    """A suite that cannot be loaded; the text names where it comes from."""


def load_suites(extra: Sequence[Path] = ()) -> tuple[Suite, ...]:
    """All suites: installed ones by name, then those of `extra` files or folders. Raises SuiteError."""
    found = [_from_entry_point(point) for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)]
    found += [_from_path(path) for path in extra]
    seen: set[str] = set()
    for suite in found:
        for check in suite.checks:
            if check.id in seen:
                raise SuiteError(f"check {check.id} is declared by two suites, the second is {suite.name}")
            seen.add(check.id)
    return tuple(found)


def load_regressions(folder: Path) -> tuple[Suite, ...]:
    """The suite of the regressions that are kept in a folder; none where none are. Raises ConfigError."""
    from .exploration import FILE, load, suite_of

    file = folder / FILE
    return (suite_of(load(file)),) if file.exists() else ()


def _from_entry_point(point: EntryPoint) -> Suite:
    try:
        made = point.load()()
    except Exception as error:
        raise SuiteError(f"suite {point.name} ({point.value}) cannot be loaded: {error}") from error
    return _validated(made, f"{point.name} ({point.value})")


def _from_path(path: Path) -> Suite:
    """A Python file, or a folder with `__init__.py`, that defines `suite()`."""
    file = path / "__init__.py" if path.is_dir() else path
    if not file.is_file():
        raise SuiteError(f"{path}: there is no such suite; give a Python file that defines suite()")
    name = f"seatrial_suite_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(file.parent)])
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        made = module.suite()
    except Exception as error:
        raise SuiteError(f"{path}: the suite cannot be loaded: {type(error).__name__}: {error}") from error
    return _validated(made, str(path))


def _validated(made: object, origin: str) -> Suite:
    if not isinstance(made, Suite):
        raise SuiteError(f"{origin}: suite() must return a Suite, not {type(made).__name__}")
    for problem in problems(made):
        raise SuiteError(f"{origin}: {problem}")
    return made
