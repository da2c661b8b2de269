"""A whole measurement, on cases of the bundled server: one that is recognised, and some that do not play along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(300)
SERVER = """
import runpy, sys
broken = ["--break", "cancel.swallowed"] if sys.argv[1] == "bad" else []
sys.argv = ["reference", "mcp", "--stdio", *broken]
runpy.run_module("seatrial.fixtures.reference", run_name="__main__")
"""
CRASHES = "raise SystemExit(7)"
NEVER_ANSWERS = "import sys; [None for _ in sys.stdin]"
SLOW = 'tool slow {"seconds": "{seconds}", "key": "{key}"}: reports progress'


def case(root: Path, name: str, program: str, **changed: Any) -> None:
    """A case folder whose server runs on our own interpreter; its environment has no packages."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "server.py").write_text(program, "utf-8")
    for side in ("bad", "fixed"):
        (folder / f"pins-{side}.txt").write_text(f"# {side}\n", "utf-8")
    table = {
        "protocol": "mcp",
        "spec_versions": ["2025-11-25"],
        "binding": "stdio",
        "registry": "pypi",
        "python": None,
        "start": [sys.executable, "{dir}/server.py", "{side}"],
        "env": {},
        "url": None,
        "suite": "cancellation",
        "strength": "should",
        "requirements": ["mcp.can.stops-work"],
        "stimuli": {"slow": SLOW, "witness": 'tool probe {"key": "{key}"}'},
    }
    (folder / "case.json").write_text(json.dumps(table | changed), "utf-8")


def measure(cases: Path, place: Path, *words: str) -> tuple[dict[tuple[str, str], str], str]:
    """Outcome per case and side, and what was printed."""
    out = place / "recall.json"
    where = ["--cases", str(cases), "--out", str(out), "--cache", str(place / "cache")]
    command = [sys.executable, "-m", "seatrial.fixtures.recall", *where, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text("utf-8"))["entries"]
    return {(row["case"], row["side"]): row["outcome"] for row in rows}, done.stdout


def test_a_broken_server_is_recognised_and_the_whole_one_is_clean(tmp_path: Path) -> None:
    case(tmp_path / "cases", "group/forgets", SERVER)
    outcomes, said = measure(tmp_path / "cases", tmp_path)
    assert outcomes == {("forgets", "bad"): "recognised", ("forgets", "fixed"): "clean"}, said
    again = measure(tmp_path / "cases", tmp_path)[1]
    assert "recognised      forgets" not in again
    assert "1 (100 %)" in again


def test_servers_that_do_not_play_along_neither_hang_nor_count_as_recognised(tmp_path: Path) -> None:
    case(tmp_path / "cases", "crashes", CRASHES)
    case(tmp_path / "cases", "never-answers", NEVER_ANSWERS)
    case(tmp_path / "cases", "foreign", CRASHES, protocol="pigeon")
    case(tmp_path / "cases", "unnamed", CRASHES, requirements=[])
    outcomes, said = measure(tmp_path / "cases", tmp_path, "--side", "bad", "--limit", "6")
    assert outcomes["foreign", "bad"] == "not spoken"
    assert outcomes["unnamed", "bad"] == "no requirement"
    assert {outcomes["crashes", "bad"], outcomes["never-answers", "bad"]} <= {"missed", "not run"}, said


def test_a_keyword_selects(tmp_path: Path) -> None:
    case(tmp_path / "cases", "one", CRASHES, requirements=[])
    case(tmp_path / "cases", "two", CRASHES, requirements=[])
    assert list(measure(tmp_path / "cases", tmp_path, "-k", "two", "--side", "bad")[0]) == [("two", "bad")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--cases", "nowhere"], "no case folders in nowhere"),
        (["--cases", "{cases}", "-k", "three"], "no case has 'three' in its name"),
    ],
)
def test_a_wrong_word_is_one_sentence(tmp_path: Path, words: list[str], said: str) -> None:
    case(tmp_path / "cases", "one", CRASHES)
    command = [sys.executable, "-m", "seatrial.fixtures.recall"]
    filled = [word.replace("{cases}", str(tmp_path / "cases")) for word in words]
    done = subprocess.run([*command, *filled], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_case_that_lacks_a_key_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "half"
    folder.mkdir(parents=True)
    (folder / "case.json").write_text('{"protocol": "mcp"}', "utf-8")
    command = [sys.executable, "-m", "seatrial.fixtures.recall", "--cases", str(tmp_path / "cases")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "the key 'spec_versions' is missing" in done.stderr) == (2, True)
