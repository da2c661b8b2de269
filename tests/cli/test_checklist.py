"""`seatrial checklist`: which run it takes, what it asks of a signature, where it writes, and its exit code."""

from __future__ import annotations

import json
import signal
from datetime import date, timedelta
from pathlib import Path

import pytest
from seatrial.checklist.signatures import FILE, load
from seatrial.engine import Unreachable
from seatrial.model import Reason, Verdict

from .conftest import Engine, Invoke

URL = "http://127.0.0.1:8080/mcp"
WHO = ("--by", "the owner", "--note", "see the minutes")


def states(invoke: Invoke, *words: str) -> dict[str, str]:
    """The state of each line of the newest run."""
    told = invoke("checklist", "show", "--format", "json", *words).stdout
    return {line["id"]: line["state"] for line in json.loads(told)["lines"]}


@pytest.fixture
def sailed(invoke: Invoke, engine: Engine) -> Invoke:
    """After a run whose only check holds."""
    assert invoke("run", URL).exit_code == 0
    return invoke


def test_a_list_is_made_of_a_fresh_run(invoke: Invoke, engine: Engine) -> None:
    engine.verdicts = [(Verdict.FAIL, None)]
    made = invoke("checklist", URL, "--header", "X-Key: k")
    assert made.exit_code == 1
    assert made.stdout.startswith(f"Pre-launch checklist of {URL}")
    assert "[!] long.cancel, blocker, not met" in made.stdout
    assert "FAIL" in made.stderr and engine.target.headers == {"X-Key": "k"}


def test_the_list_of_a_command(invoke: Invoke, engine: Engine) -> None:
    made = invoke("checklist", "--", "python", "server.py", "--format")
    assert made.exit_code == 1
    assert engine.target.address == "python server.py --format"


def test_what_is_no_list_goes_to_standard_error(invoke: Invoke, engine: Engine) -> None:
    made = invoke("checklist", URL, "--format", "json")
    assert json.loads(made.stdout)["address"] == URL


@pytest.mark.parametrize(
    ("failure", "code"), [(Unreachable("nobody listens"), 4), (None, 130)], ids=["unreachable", "interrupted"]
)
def test_a_run_that_came_to_nothing_gives_no_list(
    failure: Exception | None, code: int, invoke: Invoke, engine: Engine
) -> None:
    engine.failure = failure
    engine.interrupted_by = None if failure else signal.SIGINT
    made = invoke("checklist", URL)
    assert (made.exit_code, made.stdout) == (code, "")


def test_a_list_is_made_of_a_run_that_is_over(invoke: Invoke, engine: Engine, tmp_path: Path) -> None:
    engine.verdicts = [(Verdict.INCONCLUSIVE, Reason.NO_WITNESS)]
    invoke("run", URL, "--output", "one")
    engine.verdicts = [(Verdict.PASS, None)]
    invoke("run", URL, "--output", "two")
    engine.failure = AssertionError("nothing is run")
    for words in (("checklist", "--run", "one"), ("checklist", "show", "--run", "one/report.json")):
        assert "[?] long.cancel, blocker, not decided" in invoke(*words).stdout
    assert "[x] long.cancel, blocker, met" in invoke("checklist", "show", "--run", "two").stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--run", "nowhere"), "nowhere cannot be read"),
        (("--run", "nowhere", URL), "give it, or a target to run now, not both"),
        (("--run", "nowhere", "--", "x"), "give it, or a target to run now, not both"),
        (("show",), "there is no earlier run here"),
        ((), "there is no seatrial.toml"),
        (("http://",), "the target"),
        (("--format", "pdf", URL), "'pdf' is not one of"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(words: tuple[str, ...], problem: str, invoke: Invoke, engine: Engine) -> None:
    made = invoke("checklist", *words)
    assert (made.exit_code, problem in made.stderr) == (2, True), made.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nosuch.line", *WHO), 'unknown line "nosuch.line"'),
        (("push.verify", *WHO), "push.verify is no question for mcp"),
        (("long.cancel", *WHO), "long.cancel is decided by checks"),
        (("peer.least", "--by", " ", "--note", "x"), "--by is empty"),
        (("peer.least", "--by", "x", "--note", ""), "--note is empty"),
        (("peer.least", *WHO, "--until", "2020-01-01"), "--until 2020-01-01 is over"),
        (("peer.least", *WHO, "--this-version"), "the target does not tell its version"),
        (("peer.least", *WHO, "--target", "other"), "is not of other, but of target"),
        (("peer.least", *WHO, "--file", "no/such/folder"), "cannot be written"),
        (("peer.least", "--note", "x"), "Missing option '--by'"),
    ],
)
def test_a_signature_that_cannot_be_given(words: tuple[str, ...], problem: str, sailed: Invoke) -> None:
    signed = sailed("checklist", "sign", *words)
    assert (signed.exit_code, problem in signed.stderr) == (2, True), signed.stderr
    assert not FILE.exists()


