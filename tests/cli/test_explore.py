"""`seatrial explore`, from the command line to the regression that `run` plays again."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main

BROKEN = ("--break", "replay.page-boundary", "--protocol-version", "2025-06-18")
CHECK = "regression.cut-on-tools-call-after-events-3-how-reset"
FILE = Path("seatrial.regressions.toml")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def called(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_the_minimal_plan_is_found_kept_and_played_again() -> None:
    found = called("explore", *BROKEN, "--seed", "7")
    assert found.exit_code == 1, found.output
    assert 'FAIL under cut(on="tools/call", after=events(3), how=reset)\n' in found.stdout
    assert "  again     3 of 3 further plays\n" in found.stdout
    assert f"run again seatrial demo --check {CHECK} --break replay.page-boundary" in found.stdout
    (entry,) = tomllib.loads(FILE.read_text())["regression"]
    assert entry["plan"] == 'cut(on="tools/call", after=events(3), how=reset)'
    assert (entry["target"], entry["stimulus"], entry["failed"]) == ("mcp", "progress", "3 of 3")
    assert CHECK in called("list", "--suite", "regressions").stdout
    again = called("demo", "--break", "replay.page-boundary", "--check", CHECK, "--protocol-version", "2025-06-18")
    assert again.exit_code == 1, again.output
    sound = called("demo", "--check", CHECK, "--protocol-version", "2025-06-18")
    assert sound.exit_code == 0, sound.output


def test_what_is_kept_already_is_not_kept_twice() -> None:
    for _ in range(2):
        assert called("explore", "--break", "replay.drops-tail", "--seed", "3").exit_code == 1
    assert len(tomllib.loads(FILE.read_text())["regression"]) == 1


def test_it_is_kept_where_it_is_to_be_kept(place: Path) -> None:
    assert called("explore", "--break", "replay.drops-tail", "--seed", "3", "--save", "deep/down").exit_code == 1
    assert (place / "deep/down" / FILE).is_file()


def test_a_server_that_holds_is_code_0_and_keeps_nothing() -> None:
    held = called("explore", "--break", "priming.none", "--seed", "1", "--examples", "8")
    assert held.exit_code == 0, held.output
    assert "No plan broke a promise; " in held.stdout
    assert not FILE.exists()


def test_a_stimulus_that_is_not_there_leaves_nothing_to_explore() -> None:
    nothing = called("explore", "--break", "replay.drops-tail", "--stimulus", "chat")
    assert nothing.exit_code == 3
    assert "There is nothing to explore: no stimulus is configured for the role chat" in nothing.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("http://127.0.0.1:9/", "--break", "replay.drops-tail"), "leave out the URL"),
        (("--break", "replay.drops-tial"), "did you mean replay.drops-tail"),
        (("--stimulus", "progres"), 'unknown role "progres"; did you mean progress'),
        (("--break", "replay.drops-tail", "--binding", "smoke"), 'unknown binding "smoke"'),
        ((), "there is no seatrial.toml"),
    ],
)
def test_a_mistake_is_one_sentence_and_code_2(words: tuple[str, ...], told: str) -> None:
    refused = called("explore", *words)
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1), refused.output
    assert told in refused.output


def test_a_file_of_regressions_that_cannot_be_read_stops_before_anything_is_played() -> None:
    FILE.write_text('[[regression]]\nname = "a"\n')
    refused = called("explore", "--break", "replay.drops-tail")
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1), refused.output
    assert "has no target" in refused.output


def test_without_hypothesis_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    refused = called("explore", "--break", "replay.drops-tail")
    assert refused.exit_code == 2
    assert "pip install 'seatrial[fuzz]'" in refused.output


def test_a_target_that_is_not_there_is_code_4() -> None:
    gone = called("explore", "http://127.0.0.1:9/mcp")
    assert gone.exit_code == 4
    assert "cannot be explored" in gone.output
