"""What the pages tell a new user to type, typed: against the bundled server, with fewer checks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .pages import ROOT, blocks, commands

SERVER = (sys.executable, "-m", "seatrial.fixtures.reference", "mcp")
ADDRESS = "http://127.0.0.1:8080/mcp"
"""The address of the pages; it stands for that of the server that is started here."""

FEW = ("--check", "mcp.cap.init-result-shape", "--check", "mcp.can.stops-work", "--protocol-version", "2025-11-25")
Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    process = subprocess.Popen([*SERVER, "--http", "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["url"]
    process.terminate()
    process.wait(10)


@pytest.fixture
def typed(tmp_path: Path, url: str) -> Shell:
    """Runs words in an empty folder, in an empty home, as wide as a small terminal."""

    def run(words: list[str], *more: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "seatrial"]
        rest = [url if word == ADDRESS else word for word in words[1:]]
        end = rest.index("--") if "--" in rest else len(rest)
        rest = [*rest[:end], *more, *(["--", *SERVER, "--stdio"] if end < len(rest) else [])]
        environment = {**os.environ, "HOME": str(tmp_path), "COLUMNS": "80"}
        return subprocess.run([*program, *rest], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def shown(page: str, *begin: str) -> list[str]:
    """The first command of a page that begins so."""
    for words in commands(ROOT / page):
        if [words[0].rpartition("/")[2], *words[1:]][: len(begin)] == list(begin):
            return words
    raise AssertionError(f"{page} has no command {' '.join(begin)}")


def test_the_broken_demo_shows_a_finding_whose_rerun_command_finds_it_again(typed: Shell) -> None:
    told = typed(shown("README.md", "seatrial", "demo", "--break"), "--check", "mcp.can.close-is-cancel")
    assert told.returncode == 1
    parts = {line[2:10].strip(): line[11:] for line in told.stdout.splitlines() if line.startswith("  ")}
    assert {"clause", "expected", "actual", "records", "rerun", "spec"} <= parts.keys()
    again = typed(parts["rerun"].removeprefix("python -m ").split())
    assert again.returncode == 1
    assert "FAIL mcp.can.close-is-cancel" in again.stdout


def test_a_run_on_an_address_says_how_to_have_more_judged(typed: Shell, url: str) -> None:
    told = typed(shown("README.md", "seatrial", "run", ADDRESS), *FEW)
    assert told.returncode == 3
    assert "slow = { tool" in told.stdout
    assert told.stderr.endswith(f"to have more judged: seatrial init {url}, then seatrial run\n")


def test_a_run_on_a_command(typed: Shell) -> None:
    told = typed(shown("README.md", "seatrial", "run", "--"), *FEW[:2])
    assert (told.returncode, "PASS 4" in told.stdout) == (0, True), told.stdout + told.stderr
    assert re.search(r"^report: .*/report\.html$", told.stdout, re.M), "the page is named where the evidence is"


def test_init_and_then_a_run_that_judges_more(typed: Shell, tmp_path: Path) -> None:
    told = typed(shown("README.md", "seatrial", "init"))
    assert told.returncode == 0, told.stderr
    told = typed(["seatrial", "run"], *FEW)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "PASS 2" in told.stdout
    told = typed(shown("README.md", "seatrial", "run", "--report"), *FEW)
    assert told.returncode == 0
    assert (tmp_path / "seatrial.xml").read_text().startswith("<?xml")


def test_explain_and_list(typed: Shell) -> None:
    assert "witness" in typed(shown("README.md", "seatrial", "explain")).stdout
    assert "mcp.can.stops-work" in typed(shown("README.md", "seatrial", "list")).stdout
    listed = json.loads(typed(shown("docs/report.md", "seatrial", "list")).stdout)
    documented = (ROOT / "docs/report.md").read_text("utf-8")
    assert all(f"{key}" in documented for key in listed[0])


def test_the_check_of_ones_own(typed: Shell, tmp_path: Path) -> None:
    (source,) = blocks(ROOT / "docs/checks.md", "python")
    (tmp_path / "house_rules.py").write_text(source)
    for begin in (("run",), ("explain", "--suites"), ("demo",)):
        told = typed(shown("docs/checks.md", "seatrial", *begin))
        assert told.returncode == 0, told.stdout + told.stderr
        assert "house" in told.stdout


def test_the_check_of_ones_own_can_fail(tmp_path: Path) -> None:
    (source,) = blocks(ROOT / "docs/checks.md", "python")
    (tmp_path / "house_rules.py").write_text(source.replace('said.get("version")', 'said.get("nothing")'))
    words = [sys.executable, "-m", "seatrial", *shown("docs/checks.md", "seatrial", "demo")[1:]]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert "warn house.names-itself" in told.stdout
