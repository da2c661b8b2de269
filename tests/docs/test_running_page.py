"""The commands of docs/running.md, typed in their order, against bundled servers in virtual time."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main
from seatrial.config import TargetConfig
from seatrial.discovery import load_suites
from seatrial.fixtures.reference.target import simulated
from seatrial.fixtures.serving import SimulatedTarget

from .pages import ROOT, blocks, rows

PAGE = ROOT / "docs/running.md"
FEW = (
    "mcp.can.stops-work",
    "mcp.can.unknown-id",
    "mcp.cap.init-result-shape",
    "mcp.dup.one-response-per-request",
    "mcp.rec.get-reopen",
)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the targets of the page, some of the checks, and a bundled server for every target."""
    few = [replace(suite, checks=tuple(c for c in suite.checks if c.id in FEW)) for suite in load_suites(())]

    def made(config: TargetConfig) -> SimulatedTarget:
        return replace(simulated(), name=config.name, address=config.address, bindings=("streamable-http",))

    monkeypatch.setattr("seatrial.cli.catalogue.load_suites", lambda extra: tuple(few))
    monkeypatch.setattr("seatrial.cli.run.attach", made)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seatrial.toml").write_text(blocks(PAGE, "toml")[0])
    return tmp_path


def typed(*words: str) -> Result:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return result


def cases(folder: Path) -> set[str]:
    return {found["case"] for found in json.loads((folder / "report.json").read_text())["findings"]}


def test_every_command_of_the_page_does_what_it_says(place: Path) -> None:
    lines = [line for block in blocks(PAGE, "") for line in block.splitlines()]
    told = {line: typed(*shlex.split(line)[1:]).output for line in lines}
    assert "Slowest cases" in told["seatrial run --durations 5 shop"]
    assert "nothing failed in" in told["seatrial run --last-failed shop"]
    for several in ("seatrial run shop depot", "seatrial run --all"):
        assert ["shop", "depot"] in [sorted({*line.split()}, reverse=True) for line in told[several].splitlines()]
    assert cases(place / "one") | cases(place / "two") == cases(place / "whole")
    assert cases(place / "one") != cases(place / "whole")


def test_a_way_to_a_server_has_columns_of_its_own(place: Path) -> None:
    (place / "seatrial.toml").write_text(blocks(PAGE, "toml")[1])
    told = typed("run", "shop", "--output", "ways").output
    assert "shop@gateway" in told and "Differs" not in told
    assert {case.partition("/")[0] for case in cases(place / "ways")} == {"shop", "shop@gateway"}


def test_the_table_has_every_option_that_selects_checks() -> None:
    named = {name.strip("`") for row in rows(PAGE, "option") for name in row[0].split(", ")}
    helped = CliRunner().invoke(main, ["run", "--help-all"]).output
    section = helped.partition("Which checks:")[2].partition("\n\n")[0]
    found = {word.strip(",") for word in section.split() if word.startswith("--")}
    assert found - {"--keyword", "--suites"} <= named
    assert named <= {word.strip(",") for word in helped.split()}