def test_a_signature_resolves_its_line_for_half_a_year(sailed: Invoke) -> None:
    assert states(sailed)["peer.least"] == "to sign"
    signed = sailed("checklist", "sign", "peer.least", *WHO)
    until = date.today() + timedelta(days=180)
    assert signed.stdout == f"seatrial.checklist.toml: peer.least signed for {URL} until {until}\n"
    assert states(sailed)["peer.least"] == "signed"
    told = sailed("checklist", "show").stdout
    assert f"signed: by the owner on {date.today()}, until {until}: see the minutes" in told


def test_a_waiver_lets_a_line_pass_that_does_not_hold(invoke: Invoke, engine: Engine) -> None:
    engine.verdicts = [(Verdict.FAIL, None)]
    invoke("run", URL)
    assert invoke("checklist", "sign", "long.cancel", *WHO).exit_code == 2
    assert invoke("checklist", "sign", "long.cancel", *WHO, "--waive", "--until", "2999-01-01").exit_code == 0
    assert states(invoke)["long.cancel"] == "waived"
    engine.verdicts = [(Verdict.ERROR, Reason.CRASH)]
    invoke("run", URL)
    assert states(invoke)["long.cancel"] == "not decided"
    assert "has changed since; look again, then sign it again" in invoke("checklist", "show").stdout


def test_it_exits_well_when_no_blocker_is_open(sailed: Invoke) -> None:
    report = json.loads(sailed("checklist", "show", "--format", "json").stdout)
    blockers = report["blockers"]
    assert blockers and "tools.purpose" not in blockers
    for line in blockers:
        assert sailed("checklist", "show").exit_code == 1
        assert sailed("checklist", "sign", line, *WHO, "--waive").exit_code == 0
    done = sailed("checklist", "show")
    assert (done.exit_code, "open: 0 blockers" in done.stdout) == (0, True)


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_a_list_is_written_where_it_is_wanted(form: str, sailed: Invoke, tmp_path: Path) -> None:
    whole = sailed("checklist", "show", "--format", form).stdout
    wrote = sailed("checklist", "show", "--format", form, "--output", "list.txt")
    assert Path("list.txt").read_text("utf-8") == whole
    assert wrote.stdout.startswith("list.txt written: ") and wrote.exit_code == 1
    refused = sailed("checklist", "show", "--output", str(tmp_path))
    assert (refused.exit_code, "cannot be written" in refused.stderr) == (2, True)


def test_a_file_of_signatures_that_is_wrong_is_told_with_its_line(sailed: Invoke) -> None:
    FILE.write_text('[[signature]]\nline = "peer.least"\n', "utf-8")
    for words in (("show",), ("sign", "peer.least", *WHO)):
        told = sailed("checklist", *words)
        assert (told.exit_code, "seatrial.checklist.toml:1: signature.1 needs" in told.stderr) == (2, True)


def test_another_file_of_signatures(sailed: Invoke) -> None:
    sailed("checklist", "sign", "peer.least", *WHO, "--file", "ours.toml")
    assert [each.line for each in load(Path("ours.toml"))] == ["peer.least"]
    assert states(sailed)["peer.least"] == "to sign"
    assert states(sailed, "--file", "ours.toml")["peer.least"] == "signed"
