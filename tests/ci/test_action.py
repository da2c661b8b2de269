"""The GitHub action: its steps, run as a runner runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import junitparser
import pytest

from .steps import ACTION, ROOT, Job

ONE = "--check mcp.cap.init-result-shape --protocol-version 2025-11-25"


@pytest.fixture
def job(repository: Path, tmp_path: Path) -> Job:
    (tmp_path / "temp").mkdir()
    return Job(repository, tmp_path / "temp").installed()


def run(job: Job, **inputs: str) -> int:
    return job.step("Run the checks", inputs)


def test_the_action_is_one() -> None:
    words = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_input_is_part_of_a_script() -> None:
    assert not [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step["run"]]


@pytest.mark.parametrize("step", ACTION["runs"]["steps"], ids=lambda step: step["name"])
def test_a_script_has_no_pitfalls(step: dict[str, Any]) -> None:
    checker = Path(sys.executable).with_name("shellcheck")
    done = subprocess.run(
        [checker, "--shell=bash", "-"], input=step["run"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_output_is_one_that_a_step_sets(job: Job, sound: str) -> None:
    run(job, target=sound, args=ONE)
    assert {f"${{{{ steps.run.outputs.{name} }}}}" for name in job.outputs} == {
        output["value"] for output in ACTION["outputs"].values()
    }
    assert set(job.outputs) == set(ACTION["outputs"])


def test_a_sound_server_passes(job: Job, sound: str) -> None:
    assert run(job, target=sound, args=ONE) == 0, job.log
    assert job.outputs["exit-code"] == "0"
    assert not re.search("^::(error|warning)", job.log, re.M)
    assert "| **capability\\_negotiation** | 1/1 |" in job.summary


def test_a_broken_server_fails_and_is_told_everywhere(job: Job, broken: str, repository: Path) -> None:
    assert run(job, target=broken, args=ONE) == 1, job.log
    assert job.outputs["exit-code"] == "1"
    assert re.search("^::error title=FAIL mcp.cap.init-result-shape .*,file=seatrial.toml,line=1::", job.log, re.M)
    assert "<b>FAIL</b> mcp.cap.init-result-shape" in job.summary
    sarif = json.loads((repository / job.outputs["sarif"]).read_text("utf-8"))
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} == {"mcp.cap.init-result-shape"}
    assert junitparser.JUnitXml.fromfile(str(repository / job.outputs["junit"])).failures == 1
    assert (repository / job.outputs["html"]).read_text("utf-8").startswith("<!doctype html>")


def test_a_target_of_the_configuration(job: Job, sound: str, repository: Path) -> None:
    (repository / "ci").mkdir()
    (repository / "ci" / "sea trial.toml").write_text(f'[target.shop]\nurl = "{sound}"\n')
    assert run(job, config="ci/sea trial.toml", target="shop", args=ONE, output="ci/a run") == 0, job.log
    assert (repository / job.outputs["folder"] / "evidence.jsonl").exists()
    assert job.outputs["folder"] == "ci/a run"


def test_a_command_whose_words_are_quoted(job: Job) -> None:
    python = f"'{sys.executable}'"
    assert run(job, command=f'{python} -m "seatrial.fixtures.reference" mcp --stdio', args=ONE) == 0, job.log


def test_an_input_is_no_script(job: Job, repository: Path, sound: str) -> None:
    assert run(job, target=f"{sound}$(touch leaked)`touch leaked`;touch leaked", args="--check '$(touch leaked)'") == 2
    assert not list(repository.rglob("leaked"))


def test_words_that_end_in_the_middle_of_quotes_are_not_run(job: Job, sound: str) -> None:
    assert run(job, target=sound, args="--check 'mcp") != 0
    assert "quote" in job.log
    assert not (job.workspace / "seatrial-run").exists()


@pytest.mark.parametrize(
    ("inputs", "code"),
    [({"target": "http://127.0.0.1:1/mcp"}, 4), ({}, 2), ({"target": "http://127.0.0.1:1/", "args": "--nosuch"}, 2)],
)
def test_what_was_not_run_is_an_error(job: Job, inputs: dict[str, str], code: int) -> None:
    assert run(job, **inputs) == code
    assert job.outputs["exit-code"] == str(code)
    assert re.search("^::error title=Seatrial", job.log, re.M)
    assert bool(job.summary) is ("sarif" in job.outputs) is (code == 4)


def test_an_old_python_is_told_in_one_sentence(job: Job, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "python3").write_text("#!/bin/sh\nexit 1\n")
    (old / "python3").chmod(0o755)
    assert job.step("Install Seatrial", {}, path=f"{old}:/usr/bin:/bin") == 2
    assert (
        job.log == "::error title=Seatrial::Seatrial needs Python 3.11 or newer; put actions/setup-python before it\n"
    )


@pytest.mark.wheel
@pytest.mark.timeout(600)
def test_the_action_installs_what_it_comes_with(repository: Path, tmp_path: Path, sound: str) -> None:
    (tmp_path / "fresh").mkdir()
    job = Job(repository, tmp_path / "fresh")
    assert job.step("Install Seatrial", {}, path=f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin") == 0, job.log
    assert run(job, target=sound, args=ONE) == 0, job.log
