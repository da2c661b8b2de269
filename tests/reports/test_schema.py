"""The promise about the JSON report: what real runs write has its shape, and the shape does not change unnoticed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from seatrial.cli import main
from seatrial.kept import load
from seatrial.model import Verdict
from seatrial.reports.json_report import SCHEMA, JsonReporter

from .report_samples import events, report

FEW = ("--check", "mcp.can.stops-work", "--protocol-version", "2025-11-25")
PROMISED = {
    "": {"schema", "seatrial", "target", "options", "summary", "requirements", "findings"},
    "target": {"name", "address", "server"},
    "options": {"seed", "evidence"},
    "summary": {"cases", "verdicts", "seconds", "complete", "failure"},
    "finding": {
        *("case", "target", "check", "title", "requirements", "suite", "level", "verdict", "version", "binding"),
        *("fault_profile", "expected", "actual", "violations", "notes", "records", "seconds", "rerun", "reason"),
        *("detail", "traceback"),
    },
    "violation": {"requirement", "expected", "actual", "records", "soft"},
    "requirement": {"id", "suite", "protocol", "level", "versions", "bindings", "spec", "title"},
}
"""The members of version 1. Whoever takes one away here makes a version 2."""


@cache
def shape() -> Any:
    return json.loads(resources.files("seatrial.reports").joinpath("report.schema.json").read_text("utf-8"))


def closed(part: Any) -> Any:
    """The shape without room for members that it does not describe."""
    if isinstance(part, list):
        return [closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    inner = {name: closed(each) for name, each in part.items()}
    return {"additionalProperties": False, **inner} if isinstance(part.get("properties"), dict) else inner


def written(folder: Path, *words: str) -> Any:
    """The report of a real run."""
    CliRunner().invoke(main, [*words, "--output", str(folder)], prog_name="seatrial")
    return json.loads((folder / "report.json").read_text("utf-8"))


def interrupted(folder: Path) -> Any:
    """The report of a run that was ended by Ctrl-C as soon as it had begun."""
    words = (sys.executable, "-m", "seatrial", "demo", "--output", str(folder), "--report", "jsonl=-")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if json.loads(line)["event"] == "case-started":
                break
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 130
    return json.loads((folder / "report.json").read_text("utf-8"))


RUNS: dict[str, Callable[[Path], Any]] = {
    "sound": lambda folder: written(folder, "demo", *FEW),
    "broken": lambda folder: written(folder, "demo", "--break", "cancel.swallowed", *FEW),
    "stopped": lambda folder: written(folder, "demo", "--break", "cancel.swallowed", "-x", *FEW),
    "repeated": lambda folder: written(folder, "demo", "--repeat", "2", "--shard", "1/2", "--durations", "3", *FEW),
    "unreachable": lambda folder: written(folder, "run", "http://127.0.0.1:1/mcp"),
    "interrupted": interrupted,
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_real_run_writes_what_is_described_and_nothing_else(run: Callable[[Path], Any], tmp_path: Path) -> None:
    found = run(tmp_path / "run")
    jsonschema.validate(found, closed(shape()), jsonschema.Draft202012Validator)
    assert len(found["findings"]) == found["summary"]["cases"]
    assert load(tmp_path / "run").finished.complete is found["summary"]["complete"]


def test_a_member_that_is_not_described_would_be_noticed() -> None:
    found = json.loads(report(JsonReporter, events()))
    found["summary"]["new"] = 1
    with pytest.raises(jsonschema.ValidationError, match="new"):
        jsonschema.validate(found, closed(shape()), jsonschema.Draft202012Validator)


@pytest.mark.parametrize("name", PROMISED)
def test_what_is_promised_stays(name: str) -> None:
    parts = {"": shape(), **shape()["properties"], **shape()["$defs"]}
    assert PROMISED[name] <= set(parts[name]["required"])
    assert PROMISED[name] <= set(parts[name]["properties"])


def test_the_version_is_the_same_everywhere() -> None:
    assert shape()["properties"]["schema"] == {"const": SCHEMA}
    assert shape()["$id"] == "urn:" + SCHEMA.replace(".", ":").replace("/", ":")


def test_the_verdicts_are_all_there_are() -> None:
    assert set(shape()["properties"]["summary"]["properties"]["verdicts"]["required"]) == set(Verdict)
    assert set(shape()["$defs"]["finding"]["properties"]["verdict"]["enum"]) == set(Verdict)


def test_a_report_with_members_of_a_later_seatrial_is_read(tmp_path: Path) -> None:
    found = json.loads(report(JsonReporter, events()))
    problem = {"kind": "stale", "place": "b.toml:3: accepted.1", "text": "is stale", "later": 1}
    found["summary"]["baseline"] = [problem]
    for part in (
        found,
        found["target"],
        found["options"],
        found["summary"],
        *found["requirements"],
        *found["findings"],
    ):
        part["later"] = {"a": 1}
    (tmp_path / "report.json").write_text(json.dumps(found))
    assert len(load(tmp_path).results) == len(found["findings"])
