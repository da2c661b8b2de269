"""The GitLab template: its script, run as a GitLab runner runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import junitparser
import pytest
import yaml

from .steps import ROOT

TEMPLATE = ROOT / "ci" / "gitlab.yml"
JOB: dict[str, Any] = yaml.safe_load(TEMPLATE.read_text("utf-8"))[".seatrial"]
ONE = "--check mcp.cap.init-result-shape --protocol-version 2025-11-25"


def run(repository: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script in the shell of the image, with Seatrial installed."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    own = {**JOB["variables"], **variables, "PATH": path, "HOME": str(repository)}
    script = "\n".join(JOB["script"])
    return subprocess.run(["sh", "-e", "-c", script], cwd=repository, env=own, capture_output=True, text=True)


def test_the_template_is_one() -> None:
    words = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.gitlab-ci", str(TEMPLATE))
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_job_of_the_comment_extends_it() -> None:
    lines = [line.removeprefix("#   ") for line in TEMPLATE.read_text("utf-8").splitlines() if line.startswith("#   ")]
    (job, *_), allowed = yaml.safe_load("\n".join(lines[:-1])).values(), yaml.safe_load(lines[-1])
    assert job["extends"] in yaml.safe_load(TEMPLATE.read_text("utf-8"))
    assert set(job["variables"]) <= set(JOB["variables"])
    assert allowed == {"allow_failure": {"exit_codes": [3]}}


@pytest.mark.parametrize(("server", "code", "failures"), [("sound", 0, 0), ("broken", 1, 1)])
def test_the_exit_code_is_that_of_the_run_and_junit_is_left(
    request: pytest.FixtureRequest, repository: Path, server: str, code: int, failures: int
) -> None:
    done = run(repository, SEATRIAL_TARGET=request.getfixturevalue(server), SEATRIAL_ARGS=ONE)
    assert done.returncode == code, done.stdout + done.stderr
    artifacts = JOB["artifacts"]
    report = repository / artifacts["reports"]["junit"]
    assert report.is_relative_to(repository / artifacts["paths"][0])
    assert (junitparser.JUnitXml.fromfile(str(report)).failures, artifacts["when"]) == (failures, "always")


def test_without_a_target_the_only_one_of_the_configuration_is_run(repository: Path, sound: str) -> None:
    (repository / "seatrial.toml").write_text(f'[target.shop]\nurl = "{sound}"\n')
    done = run(repository, SEATRIAL_ARGS=ONE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "shop" in done.stdout
