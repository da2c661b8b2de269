"""The commands of docs/tutorial.md in their order, on a server that is broken, with fewer checks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main
from seatrial.discovery import load_suites
from seatrial.model import Suite

from .pages import ROOT, commands

PAGE = ROOT / "docs/tutorial.md"
MODULE = ["-m", "seatrial.fixtures.reference", "mcp", "--stdio"]
SERVER = [sys.executable, *MODULE, "--break", "err.missing-name-internal"]
"""What stands for `python server.py`."""

FEW = {"mcp.err.call-missing-name", "mcp.cap.init-result-shape", "mcp.can.close-is-cancel"}
Typed = Callable[..., Result]


def _few(suite: Suite) -> Suite:
    return replace(suite, checks=tuple(check for check in suite.checks if check.id in FEW))


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Types the next command of the page that begins so."""
    suites = tuple(map(_few, load_suites(())))
    monkeypatch.setattr("seatrial.cli.catalogue.load_suites", lambda extra: suites)
    monkeypatch.chdir(tmp_path)
    left = [words[1:] for words in commands(PAGE) if words[0] == "seatrial"]

    def run(*begin: str) -> Result:
        while left[0][: len(begin)] != list(begin):
            left.pop(0)
        words = left.pop(0)
        if "--" in words:
            words[words.index("--") + 1 :] = SERVER
        return CliRunner().invoke(main, words)

    return run


def test_what_the_page_tells_to_type_does_what_it_says(typed: Typed, tmp_path: Path) -> None:
    broken = typed("demo")
    assert broken.exit_code == 1, broken.output
    assert all(f"\n  {part} " in broken.output for part in ("clause", "expected", "actual", "records", "rerun", "spec"))
    assert typed("init", "--").exit_code == 0
    checked = typed("check-config")
    assert (checked.exit_code, "stimuli)" in checked.output) == (0, True), checked.output
    ran = typed("run")
    assert (ran.exit_code, "FAIL mcp.err.call-missing-name" in ran.output) == (1, True), ran.output
    assert list(tmp_path.glob(".seatrial/runs/*/report.html"))
    again = typed("run", "--last-failed")
    assert (again.exit_code, "mcp.cap.init-result-shape" in again.output) == (1, False), again.output
    assert "added" in typed("baseline", "update").output
    accepted = typed("run", "--report")
    assert accepted.exit_code == 0, accepted.output
    assert (tmp_path / "seatrial.xml").read_text().startswith("<?xml")


def test_the_bundled_server_stands_in_for_ones_own() -> None:
    (words,) = [words for words in commands(PAGE) if words[-len(MODULE) :] == MODULE]
    assert words[:4] == ["seatrial", "init", "--", "python"]
