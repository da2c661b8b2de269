"""`seatrial rerun` and `seatrial report`: an earlier run, told again and repeated."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from seatrial.model import Reason, Verdict
from seatrial.transcript import Kind, Record, encode

from .conftest import Engine, Invoke

URL = "http://127.0.0.1:9/mcp"


@pytest.fixture
def run(engine: Engine, invoke: Invoke, place: Path) -> Path:
    """The folder of a run with a FAIL and an INCONCLUSIVE."""
    engine.verdicts = [(Verdict.FAIL, None), (Verdict.INCONCLUSIVE, Reason.NO_STIMULUS)]
    assert invoke("run", URL, "--seed", "7", "--output", "out").exit_code == 1
    report = json.loads((place / "out/report.json").read_text())
    for found, profile in zip(report["findings"], ("none", "benign"), strict=True):
        found["fault_profile"] = profile
    (place / "out/report.json").write_text(json.dumps(report))
    return place / "out"


NONE = "target/mcp.can.stops-work[2025-06-18,stdio,none]"


def keep(run: Path, case: str, *sent: dict[str, Any]) -> None:
    """Write these requests of a case into the evidence of the run."""
    records = (Record(number, 0.0, Kind.SENT, "post:1", data) for number, data in enumerate(sent, start=1))
    (run / "evidence.jsonl").write_text("".join(f"{encode(record, case)}\n" for record in records))


def test_a_run_is_told_again_as_it_was(engine: Engine, invoke: Invoke, place: Path) -> None:
    engine.verdicts = [(Verdict.FAIL, None), (Verdict.INCONCLUSIVE, Reason.NO_STIMULUS)]
    invoke("run", URL, "--output", "out")
    again = invoke("report", "out/report.json", "--report", "html=new/a.html", "--report", "markdown=a.md")
    assert (again.exit_code, again.output) == (0, "")
    assert (place / "a.md").read_text() == (place / "out/report.md").read_text()
    assert (place / "new/a.html").read_text().startswith("<!doctype html>")


def test_without_a_report_the_matrix_is_shown_but_no_progress(run: Path, invoke: Invoke) -> None:
    told = invoke("report", "out")
    assert told.exit_code == 0
    assert "FAIL 1" in told.stdout
    assert "2 cases, seed 7" in told.stdout
    assert " of 2 cases" not in told.stdout


def test_the_newest_run_is_told_where_none_is_named(engine: Engine, invoke: Invoke) -> None:
    nothing = invoke("report")
    assert (nothing.exit_code, "name the folder of one" in nothing.output) == (2, True)
    invoke("run", URL, "--seed", "11")
    assert "seed 11" in invoke("report").stdout


def test_reports_go_to_standard_output_too(run: Path, invoke: Invoke) -> None:
    assert json.loads(invoke("report", "out", "--report", "json=-").stdout)["summary"]["cases"] == 2
    lines = invoke("report", "out", "--report", "jsonl=-").stdout.splitlines()
    assert [json.loads(line)["event"] for line in lines].count("case-finished") == 2


def test_the_evidence_is_looked_for_beside_the_report_wherever_both_were_brought(
    run: Path, invoke: Invoke, place: Path
) -> None:
    keep(run, NONE, {"verb": "GET", "url": "http://127.0.0.1:9/moved"})
    run.rename(place / "brought")
    assert "moved" in invoke("rerun", "brought", NONE, "--curl").stdout
    assert invoke("report", "brought", "--report", "html=a.html").exit_code == 0
    assert "moved" in (place / "a.html").read_text()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["report", "nosuch"], "nosuch"),
        (["report", "out", "--report", "htlm=a"], "did you mean html"),
        (["report", "out", "--report", "html=out"], "choose another place"),
        (["rerun", "out", "nosuch"], "mcp.can.stops-work"),
        (["rerun", "out", "stops-work"], "part of 2 cases"),
        (["rerun", "out", "a", "b"], "one run and one case"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_code_2(run: Path, invoke: Invoke, words: list[str], hint: str) -> None:
    refused = invoke(*words)
    assert refused.exit_code == 2
    assert refused.output.count("\n") == 1
    assert hint in refused.output


def test_a_case_is_run_again_with_its_check_column_and_seed(run: Path, engine: Engine, invoke: Invoke) -> None:
    engine.verdicts = [(Verdict.PASS, None)]
    again = invoke("rerun", "out", "benign")
    assert again.exit_code == 0, again.output
    options = engine.options
    assert options is not None
    assert options.selection.checks == ("mcp.can.stops-work",)
    assert (options.versions, options.bindings, options.profile, options.seed) == (
        ("2025-06-18",),
        ("stdio",),
        "benign",
        7,
    )
    assert engine.target.address == URL
    printed = shlex.split(again.stderr.splitlines()[0])
    assert printed[:2] == ["seatrial", "run"]
    assert URL in printed


def test_the_exit_code_is_that_of_the_case(run: Path, engine: Engine, invoke: Invoke) -> None:
    assert invoke("rerun", "out", NONE).exit_code == 1


def test_a_secret_is_not_sent_as_it_is_written(engine: Engine, invoke: Invoke) -> None:
    invoke("run", URL, "--header", "Authorization: Bearer s3cret", "--output", "out")
    engine.options = None
    refused = invoke("rerun", "out", "stops-work")
    assert refused.exit_code == 2
    assert "put them back where it says [redacted]" in refused.output
    assert "s3cret" not in refused.output
    assert engine.options is None


def test_no_other_program_is_run_whatever_a_report_says(run: Path, invoke: Invoke, place: Path) -> None:
    report = json.loads((run / "report.json").read_text())
    report["options"]["command"] = ["touch", "owned"]
    (run / "report.json").write_text(json.dumps(report))
    refused = invoke("rerun", "out", NONE)
    assert (refused.exit_code, "not made by seatrial run" in refused.output) == (2, True)
    assert not (place / "owned").exists()


def test_requests_are_printed_for_a_shell_without_what_is_secret(run: Path, invoke: Invoke) -> None:
    headers = [["Authorization", "[redacted]"], ["Content-Length", "9"]]
    sent = {"verb": "POST", "url": "http://127.0.0.1:9/mcp", "headers": headers, "message": {"method": "it's"}}
    keep(run, NONE, sent)
    told = invoke("rerun", "out", NONE, "--curl")
    assert told.exit_code == 0
    words = shlex.split(told.stdout)
    assert words[0] == "curl"
    assert words[words.index("--data-raw") + 1] == '{"method":"it\'s"}'
    assert "Authorization: [redacted]" in words
    assert "Content-Length" not in told.stdout
    assert "secrets are not kept" in told.stderr


def test_a_case_without_requests_and_a_run_without_evidence_are_told_apart(run: Path, invoke: Invoke) -> None:
    silent = invoke("rerun", "out", NONE, "--curl")
    assert (silent.exit_code, "sent nothing of its own" in silent.output) == (2, True)
    (run / "evidence.jsonl").unlink()
    gone = invoke("rerun", "out", NONE, "--curl")
    assert (gone.exit_code, "keep it beside the report" in gone.output) == (2, True)
