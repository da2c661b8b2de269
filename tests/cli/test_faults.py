"""`--faults`: what surrounds a run, from the command line to the report and back."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from seatrial.faults import cut, drop_response

from .conftest import Engine, Invoke

URL = "http://127.0.0.1:9/mcp"
PLAN = (cut(on="tools/call"), drop_response(on="tools/list"))


def test_a_text_reaches_the_engine(engine: Engine, invoke: Invoke) -> None:
    assert invoke("run", URL, "--faults", "; ".join(map(str, PLAN))).exit_code == 0
    assert engine.options is not None
    assert (engine.options.profile, engine.options.plan) == ("plan", PLAN)


def test_a_file_reaches_the_engine_under_its_stem(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "night.txt").write_text("\n".join(map(str, PLAN)))
    assert invoke("run", URL, "--faults", "night.txt").exit_code == 0
    assert engine.options is not None
    assert (engine.options.profile, engine.options.plan) == ("night", PLAN)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("nosuch", "--faults: there is no file 'nosuch'"),
        ("cut(speed=1)", "--faults: line 1: cut has no 'speed'"),
        ("bad.txt", "--faults: bad.txt: line 2: unknown fault 'cot'; did you mean cut"),
    ],
)
def test_a_bad_plan_is_one_sentence_and_code_2(invoke: Invoke, place: Path, written: str, hint: str) -> None:
    (place / "bad.txt").write_text("latency()\ncot()\n")
    refused = invoke("run", URL, "--faults", written)
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
    assert hint in refused.output


def test_a_rerun_repeats_the_plan_and_not_what_its_file_says_now(engine: Engine, invoke: Invoke, place: Path) -> None:
    """The stand-in tells nothing of the plan: the report gets it as the engine tells it."""
    invoke("run", URL, "--output", "out")
    report = json.loads((place / "out/report.json").read_text())
    report["findings"][0]["fault_profile"] = "night"
    report["options"] |= {"profile": "night", "faults": list(map(str, PLAN))}
    (place / "out/report.json").write_text(json.dumps(report))
    (place / "night.txt").write_text("latency()")
    again = invoke("rerun", "out", "night")
    assert again.exit_code == 0, again.output
    assert "; ".join(map(str, PLAN)) in shlex.split(again.stderr.splitlines()[0])
    assert engine.options is not None
    assert engine.options.plan == PLAN


@pytest.mark.parametrize("format", ["markdown", "html", "text"])
def test_a_report_shows_what_surrounded_its_run(engine: Engine, invoke: Invoke, place: Path, format: str) -> None:
    invoke("run", URL, "--output", "out")
    report = json.loads((place / "out/report.json").read_text())
    report["options"] |= {"profile": "plan", "faults": ["cut(times=3)"]}
    (place / "out/report.json").write_text(json.dumps(report))
    assert invoke("report", "out", "--report", f"{format}=told").exit_code == 0
    assert "cut(times=3)" in (place / "told").read_text()
