"""`seatrial run`: what is asked of the engine, what is left behind, and the exit code."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from xml.etree import ElementTree

import pytest
from seatrial.engine import Unreachable
from seatrial.model import Level, Reason, Verdict

from .conftest import CHECK, Engine, Invoke, Verdicts

URL = "http://127.0.0.1:9/mcp"
INCONCLUSIVE = (Verdict.INCONCLUSIVE, Reason.NO_STIMULUS)


@pytest.mark.parametrize(
    ("verdicts", "options", "code"),
    [
        ([(Verdict.PASS, None)], [], 0),
        ([(Verdict.PASS, None), (Verdict.FAIL, None)], [], 1),
        ([(Verdict.FAIL, None), (Verdict.ERROR, Reason.CRASH)], [], 1),
        ([(Verdict.WARN, None)], [], 0),
        ([(Verdict.WARN, None)], ["--strict"], 1),
        ([(Verdict.PASS, None), INCONCLUSIVE], [], 3),
        ([INCONCLUSIVE], ["--allow-inconclusive"], 0),
        ([INCONCLUSIVE], ["--allow-inconclusive=no-stimulus,deadline"], 0),
        ([INCONCLUSIVE], ["--allow-inconclusive=deadline"], 3),
        ([(Verdict.ERROR, Reason.CRASH)], ["--allow-inconclusive"], 3),
        ([(Verdict.NOT_APPLICABLE, Reason.CAPABILITY_ABSENT)], [], 0),
    ],
)
def test_the_exit_code_tells_how_it_went(
    engine: Engine, invoke: Invoke, verdicts: Verdicts, options: list[str], code: int
) -> None:
    engine.verdicts = verdicts
    assert invoke("run", *options, URL).exit_code == code


def test_an_unreachable_target_is_one_finding_and_code_4(engine: Engine, invoke: Invoke, place: Path) -> None:
    engine.failure = ExceptionGroup("tasks", [Unreachable(f"{URL} refuses the connection")])
    result = invoke("run", URL, "--output", "out")
    assert result.exit_code == 4
    assert result.output.count("refuses the connection") == 1
    assert "Traceback" not in result.output
    report = json.loads((place / "out/report.json").read_text())
    assert report["summary"]["failure"] == f"{URL} refuses the connection"


def test_a_run_leaves_evidence_and_reports_in_its_folder(engine: Engine, invoke: Invoke, place: Path) -> None:
    assert invoke("run", URL, "--seed", "7").exit_code == 0
    folder = place / (place / ".seatrial/last").read_text().strip()
    assert folder.name.endswith("-7")
    reports = {"report.html", "report.json", "report.md", "junit.xml"}
    assert {path.name for path in folder.iterdir()} == {"evidence.jsonl", *reports}
    assert (folder / "evidence.jsonl").read_text() == '{"record":1}\n'
    assert json.loads((folder / "report.json").read_text())["options"]["seed"] == 7
    assert ElementTree.parse(folder / "junit.xml").getroot().get("tests") == "1"


def test_two_runs_never_share_a_folder(engine: Engine, invoke: Invoke, place: Path) -> None:
    invoke("run", URL, "--seed", "7")
    invoke("run", URL, "--seed", "7")
    assert len(list((place / ".seatrial/runs").iterdir())) == 2


def test_further_reports_go_where_they_are_asked_for(engine: Engine, invoke: Invoke, place: Path) -> None:
    invoke("run", URL, "--report", "junit=ci/out.xml", "--report", "jsonl=events.jsonl")
    assert (place / "ci/out.xml").exists()
    assert json.loads((place / "events.jsonl").read_text().splitlines()[0])["event"] == "run-started"


def test_a_report_on_standard_output_has_it_for_itself(engine: Engine, invoke: Invoke) -> None:
    result = invoke("run", URL, "--report", "json=-")
    assert json.loads(result.stdout)["schema"] == "seatrial.report/1"
    assert "PASS 1" in result.stderr


def test_the_rerun_command_names_the_target_without_its_secrets(engine: Engine, invoke: Invoke, place: Path) -> None:
    invoke("run", "http://me:pass@127.0.0.1:9/mcp", "--header", "Authorization: Bearer t0ken", "--output", "out")
    for path in (place / "out").iterdir():
        assert "t0ken" not in path.read_text()
        assert "pass@" not in path.read_text()
    assert engine.target.headers == {"Authorization": "Bearer t0ken"}


def test_options_reach_the_engine(engine: Engine, invoke: Invoke) -> None:
    words = ["--faults", "benign", "--tempo", "2", "--concurrency", "3", "--protocol-version", "2025-06-18"]
    invoke("run", URL, *words, "--binding", "http", "--level", "should", "-k", "cancel", "--suite", "cancellation")
    found = engine.options
    assert found is not None
    assert (found.profile, found.tempo, found.concurrency) == ("benign", 2.0, 3)
    assert (found.versions, found.bindings) == (("2025-06-18",), ("streamable-http",))
    assert (found.selection.level, found.selection.keyword) == (Level.SHOULD, "cancel")


def test_a_command_after_two_dashes_is_the_target_whatever_it_looks_like(engine: Engine, invoke: Invoke) -> None:
    invoke("run", "--seed", "1", "--", "python", "--header", "server.py")
    assert engine.target.config.command == ("python", "--header", "server.py")


def test_the_only_target_of_the_configuration_needs_no_name(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "seatrial.toml").write_text(f'[target.shop]\nurl = "{URL}"\n')
    assert invoke("run").exit_code == 0
    assert engine.target.name == "shop"
    assert invoke("run", "shop", "--output", "out").exit_code == 0
    report = json.loads((place / "out/report.json").read_text())
    assert report["findings"][0]["rerun"].startswith("seatrial run shop --check mcp.can.stops-work")


def test_a_target_without_stimuli_is_told_how_to_get_them(engine: Engine, invoke: Invoke, place: Path) -> None:
    engine.verdicts = [INCONCLUSIVE]
    said = "No stimuli are configured; to have more judged: seatrial init"
    assert f"{said} {URL}, then seatrial run\n" in invoke("run", URL).stderr
    assert f"{said} -- python server.py, then" in invoke("run", "--", "python", "server.py").stderr
    (place / "seatrial.toml").write_text(f'[target.shop]\nurl = "{URL}"\nstimuli.echo = {{ tool = "echo" }}\n')
    assert said not in invoke("run").stderr


def test_verbose_reaches_the_reporters(engine: Engine, invoke: Invoke, place: Path) -> None:
    assert CHECK.id not in invoke("run", URL).stdout
    assert CHECK.id in invoke("run", URL, "-v").stdout


def test_the_rerun_command_calls_the_program_as_it_was_called(
    engine: Engine, invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["bin/seatrial"])
    for path, program in (("", "bin/seatrial"), (str(place), "seatrial")):
        monkeypatch.setenv("PATH", path)
        (place / "seatrial").touch(mode=0o755)
        invoke("run", URL, "--output", "out")
        report = json.loads((place / "out/report.json").read_text())
        assert report["findings"][0]["rerun"].startswith(f"{program} run {URL} --check")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--check", "mcp.can.stops-wrk", URL], 'unknown check "mcp.can.stops-wrk"; did you mean mcp.can.stops-work?'),
        (["--check", "zzz*", URL], 'unknown check "zzz*"; known: mcp.can.stops-work'),
        (["--suite", "canceling", URL], 'unknown suite "canceling"; did you mean cancellation?'),
        (["--protocol-version", "2025-06-17", URL], 'unknown version "2025-06-17"; did you mean 2025-06-18'),
        (["--binding", "pipe", URL], 'unknown binding "pipe"'),
        (["--report", "junt=x.xml", URL], 'unknown reporter "junt"; did you mean junit'),
        (["--report", "junit", URL], "say where to write it, for example junit=report.junit"),
        (["--allow-inconclusive=no-stimuli", URL], 'unknown reason "no-stimuli"; did you mean no-stimulus'),
        (["-k", "nothing-like-it", URL], "no check is selected"),
        (["--header", "Authorization", URL], "is no header; write it as 'Name: value'"),
        (["--header", "A: b\r\nC: d", URL], "is no header"),
        (["http://"], "the target must be an address such as http://"),
        (["ftp://x/"], "the target must be an address such as http://"),
        (["--"], "there is no command after --"),
        ([URL, "--", "python"], "a command after -- is the whole target"),
        (["--config", "x.toml", URL], "give a URL, or --config and a NAME, not both"),
        ([], "there is no seatrial.toml; write one with seatrial init"),
        (["localhost:8080"], "An address begins with http://"),
        (["--config", "none.toml"], "there is no none.toml"),
        (["--faults", "evil", URL], "--faults: there is no file 'evil'; give none, benign,"),
        (["--nosuch", URL], "No such option"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(engine: Engine, invoke: Invoke, words: list[str], said: str) -> None:
    result = invoke("run", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in result.output
    assert engine.options is None


def test_a_malformed_configuration_is_told_with_line_and_key(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "seatrial.toml").write_text('[target.shop]\nurl = "http://h/"\nheadres = {}\n')
    result = invoke("run", "shop")
    assert result.exit_code == 2
    assert "Error: seatrial.toml:3: target.shop.headres is not understood" in result.stderr


def test_a_version_of_the_configuration_that_does_not_exist(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "seatrial.toml").write_text('[target.shop]\nurl = "http://h/"\nversions = ["2025-06-19"]\n')
    result = invoke("run", "shop")
    assert (result.exit_code, engine.options) == (2, None)
    assert 'unknown version "2025-06-19"' in result.stderr


def test_a_report_that_cannot_be_written_is_told_before_the_run(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "file").write_text("")
    result = invoke("run", URL, "--report", "json=file/report.json")
    assert result.exit_code == 2
    assert "Error: the json report cannot be written to file/report.json: " in result.stderr
    assert engine.options is None


def test_an_impossible_output_folder_is_told_before_the_run(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "file").write_text("")
    result = invoke("run", URL, "--output", "file")
    assert result.exit_code == 2
    assert "Error: the evidence cannot be written to file/evidence.jsonl" in result.stderr
    assert engine.options is None


def test_a_fault_of_ours_is_not_taken_for_one_of_the_target(engine: Engine, invoke: Invoke) -> None:
    engine.failure = KeyError("x")
    result = invoke("run", URL)
    assert result.exit_code == 3
    assert "this is a fault of Seatrial itself" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_writes_what_it_has_and_ends_with_130(
    engine: Engine, invoke: Invoke, place: Path, number: signal.Signals
) -> None:
    engine.interrupted_by = number
    result = invoke("run", URL, "--output", "out")
    assert result.exit_code == 130
    assert "interrupted; writing the reports" in result.stderr
    report = json.loads((place / "out/report.json").read_text())
    assert report["summary"]["complete"] is False
    assert [found["verdict"] for found in report["findings"]] == ["PASS"]
    assert "interrupted" in (place / "out/junit.xml").read_text()
