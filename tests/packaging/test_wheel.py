"""The wheel in a clean environment, in a folder of a user who has suites and a harness of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]


def run(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False)


def build(tmp_path: Path) -> Path:
    """The wheel of a copy, so that nothing of an earlier build gets into it."""
    ignored = shutil.ignore_patterns(".git", ".venv", ".tox", "build", "*.egg-info", "__pycache__", ".seatrial")
    shutil.copytree(ROOT, tmp_path / "source", ignore=ignored)
    done = run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", "dist", "./source", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "dist").glob("seatrial-*.whl")
    return wheel


def users_folder(tmp_path: Path) -> Path:
    """A working directory whose packages would break Seatrial if it took them for its own."""
    folder = tmp_path / "user"
    for name in ("suites", "harness", "fixtures", "reports"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("raise RuntimeError('the package of the user')\n", "utf-8")
    return folder


def test_the_wheel_runs_the_demo_beside_folders_of_the_same_names(tmp_path: Path) -> None:
    wheel = build(tmp_path)
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    installed = run(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    folder = users_folder(tmp_path)
    demo = run(python.with_name("seatrial"), "demo", cwd=folder)
    assert demo.returncode == 0, demo.stderr
    assert "cancellation" in demo.stdout
    origin = run(python, "-m", "seatrial", "--help", cwd=folder)
    assert origin.returncode == 0, origin.stderr
