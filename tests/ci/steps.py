"""A runner of composite actions, as small as our action needs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@dataclass(slots=True)
class Job:
    """Where the steps of a job run. `workspace` is the checked out repository, `temp` the runner's own folder."""

    workspace: Path
    temp: Path
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    log: str = ""

    def installed(self) -> Job:
        """With the Seatrial under test in the place where the first step puts it."""
        place = self.temp / "seatrial" / "bin"
        place.mkdir(parents=True)
        program = Path(sys.executable).with_name("seatrial")
        (place / "seatrial").write_text(f'#!/bin/sh\nexec "{program}" "$@"\n')
        (place / "seatrial").chmod(0o755)
        return self

    def step(self, name: str, inputs: Mapping[str, str], path: str = os.environ["PATH"]) -> int:
        """Run one step of the action as `shell: bash` does: its exit code. What it wrote is kept."""
        (step,) = (step for step in ACTION["runs"]["steps"] if step["name"] == name)
        given = {key: value.get("default", "") for key, value in ACTION["inputs"].items()} | dict(inputs)
        own = {key: _evaluated(text, given) for key, text in step["env"].items()}
        files = {key: self.temp / key for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.touch()
        script = self.temp / "step.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={"PATH": path, "HOME": str(self.temp), "RUNNER_TEMP": str(self.temp), **own, **_texts(files)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.log = done.stdout
        lines = files["GITHUB_OUTPUT"].read_text().splitlines()
        self.outputs = dict(line.split("=", 1) for line in lines)
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text()
        return done.returncode


def _texts(files: Mapping[str, Path]) -> dict[str, str]:
    return {key: str(path) for key, path in files.items()}


def _evaluated(text: str, inputs: Mapping[str, str]) -> str:
    """A text with its expressions `inputs.NAME`, `github.action_path` and `A || B`."""
    known = {**{f"inputs.{name}": value for name, value in inputs.items()}, "github.action_path": str(ROOT)}
    return _EXPRESSION.sub(lambda match: next(filter(None, map(known.__getitem__, match[1].split(" || "))), ""), text)
