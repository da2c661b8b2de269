"""The pre-commit hook, run by pre-commit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from .steps import ROOT

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOK: dict[str, Any] = yaml.safe_load(MANIFEST.read_text("utf-8"))[0]
GOOD = '[target.shop]\nurl = "http://127.0.0.1:8080/mcp"\nheaders = { Authorization = "Bearer ${SHOP_TOKEN}" }\n'
BAD = '[target.shop]\nurl = "http://127.0.0.1:8080/mcp"\nstimulii = {}\n'


def called(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A program of this environment, in a home of its own."""
    home = {"HOME": str(cwd), "PRE_COMMIT_HOME": str(cwd / ".cache"), "GIT_CONFIG_GLOBAL": os.devnull}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SHOP_"))}
    return subprocess.run(words, cwd=cwd, env={**kept, **home, "PATH": path}, capture_output=True, text=True)


@pytest.fixture
def repository(repository: Path) -> Path:
    """A repository that uses the hook from the environment of the test: nothing is installed."""
    called("git", "init", "--quiet", cwd=repository)
    hook = {**HOOK, "language": "system"}
    local = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(local))
    return repository


def committed(repository: Path, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    called("git", "add", "--all", cwd=repository)
    return called("pre-commit", "run", cwd=repository)


def test_the_manifest_is_one(repository: Path) -> None:
    assert called("pre-commit", "validate-manifest", str(MANIFEST), cwd=repository).returncode == 0


@pytest.mark.parametrize("name", ["seatrial.toml", "services/seatrial.toml"])
def test_a_configuration_that_cannot_be_run_is_not_committed(repository: Path, name: str) -> None:
    done = committed(repository, **{name: BAD})
    assert done.returncode == 1
    assert f"{name}:3: target.shop.stimulii" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_good_configuration_is_committed_without_its_environment(repository: Path) -> None:
    done = committed(repository, **{"seatrial.toml": GOOD, "services/seatrial.toml": GOOD})
    assert (done.returncode, "Passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_other_files_are_not_looked_at(repository: Path) -> None:
    done = committed(repository, **{"pyproject.toml": BAD, "my-seatrial.toml": BAD})
    assert (done.returncode, "Skipped" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.wheel
@pytest.mark.timeout(600)
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout of git, which pre-commit would clone")
def test_pre_commit_installs_it_from_the_repository_of_seatrial(repository: Path) -> None:
    head = called("git", "rev-parse", "HEAD", cwd=ROOT).stdout.strip()
    used = {"repos": [{"repo": str(ROOT), "rev": head, "hooks": [{"id": HOOK["id"]}]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(used))
    done = committed(repository, **{"seatrial.toml": BAD})
    assert done.returncode == 1, done.stdout + done.stderr
    assert "seatrial.toml:3: target.shop.stimulii" in done.stdout
