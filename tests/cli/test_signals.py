"""Ctrl-C in the middle of a run, as a shell sends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

SUITE = """
import anyio
from seatrial.model import Check, Level, Requirement, Suite

ROW = Requirement("mine.waits", "mine", "mcp", Level.MUST, ("2025-11-25",), ("stdio",), "robustness", "It waits.")


async def waits(lab):
    async with lab.session():
        await anyio.sleep_forever()


def suite():
    return Suite("mine", (Check(ROW.id, "It waits", (ROW.id,), waits),), (ROW,))
"""


def test_ctrl_c_leaves_a_partial_report_and_no_process(place: Path) -> None:
    (place / "waiting.py").write_text(SUITE)
    pid = place / "pid"
    server = (
        f"import os, pathlib, runpy, sys; pathlib.Path({str(pid)!r}).write_text(str(os.getpid())); "
        "sys.argv[1:] = ['mcp', '--stdio']; runpy.run_module('seatrial.fixtures.reference', run_name='__main__')"
    )
    words = ["run", "--suites", "waiting.py", "--check", "mine.waits", "--output", "out", "--report", "jsonl=-"]
    command = [sys.executable, "-m", "seatrial", *words, "--", sys.executable, "-c", server]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    for line in running.stdout:
        if json.loads(line)["event"] == "case-started":
            break
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "Traceback" not in err
    assert json.loads(out.splitlines()[-1])["complete"] is False
    report = json.loads((place / "out/report.json").read_text())
    assert report["summary"]["complete"] is False
    assert [found["reason"] for found in report["findings"]] == ["interrupted"]
    assert ElementTree.parse(place / "out/junit.xml").getroot().get("errors") == "1"
    assert (place / "out/evidence.jsonl").read_text()
    assert "interrupted: 1 of 1 cases were not judged" in (place / "out/report.html").read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
