"""The commands of docs/html.md, typed in their order."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main

from .pages import ROOT, commands

EXAMPLE = ".seatrial/runs/20261130-211655-7"
"""The run of the page; it stands for the one that is made here."""
FEW = ("--check", "mcp.can.stops-work", "--protocol-version", "2025-11-25")


def typed(words: list[str], *more: str) -> Result:
    return CliRunner().invoke(main, [*words[1:], *more], prog_name="seatrial")


def test_the_commands_of_the_page_do_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo, newest, reports, again, curl, *_ = commands(ROOT / "docs/html.md")
    assert typed(demo, *FEW).exit_code == 0
    folder = Path(".seatrial/last").read_text().strip()
    assert "FAIL 0  ERROR 0  INCONCLUSIVE 0  WARN 2" in typed(newest).output
    assert typed([folder if word == EXAMPLE else word for word in reports]).output == ""
    page = Path("again.html").read_text()
    assert "mcp.can.stops-work[2025-11-25,stdio,none]" in page
    assert '"steps":[{' in Path("demo.html").read_text(), "the evidence can be read as soon as a run is over"
    assert Path("demo.html").read_text().count('class="cell') == page.count('class="cell') == 2
    assert "2.1.0" in Path("again.sarif").read_text()
    requests = typed(curl)
    assert requests.stdout.startswith("curl -sSNg -X POST http://127.0.0.1")
    assert "[redacted]" in requests.stdout
    repeated = typed([folder if word == EXAMPLE else word for word in again])
    assert repeated.exit_code == 0
    assert "PASS 0  NOT_APPLICABLE 0" in repeated.output
    assert "WARN 1" in repeated.output
