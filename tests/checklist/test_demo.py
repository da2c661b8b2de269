"""The list of a run of the engine itself, against the bundled server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from seatrial.cli import main

CHECKS = ("mcp.cap.pagination-walk", "mcp.cap.tool-inputschema-object", "mcp.err.tool-failure-iserror")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The lines by id of two runs of a few checks with different seeds."""
    return [_lines(tmp_path_factory.mktemp("run"), seed) for seed in ("1", "2")]


def _lines(folder: Path, seed: str) -> dict[str, Any]:
    words = [word for check in CHECKS for word in ("--check", check)]
    assert _typed("demo", *words, "--seed", seed, "--output", str(folder))[0] == 0
    code, told = _typed("checklist", "--run", str(folder), "--format", "json", "--file", str(folder / "none.toml"))
    assert code == 1
    return {line["id"]: line for line in json.loads(told)["lines"]}


def _typed(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(words), prog_name="seatrial")
    return done.exit_code, done.stdout


def test_lints_read_the_tools_that_the_server_listed(runs: list[dict[str, Any]]) -> None:
    subjects = {remark["subject"] for remark in runs[0]["tools.example"]["remarks"]}
    assert "flood" in subjects and "quick" not in subjects
    assert runs[0]["tools.count"]["state"] == "not met"


def test_a_person_is_shown_what_the_tools_returned_and_how_they_failed(runs: list[dict[str, Any]]) -> None:
    assert "isError: deliberate failure" in runs[0]["errors.retryable"]["shown"]
    assert any(text.startswith("have effects: ") for text in runs[0]["bounds.read-write"]["shown"])


def test_a_check_that_was_not_selected_is_not_decided(runs: list[dict[str, Any]]) -> None:
    assert (runs[0]["long.cancel"]["asked"], runs[0]["long.cancel"]["state"]) == ("auto", "not decided")


def test_an_unchanged_server_shows_a_signer_the_same_facts_again(runs: list[dict[str, Any]]) -> None:
    first, again = ({name: line["digest"] for name, line in lines.items()} for lines in runs)
    assert first == again
