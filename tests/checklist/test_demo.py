"""The list of a run of the engine itself, against the bundled server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main

CHECKS = ("mcp.cap.pagination-walk", "mcp.cap.tool-inputschema-object", "mcp.err.tool-failure-iserror")


WHO = ("--by", "the owner", "--note", "see the minutes")


def typed(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), prog_name="seatrial")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs of a few checks with different seeds."""
    made = [tmp_path_factory.mktemp("run") for _ in range(2)]
    words = [word for check in CHECKS for word in ("--check", check)]
    for seed, folder in enumerate(made):
        assert typed("demo", *words, "--seed", str(seed), "--output", str(folder)).exit_code == 0
    return made


@pytest.fixture(scope="module")
def runs(folders: list[Path]) -> list[dict[str, Any]]:
    """The lines of each run by id."""
    told = [typed("checklist", "--run", str(f), "--format", "json", "--file", str(f / "none.toml")) for f in folders]
    assert [each.exit_code for each in told] == [1, 1]
    return [{line["id"]: line for line in json.loads(each.stdout)["lines"]} for each in told]


def test_lints_read_the_tools_that_the_server_listed(runs: list[dict[str, Any]]) -> None:
    subjects = {remark["subject"] for remark in runs[0]["tools.example"]["remarks"]}
    assert "flood" in subjects and "quick" not in subjects
    assert runs[0]["tools.count"]["state"] == "not met"


def test_a_person_is_shown_what_the_tools_returned_and_how_they_failed(runs: list[dict[str, Any]]) -> None:
    assert "isError: deliberate failure" in runs[0]["errors.retryable"]["shown"]
    assert any(text.startswith("have effects: ") for text in runs[0]["bounds.read-write"]["shown"])


def test_a_check_that_was_not_selected_is_not_decided(runs: list[dict[str, Any]]) -> None:
    assert (runs[0]["long.cancel"]["asked"], runs[0]["long.cancel"]["state"]) == ("auto", "not decided")


@pytest.mark.parametrize("more", [(), ("--waive",)])
def test_a_run_that_left_out_what_is_signed_is_not_enough(more: tuple[str, ...], folders: list[Path]) -> None:
    run = ("--run", str(folders[0]), "--file", str(folders[0] / "signed.toml"))
    refused = typed("checklist", "sign", "long.cancel", *WHO, *more, *run)
    assert (refused.exit_code, "the run left out checks of long.cancel" in refused.stderr) == (2, True)
    assert typed("checklist", "sign", "peer.least", *WHO, *more, *run).exit_code == 0


def test_an_unchanged_server_shows_a_signer_the_same_facts_again(runs: list[dict[str, Any]]) -> None:
    first, again = ({name: line["digest"] for name, line in lines.items()} for lines in runs)
    assert first == again
