"""Which cases a command line asks for, and what an earlier run has to do with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from seatrial.discovery import load_suites
from seatrial.model import Verdict
from seatrial.planning import Shard

from .conftest import CHECK, Engine, Invoke

URL = "http://127.0.0.1:9/mcp"
FAILED = f"target/{CHECK.id}[2025-06-18,stdio,1]"


@pytest.fixture
def earlier(engine: Engine, invoke: Invoke) -> None:
    """A run of three cases, of which the second failed and the third is only a WARN."""
    engine.verdicts = [(Verdict.PASS, None), (Verdict.FAIL, None), (Verdict.WARN, None)]
    assert invoke("run", URL).exit_code == 1


def test_what_failed_last_time_alone_or_first(engine: Engine, invoke: Invoke, earlier: None) -> None:
    invoke("run", URL, "--lf")
    assert engine.options and engine.options.selection.cases == {FAILED}
    invoke("run", URL, "--failed-first")
    assert engine.options.selection.cases == frozenset()
    assert engine.options.first == {FAILED}


def test_a_warning_has_failed_where_it_fails_the_run(engine: Engine, invoke: Invoke, earlier: None) -> None:
    invoke("run", URL, "--lf", "--strict")
    assert engine.options and len(engine.options.selection.cases) == 2


def test_another_run_than_the_last_can_be_named(engine: Engine, invoke: Invoke, earlier: None, place: Path) -> None:
    folder = (place / ".seatrial/last").read_text().strip()
    engine.verdicts = [(Verdict.PASS, None)]
    invoke("run", URL)
    result = invoke("run", URL, "--lf")
    assert engine.options and engine.options.selection.cases == frozenset()
    assert "nothing failed in .seatrial/runs/" in result.stderr and "every case is run" in result.stderr
    invoke("run", URL, "--lf", "--from", folder)
    assert engine.options.selection.cases == {FAILED}


def test_what_a_monitor_saw_is_done_again_with_it(engine: Engine, invoke: Invoke, earlier: None, place: Path) -> None:
    folder = place / (place / ".seatrial/last").read_text().strip()
    told = json.loads((folder / "report.json").read_text())
    seen = {"expected": "one", "actual": "two", "records": [7], "requirement": "", "soft": False}
    told["findings"][1]["violations"] = [seen]
    (folder / "report.json").write_text(json.dumps(told))
    shower = f"target/{CHECK.id}[2025-06-18,stdio,0]"
    record = {"record": 7, "case": shower, "time": 0, "kind": "note", "operation": "", "data": {}}
    (folder / "evidence.jsonl").write_text(json.dumps(record) + "\n")
    invoke("run", URL, "--lf")
    assert engine.options and engine.options.selection.cases == {FAILED, shower}


def test_options_of_scale_reach_the_engine(engine: Engine, invoke: Invoke) -> None:
    invoke("run", URL, "--repeat", "3", "--shard", "2/4", "--maxfail", "5", "--requirement", "mcp.can.*")
    found = engine.options
    assert found and (found.repeat, found.shard, found.maxfail) == (3, Shard(2, 4), 5)
    assert found.selection.requirements == ("mcp.can.*",)
    invoke("run", URL, "-x", "--maxfail", "5")
    assert engine.options and engine.options.maxfail == 1


def test_the_slowest_cases_are_shown_on_demand(engine: Engine, invoke: Invoke) -> None:
    engine.verdicts = [(Verdict.PASS, None)] * 3
    told = invoke("run", URL, "--durations", "2").stdout
    assert told.split("Slowest cases\n")[1].split("\n\n")[0].count(f" s  target/{CHECK.id}") == 2
    assert "Slowest cases" not in invoke("run", URL).stdout


REFUSED: list[tuple[list[str], str]] = [
    (["--lf"], "there is no earlier run here (.seatrial/last is missing); name the folder of one"),
    (["--lf", "--from", "nowhere"], "nowhere cannot be read"),
    (["--from", "."], "--from names a run for --last-failed or --failed-first; add one of them"),
    (["--shard", "0/4"], "'0/4' is no part; write it as 2/4: the second of four"),
    (["--shard", "5/4"], "'5/4' is no part"),
    (["--shard", "two"], "'two' is no part"),
    (["--repeat", "0"], "0 is not in the range 1<=x<=1000"),
    (["--maxfail", "0"], "0 is not in the range x>=1"),
    (["--requirement", "mcp.can.zzz*"], 'unknown requirement "mcp.can.zzz*"'),
    (["-k", "cancel and"], "-k 'cancel and'"),
    (["-k", "not cancel"], "no check is selected; seatrial list shows all of them"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_a_selection_that_cannot_be_made_is_one_sentence(
    engine: Engine, invoke: Invoke, words: list[str], said: str
) -> None:
    result = invoke("run", URL, *words)
    assert (result.exit_code, engine.options) == (2, None)
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_the_run_of_another_target_is_refused(engine: Engine, invoke: Invoke, earlier: None, place: Path) -> None:
    (place / "seatrial.toml").write_text(f'[target.shop]\nurl = "{URL}"\n')
    result = invoke("run", "--lf")
    assert result.exit_code == 2
    assert "the earlier run was one of target, not of shop; name its run by --from" in result.stderr


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr("seatrial.cli.catalogue.load_suites", load_suites)
    return load_suites


def test_a_run_that_finds_no_case_is_no_success(invoke: Invoke, real: Callable[..., Any], place: Path) -> None:
    words = ("demo", "--check", "mcp.can.close-is-cancel", "--protocol-version", "2025-06-18", "--output", "out")
    result = invoke(*words, "--report", "junit=-")
    assert result.exit_code == 3
    said = "nothing was run: no case that was asked for applies"
    assert said in result.stderr and said in result.stdout and said in (place / "out/report.md").read_text()


DEMO = ("demo", "--break", "init.server-without-version", "-k", "mcp.cap.init", "--concurrency", "1")


def test_a_run_that_stops_at_the_first_failure_says_so_and_what_failed_is_run_again(
    invoke: Invoke, real: Callable[..., Any], place: Path
) -> None:
    result = invoke(*DEMO, "-x")
    assert result.exit_code == 1, result.output
    folder = place / (place / ".seatrial/last").read_text().strip()
    report = json.loads((folder / "report.json").read_text())
    unjudged = sum(found["reason"] == "interrupted" for found in report["findings"])
    said = f"stopped after 1 failure: {unjudged} of {len(report['findings'])} cases were not judged"
    assert said in result.stdout and said in (folder / "report.md").read_text()
    assert unjudged and not report["summary"]["complete"]
    failed = [found["case"] for found in report["findings"] if found["verdict"] == "FAIL"]
    assert len(failed) == 1
    assert invoke(*DEMO, "--lf", "--report", "json=again.json").exit_code == 1
    again = json.loads((place / "again.json").read_text())["findings"]
    assert failed == [found["case"] for found in again if found["verdict"] == "FAIL"]
    assert len(again) < len(report["findings"])
