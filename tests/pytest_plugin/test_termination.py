"""A session of pytest that is told to end."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from seatrial import free_port
from seatrial.fixtures.processes import accepts
from seatrial.kept import load

from .conftest import PLUGIN, Project

PATIENT = "mcp.can.no-response"
"""A check that waits for some seconds."""


def under_way(runs: Path, process: subprocess.Popen[bytes], within: float = 60.0) -> bool:
    """Whether the evidence of a run speaks of the case before the process ends, or time is up."""
    end = time.monotonic() + within
    while process.poll() is None and time.monotonic() < end:
        if any(PATIENT in file.read_text("utf-8") for file in runs.glob("*/evidence.jsonl")):
            return True
        time.sleep(0.02)
    return False


def test_a_terminated_session_ends_the_server_that_it_started_and_reports(project: Project) -> None:
    port = free_port()
    command = [sys.executable, "-m", "seatrial.fixtures.reference", "mcp", "--http", str(port)]
    slow = {"tool": "slow", "arguments": {"seconds": "{seconds}", "key": "{key}"}, "progress": True}
    project.describe(f"http://127.0.0.1:{port}/mcp", command=command, stimuli={"slow": slow})
    words = [sys.executable, "-m", "pytest", "-p", PLUGIN, "--seatrial", "seatrial.toml", "-k", PATIENT]
    runs = project.path / ".seatrial" / "runs"
    with subprocess.Popen(words, cwd=project.path, stdout=subprocess.PIPE) as process:
        try:
            begun = under_way(runs, process)
            process.terminate()
            told = process.communicate(timeout=60)[0].decode()
        finally:
            process.kill()
    assert begun, told
    assert process.returncode == pytest.ExitCode.INTERRUPTED, told
    (folder,) = runs.iterdir()
    assert not load(folder).finished.complete
    assert not accepts(port)
