"""A check that is written is a check that is run."""

from __future__ import annotations

import importlib
import pkgutil

from seatrial import suites
from seatrial.discovery import load_suites
from seatrial.model import Check


def written() -> set[str]:
    """The ids of the checks that stand in any module of the suites."""
    names = [found.name for found in pkgutil.walk_packages(suites.__path__, f"{suites.__name__}.")]
    modules = [importlib.import_module(name) for name in names]
    return {value.id for module in modules for value in vars(module).values() if isinstance(value, Check)}


def test_every_check_of_a_module_belongs_to_its_suite() -> None:
    """One in a module that no protocol is named in would be left out without a word."""
    collected = {check.id for suite in load_suites() for check in suite.checks}
    assert written() - collected == set()
    assert len(written()) > 500
