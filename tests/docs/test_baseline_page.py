"""The commands of docs/baseline.md, in their order, on a server that is broken and then repaired."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seatrial.baseline import parse
from seatrial.cli import main
from seatrial.comparison import ChangeKind
from seatrial.discovery import load_suites
from seatrial.document import Document
from seatrial.model import Check, Level
from seatrial.reports.score import CAP, NEEDED, WEIGHTS

from .pages import ROOT, blocks, commands, rows

PAGE = ROOT / "docs/baseline.md"
BROKEN, REPAIRED = ("demo", "--break", "cancel.swallowed"), ("demo",)
"""What stands for `run shop`."""

Typed = Callable[..., Result]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Types the next command of the page that begins so, or other words instead."""
    suites = [replace(suite, checks=_few(suite.checks)) for suite in load_suites(())]
    monkeypatch.setattr("seatrial.cli.catalogue.load_suites", lambda extra: tuple(suites))
    monkeypatch.chdir(tmp_path)
    left = [words[1:] for words in commands(PAGE) if words[0] == "seatrial"]

    def run(*begin: str, instead: tuple[str, ...] = ()) -> Result:
        while left[0][: len(begin)] != list(begin):
            left.pop(0)
        words = left.pop(0)
        return CliRunner().invoke(main, list(instead) or words)

    return run


def _few(checks: Iterable[Check]) -> tuple[Check, ...]:
    return tuple(check for check in checks if re.match(r"mcp\.(can\.close|cap\.init-result)", check.id))


def test_what_the_page_tells_to_type_does_what_it_says(typed: Typed, tmp_path: Path) -> None:
    assert typed("run", instead=(*BROKEN, "--output", ".seatrial/runs/branch")).exit_code == 1
    updated = typed("baseline", "update")
    assert (updated.exit_code, "2 entries added" in updated.output) == (0, True), updated.output
    assert typed("run", instead=BROKEN).exit_code == 0
    stale = CliRunner().invoke(main, [*REPAIRED, "--output", ".seatrial/runs/main"])
    assert (stale.exit_code, stale.output.count("is stale")) == (1, 2)
    pruned = typed("baseline", "prune")
    assert (pruned.exit_code, "2 entries removed" in pruned.output) == (0, True), pruned.output
    assert CliRunner().invoke(main, [*REPAIRED]).exit_code == 0
    compared = typed("diff")
    assert (compared.exit_code, "-> FAIL" in compared.output) == (1, True)
    assert typed("diff", "--format").exit_code == 0


def test_the_entry_is_one_and_the_table_has_its_keys() -> None:
    (text,) = blocks(PAGE, "toml")
    (entry,) = parse(Document("b.toml", text), date.min).entries
    assert {row[0] for row in rows(PAGE, "key")} == {*re.findall(r"^(\w+) =", text, re.M), "chance"}
    assert entry.owner in text


def test_the_table_of_changes_has_every_kind() -> None:
    assert [row[0] for row in rows(PAGE, "change")] == list(ChangeKind)


def test_the_figures_of_the_score_are_those_of_the_code() -> None:
    said = " ".join(PAGE.read_text("utf-8").partition("## The score")[2].split())
    assert f"a MUST counts {WEIGHTS[Level.MUST]}, a SHOULD {WEIGHTS[Level.SHOULD]}, each once" in said
    assert f"the score is {CAP} at most" in said
    assert f"less than {NEEDED} %" in said
