"""Declarations that contradict their own tables are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from seatrial.discovery import SuiteError, load_suites
from seatrial.model import Check
from seatrial.registry import RegistryError, check, collect, suite, uncovered

from .declare import row


def made(ident: str = "t.one", **declared: Any) -> Check:
    return check(ident, "It holds", **declared)(lambda lab: None)


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        ([made(), made()], "check t.one is declared 2 times"),
        ([made(requirements=["t.none"])], "t.none, which is in no table"),
        ([made(mutants=["no.such"])], "mutant no.such, which does not exist"),
    ],
)
def test_a_contradiction_names_the_suite_and_the_check(checks: list[Check], told: str) -> None:
    with pytest.raises(RegistryError, match=told) as caught:
        suite("s", checks, [row()])
    assert str(caught.value).startswith("suite s: ")


def test_a_row_without_a_check_is_uncovered() -> None:
    found = suite("s", [made()], [row(), row("t.two"), row("t.three")], uncovered={"t.two": "later"})
    assert uncovered(found) == {"t.two": "later", "t.three": ""}


def test_checks_are_collected_from_values_and_from_tables() -> None:
    module = type("module", (), {})()
    module.single, module.table, module.other = made("t.a"), (made("t.b"), made("t.c")), 1
    assert [found.id for found in collect(module)] == ["t.a", "t.b", "t.c"]


SUITE = """
from seatrial import Level, Requirement, check, suite as declare

def suite():
    row = Requirement("mine.one", "mine", "mcp", Level.MUST, ("2025-11-25",), ("stdio",), "x", "It holds.")
    async def body(lab):
        lab.expect(None)
    return declare("mine", [check("mine.one", "It holds")(body)], [row])
"""


def test_a_suite_is_loaded_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SUITE)
    assert load_suites([file])[-1].name == "mine"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1", "has no attribute 'suite'"),
        ("def suite(): return 1", "must return a Suite, not int"),
        ("(", "SyntaxError"),
    ],
)
def test_a_file_that_is_no_suite_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text)
    with pytest.raises(SuiteError, match=told) as caught:
        load_suites([file])
    assert str(file) in str(caught.value)


def test_a_missing_suite_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="there is no such suite"):
        load_suites([tmp_path / "none.py"])
