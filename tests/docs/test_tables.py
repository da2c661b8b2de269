"""The tables of the pages name what exists, all of it and nothing else."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner
from seatrial.cli import main
from seatrial.faults import FAULTS, Mount, parse
from seatrial.matrix import Exit
from seatrial.model import Verdict

from .pages import ROOT, rows

DOCS = ROOT / "docs"
FAULT_ROWS = rows(DOCS / "faults.md", "fault")


HELPS = (
    *((name, "--help-all") for name in ("run", "demo")),
    *((name, "--help") for name in ("init", "list", "diff")),
    ("baseline", "update", "--help"),
)


def test_every_fault_has_a_row() -> None:
    assert [row[0] for row in FAULT_ROWS] == list(FAULTS)


@pytest.mark.parametrize("row", FAULT_ROWS, ids=lambda row: row[0])
def test_the_example_of_a_fault_is_one_of_it_and_works_where_it_is_said_to(row: list[str]) -> None:
    name, _, where, example = row
    fault = parse(example)
    assert fault.name == name
    assert ("stdio" in where) == (Mount.PIPE in fault.mounts)
    assert ("HTTP" in where or where == "WebSocket") == bool({Mount.LINK, Mount.RELAY} & fault.mounts)


def test_every_verdict_has_a_row() -> None:
    assert {row[0] for row in rows(ROOT / "README.md", "verdict")} == {verdict.value for verdict in Verdict}


def test_every_reporter_has_a_row() -> None:
    named = [name for row in rows(DOCS / "report.md", "reporter") for name in row[0].replace("`", "").split(", ")]
    assert sorted(named) == sorted(entry_points(group="seatrial.reporters").names)


def test_every_file_of_a_run_has_a_row(tmp_path: Path) -> None:
    words = ["demo", "--check", "mcp.cap.init-result-shape", "--output", str(tmp_path / "run")]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert sorted(row[0] for row in rows(DOCS / "report.md", "file")) == sorted(
        path.name for path in (tmp_path / "run").iterdir()
    )


def test_every_exit_code_has_a_row() -> None:
    assert [int(row[0]) for row in rows(DOCS / "report.md", "code")] == sorted(code.value for code in Exit)


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        *(f"docs/{name}.md" for name in ("baseline", "ci", "config", "report", "running", "checks", "faults")),
    ],
)
def test_every_option_that_a_page_names_exists(page: str) -> None:
    helped = "".join(CliRunner().invoke(main, [*words]).output for words in HELPS)
    for option in re.findall(r"`(--[a-z-]+)", (ROOT / page).read_text("utf-8")):
        assert option in helped
