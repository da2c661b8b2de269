"""`seatrial diff`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seatrial.engine import Unreachable
from seatrial.model import Reason, Verdict

from .conftest import CHECK, Engine, Invoke, Verdicts

URL = "http://127.0.0.1:9/mcp"
CASE = f"target/{CHECK.id}[2025-06-18,stdio,0]"
PASSED: Verdicts = [(Verdict.PASS, None)]
FAILED: Verdicts = [(Verdict.FAIL, None)]
UNJUDGED: Verdicts = [(Verdict.PASS, None), (Verdict.INCONCLUSIVE, Reason.DEADLINE)]


@pytest.fixture(autouse=True)
def runs(engine: Engine, invoke: Invoke) -> None:
    """Folders of runs, by how they went."""
    for name, verdicts in (("passed", PASSED), ("failed", FAILED), ("unjudged", UNJUDGED)):
        engine.verdicts = verdicts
        invoke("run", "--output", name, URL)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("passed", "failed"), 1, f"Regressions\n  PASS           -> FAIL           {CASE}\n"),
        (("failed", "passed"), 0, f"Improvements\n  FAIL           -> PASS           {CASE}\n"),
        (("failed", "failed/report.json"), 0, "regression: 0, accepted: 0, improvement: 0, new: 0, gone: 0\n"),
        (("passed", "unjudged"), 0, "New cases\n  -              -> INCONCLUSIVE"),
        (("passed", "unjudged", "--strict"), 1, "Regressions\n  -              -> INCONCLUSIVE"),
        (("unjudged", "passed"), 0, "Gone cases\n  INCONCLUSIVE   -> -"),
    ],
)
def test_only_regressions_fail(invoke: Invoke, words: tuple[str, ...], code: int, told: str) -> None:
    result = invoke("diff", *words)
    assert (result.exit_code, told in result.output) == (code, True), result.output


def test_the_newest_run_is_compared_where_none_is_named(engine: Engine, invoke: Invoke) -> None:
    engine.verdicts = FAILED
    invoke("run", URL)
    assert invoke("diff", "passed").exit_code == 1


def test_a_failure_that_the_baseline_accepts_is_no_regression(engine: Engine, invoke: Invoke) -> None:
    invoke("baseline", "update", "failed", "--reason", "known", "--owner", "me")
    engine.verdicts = FAILED
    invoke("run", "--output", "accepted", URL)
    result = invoke("diff", "passed", "accepted")
    assert (result.exit_code, "Worse, but accepted by the baseline\n" in result.output) == (0, True)


def test_programs_read_json(invoke: Invoke) -> None:
    found = json.loads(invoke("diff", "passed", "failed", "--format", "json").stdout)
    assert found["schema"] == "seatrial.diff/1"
    assert found["counts"] == {"regression": 1, "accepted": 0, "improvement": 0, "new": 0, "gone": 0}
    (change,) = found["changes"]
    assert (change["case"], change["base"]["verdict"], change["head"]["verdict"]) == (CASE, "PASS", "FAIL")


def test_a_pull_request_gets_markdown(invoke: Invoke) -> None:
    told = invoke("diff", "passed", "failed", "--format", "markdown").stdout
    assert "## Regressions\n\n| case | base | head | breaks | actual |\n" in told
    assert f"\n| `{CASE}` | PASS | FAIL |" in told


def test_runs_that_cannot_be_compared_are_refused(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "seatrial.toml").write_text(f'[target.shop]\nurl = "{URL}"\n')
    invoke("run", "--output", "shop", "shop")
    result = invoke("diff", "passed", "shop")
    assert result.exit_code == 2
    assert (
        "passed/report.json is of target, shop/report.json of shop; compare runs of targets with the" in result.output
    )
    engine.failure = Unreachable(f"{URL} refuses the connection")
    invoke("run", "--output", "gone", URL)
    result = invoke("diff", "passed", "gone")
    assert result.exit_code == 2
    assert f"gone/report.json cannot be compared: {URL} refuses the connection; make that run again" in result.output
    assert "nowhere cannot be read" in invoke("diff", "nowhere").output
