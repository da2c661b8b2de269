"""docs/explore.md: its exploration finds what the page says, and its regression can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from seatrial.cli import main
from seatrial.document import Document
from seatrial.exploration.saved import parse

from .pages import ROOT, blocks, commands

PAGE = ROOT / "docs/explore.md"


def test_the_first_command_finds_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = next(words for words in commands(PAGE) if words[:2] == ["seatrial", "explore"])
    found = CliRunner().invoke(main, words[1:])
    assert found.exit_code == 1, found.output
    (shown,) = blocks(PAGE, "text")
    assert shown in found.stdout


def test_the_regression_of_the_page_is_one() -> None:
    (text,) = blocks(PAGE, "toml")
    (regression,) = parse(Document("seatrial.regressions.toml", text))
    assert (regression.id, regression.failed) == (f"regression.{regression.name}", "3 of 3")
    assert [str(fault) for fault in regression.plan] == ['cut(on="tools/call", after=events(3), how=reset)']
