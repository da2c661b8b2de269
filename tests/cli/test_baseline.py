"""`seatrial baseline`, and a run that heeds one."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import click.testing
import pytest
from seatrial.model import Reason, Verdict

from .conftest import CHECK, Engine, Invoke, Verdicts

URL = "http://127.0.0.1:9/mcp"
PASSES: Verdicts = [(Verdict.PASS, None)]
FAILS: Verdicts = [(Verdict.FAIL, None)]
UPDATE = ("baseline", "update", "--reason", "a repair is under way", "--owner", "the shop team")
EXPIRED = f"""# ours
[[accepted]]
target = "target"
check = "{CHECK.id}"
reason = "an old story"
owner = "somebody"
expires = 2020-01-31
"""


@pytest.fixture
def ran(engine: Engine, invoke: Invoke, place: Path) -> Any:
    """Runs the engine with some verdicts."""

    def run(verdicts: Verdicts, *words: str) -> click.testing.Result:
        engine.verdicts = verdicts
        return invoke("run", *words, URL)

    return run


def written(place: Path, file: str = "seatrial.baseline.toml") -> str:
    return (place / file).read_text("utf-8")


def summary(place: Path) -> Any:
    folder = place / (place / ".seatrial/last").read_text().strip()
    return json.loads((folder / "report.json").read_text())["summary"]


def test_a_failure_is_accepted_until_it_holds_again(ran: Any, invoke: Invoke, place: Path) -> None:
    assert ran(FAILS).exit_code == 1
    assert invoke(*UPDATE).output == "seatrial.baseline.toml: 1 entry added, 0 expired removed\n"
    told = ran(FAILS)
    assert told.exit_code == 0
    assert f"FAIL accepted {CHECK.id}" in told.output
    until = date.today() + timedelta(days=90)
    assert f"accepted by the shop team until {until}: a repair is under way" in " ".join(told.output.split())
    assert (summary(place)["accepted"], summary(place)["baseline"]) == (1, [])
    told = ran(PASSES)
    assert told.exit_code == 1
    assert "seatrial.baseline.toml:3: accepted.1 is stale" in told.output
    assert [problem["kind"] for problem in summary(place)["baseline"]] == ["stale"]
    assert invoke("baseline", "prune").output == "seatrial.baseline.toml: 1 entry removed, 0 narrowed\n"
    assert ran(PASSES).exit_code == 0


def test_an_entry_says_everything_about_its_failure(ran: Any, invoke: Invoke, place: Path) -> None:
    ran(FAILS)
    invoke(*UPDATE, "--expires", "2099-12-31")
    assert written(place).split("\n\n")[1] == (
        f'[[accepted]]\ntarget = "target"\ncheck = "{CHECK.id}"\nversions = ["2025-06-18"]\nbindings = ["stdio"]\n'
        'verdict = "FAIL"\nreason = "a repair is under way"\nowner = "the shop team"\nexpires = 2099-12-31\n'
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (UPDATE[:2], "'--reason'"),
        (UPDATE[:4], "'--owner'"),
        ((*UPDATE[:3], " ", *UPDATE[4:]), "--reason is empty"),
        ((*UPDATE, "--expires", "2020-01-31"), "--expires 2020-01-31 is over; name a day to come"),
        ((*UPDATE, "--check", "mcp.nosuch.*"), "--check mcp.nosuch.*: the run has no such check"),
        ((*UPDATE, "nowhere"), "nowhere cannot be read"),
        ((*UPDATE, "--baseline", "no/such/folder.toml"), "no/such/folder.toml cannot be written"),
    ],
)
def test_an_update_that_cannot_be_is_refused_in_one_sentence(
    ran: Any, invoke: Invoke, place: Path, words: tuple[str, ...], told: str
) -> None:
    ran(FAILS)
    result = invoke(*words)
    assert result.exit_code == 2
    assert told in result.output
    assert not (place / "seatrial.baseline.toml").exists()


def test_an_update_leaves_what_stands_and_replaces_what_has_expired(ran: Any, invoke: Invoke, place: Path) -> None:
    (place / "seatrial.baseline.toml").write_text(EXPIRED)
    told = ran(FAILS)
    assert told.exit_code == 1
    assert "accepted.1 (target/mcp.can.stops-work) expired on 2020-01-31" in told.output
    assert invoke(*UPDATE).output.endswith("1 entry added, 1 expired removed\n")
    assert ("an old story" in written(place), "# ours" in written(place)) == (False, True)
    before = written(place)
    assert invoke(*UPDATE[:-1], "another team").output.endswith("0 entries added, 0 expired removed\n")
    assert written(place) == before


def test_a_warning_is_accepted_on_demand(ran: Any, invoke: Invoke, place: Path) -> None:
    warns: Verdicts = [(Verdict.WARN, None)]
    assert ran(warns, "--strict").exit_code == 1
    assert "0 entries added" in invoke(*UPDATE).output
    assert "1 entry added" in invoke(*UPDATE, "--strict").output
    assert ran(warns, "--strict").exit_code == 0


def test_only_the_checks_that_are_named_are_accepted(ran: Any, invoke: Invoke) -> None:
    ran(FAILS)
    assert "1 entry added" in invoke(*UPDATE, "--check", "mcp.can.*").output


def test_a_run_that_left_cases_out_prunes_nothing(ran: Any, invoke: Invoke, place: Path) -> None:
    ran(FAILS)
    invoke(*UPDATE)
    for words in (("--suite", "cancellation"), ("--protocol-version", "2025-06-18"), ("-k", "stops")):
        ran(PASSES, *words)
        told = invoke("baseline", "prune")
        assert (told.exit_code, "left cases out; run all of them" in told.output) == (2, True), words
    assert "[[accepted]]" in written(place)


def test_what_could_not_be_judged_is_neither_accepted_nor_stale(ran: Any, invoke: Invoke) -> None:
    ran(FAILS)
    invoke(*UPDATE)
    assert ran([(Verdict.INCONCLUSIVE, Reason.DEADLINE)]).exit_code == 3
    assert ran([(Verdict.ERROR, Reason.CRASH)]).exit_code == 3


def test_a_run_can_do_without_or_take_another(ran: Any, invoke: Invoke, place: Path) -> None:
    ran(FAILS)
    invoke(*UPDATE, "--baseline", "ours.toml")
    assert ran(FAILS).exit_code == 1
    assert ran(FAILS, "--baseline", "ours.toml").exit_code == 0
    (place / "ours.toml").rename(place / "seatrial.baseline.toml")
    assert ran(FAILS).exit_code == 0
    assert ran(FAILS, "--no-baseline").exit_code == 1


def test_the_baseline_stands_beside_the_configuration(engine: Engine, invoke: Invoke, place: Path) -> None:
    (place / "ci").mkdir()
    (place / "ci/seatrial.toml").write_text(f'[target.shop]\nurl = "{URL}"\n')
    engine.verdicts = FAILS
    assert invoke("run", "--config", "ci/seatrial.toml").exit_code == 1
    invoke(*UPDATE, "--baseline", "ci/seatrial.baseline.toml")
    assert invoke("run", "--config", "ci/seatrial.toml").exit_code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--baseline", "none.toml"), "none.toml cannot be read"),
        (("--baseline", "b.toml", "--no-baseline"), "give --baseline or --no-baseline, not both"),
        (("--baseline", "b.toml"), "b.toml:1: accepted.1 has no target; name one"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_told_before_the_run(
    engine: Engine, invoke: Invoke, place: Path, words: tuple[str, ...], told: str
) -> None:
    (place / "b.toml").write_text("[[accepted]]\n")
    result = invoke("run", *words, URL)
    assert (result.exit_code, told in result.output) == (2, True), result.output
    assert engine.options is None


def test_an_accepted_failure_ends_no_run_early_and_is_no_earlier_failure(ran: Any, invoke: Invoke) -> None:
    ran(FAILS)
    invoke(*UPDATE)
    assert ran(FAILS, "-x").exit_code == 0
    told = ran(FAILS, "--last-failed")
    assert "nothing failed" in told.output
