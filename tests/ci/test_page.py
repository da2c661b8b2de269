"""What docs/ci.md shows: files that their readers accept, and that use what exists."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from seatrial.matrix import Exit

from ..docs.pages import blocks, rows
from .steps import ACTION, ROOT

PAGE = ROOT / "docs" / "ci.md"
WORKFLOW, JOB, HOOKS = blocks(PAGE, "yaml")


def accepted(*words: str | Path) -> None:
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("text", "kind"), [(WORKFLOW, "github-workflows"), (JOB, "gitlab-ci")])
def test_the_official_schemas_accept_the_files(text: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "file.yml").write_text(text)
    accepted("check_jsonschema", "--builtin-schema", f"vendor.{kind}", tmp_path / "file.yml")


def test_pre_commit_accepts_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(HOOKS)
    accepted("pre_commit", "validate-config", tmp_path / "config.yaml")
    (used,) = yaml.safe_load(HOOKS)["repos"][0]["hooks"]
    assert used["id"] in [hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))]


def test_the_workflow_uses_inputs_and_outputs_of_the_action() -> None:
    steps: list[dict[str, Any]] = yaml.safe_load(WORKFLOW)["jobs"]["seatrial"]["steps"]
    (step,) = (step for step in steps if step.get("id") == "seatrial")
    assert set(step["with"]) <= set(ACTION["inputs"])
    told = WORKFLOW.split("steps.seatrial.outputs.")[1:]
    assert {text.split()[0].rstrip("}") for text in told} <= set(ACTION["outputs"])


def test_every_input_and_output_has_a_row() -> None:
    assert [row[0] for row in rows(PAGE, "input")] == list(ACTION["inputs"])
    told = [name for row in rows(PAGE, "output") for name in row[0].replace("`", "").split(", ")]
    assert told == list(ACTION["outputs"])


def test_the_job_extends_the_template() -> None:
    template = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text("utf-8"))
    read = yaml.safe_load(JOB)
    assert read["include"][0]["file"] == "ci/gitlab.yml"
    assert set(read["conformance"]["variables"]) <= set(template[read["conformance"]["extends"]]["variables"])


def test_every_exit_code_has_a_row() -> None:
    assert [int(row[0]) for row in rows(PAGE, "code")] == sorted(code.value for code in Exit)
