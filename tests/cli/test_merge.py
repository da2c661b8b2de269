"""`seatrial merge`: shards of a run are, merged, what the whole run is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from seatrial.cli import main
from seatrial.evidence import Evidence

from .conftest import Invoke

RUN = ("demo", "--binding", "http", "--seed", "7")
SOUND = ("--protocol-version", "2025-11-25")
BROKEN = ("--break", "modern.pings-its-client", "-k", "no-server-requests or progress or log")
"""A mutant that a monitor finds in the traffic of any check."""
COUNT = 4


def ran(folder: Path, *words: str) -> int:
    return CliRunner().invoke(main, [*RUN, *words, "--output", str(folder)]).exit_code


@pytest.fixture(scope="module", params=[SOUND, BROKEN], ids=["reference", "mutant"])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the whole run, and with that run in shards."""
    home = tmp_path_factory.mktemp("runs")
    assert ran(home / "whole", *request.param) == (request.param is BROKEN)
    for index in range(1, COUNT + 1):
        ran(home / f"shard{index}", *request.param, "--shard", f"{index}/{COUNT}")
    return home


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two shards of a small run."""
    home = tmp_path_factory.mktemp("few")
    for index in (1, 2):
        ran(home / f"shard{index}", *SOUND, "-k", "mcp.cap.init", "--shard", f"{index}/2")
    return home


@pytest.fixture
def pair(few: Path, place: Path) -> tuple[str, str]:
    """Copies of them that a test may spoil."""
    for name in ("shard1", "shard2"):
        shutil.copytree(few / name, place / name)
    return "shard1", "shard2"


def report(folder: Path) -> Any:
    return json.loads((folder / "report.json").read_text())


def edited(folder: Path, change: Callable[[Any], object]) -> None:
    told = report(folder)
    change(told)
    (folder / "report.json").write_text(json.dumps(told))


def judged(folder: Path) -> dict[str, tuple[Any, ...]]:
    """What a report says of each case, apart from times, numbers of records, and how often it saw the same."""
    return {
        found["case"]: (
            *(found[key] for key in ("verdict", "reason", "detail", "requirements", "rerun")),
            {(said["expected"], said["requirement"], said["soft"]) for said in found["violations"]},
        )
        for found in report(folder)["findings"]
    }


def merge(invoke: Invoke, runs: Path, place: Path) -> int:
    shards = [str(runs / f"shard{index}") for index in (3, 1, 4, 2)]
    result = invoke("merge", *shards, "--output", "merged")
    assert "Traceback" not in result.output
    return result.exit_code


def test_merged_shards_say_of_every_case_what_the_whole_run_says(invoke: Invoke, runs: Path, place: Path) -> None:
    code = merge(invoke, runs, place)
    whole, merged = report(runs / "whole"), report(place / "merged")
    assert judged(place / "merged") == judged(runs / "whole")
    assert code == bool(whole["summary"]["verdicts"]["FAIL"])
    for key in ("cases", "verdicts", "complete", "failure", "stopped"):
        assert merged["summary"][key] == whole["summary"][key]
    assert merged["target"] == whole["target"]
    assert {**merged["options"], "evidence": ""} == {**whole["options"], "evidence": ""}
    assert {row["id"] for row in merged["requirements"]} == {row["id"] for row in whole["requirements"]}


def test_what_a_merged_report_cites_is_what_the_shard_cited(invoke: Invoke, runs: Path, place: Path) -> None:
    merge(invoke, runs, place)
    cited = {found["case"]: found["records"] for found in report(place / "merged")["findings"]}
    evidence = Evidence.read(place / "merged/evidence.jsonl")
    assert [line.number for line in evidence.lines] == sorted({line.number for line in evidence.lines})
    for index in range(1, COUNT + 1):
        shard = Evidence.read(runs / f"shard{index}/evidence.jsonl")
        for found in report(runs / f"shard{index}")["findings"]:
            alone = [line for number in found["records"] if (line := shard.at(number))]
            there = [line for number in cited[found["case"]] if (line := evidence.at(number))]
            bodies = [record.data for record in evidence.records(there)]
            assert all(record.data in bodies for record in shard.records(alone)), found["case"]


def test_every_shard_has_about_its_share(runs: Path) -> None:
    sizes = [len(report(runs / f"shard{index}")["findings"]) for index in range(1, COUNT + 1)]
    assert max(sizes) - min(sizes) <= 1
    assert report(runs / "shard1")["options"]["planned"] == len(report(runs / "whole")["findings"])


def test_all_reports_are_written_and_the_merged_run_is_the_newest(
    invoke: Invoke, pair: tuple[str, str], place: Path
) -> None:
    result = invoke("merge", *pair, "--report", "jsonl=events.jsonl", "--durations", "1")
    assert result.exit_code == 0, result.output
    assert "Slowest cases" in result.stdout
    folder = place / (place / ".seatrial/last").read_text().strip()
    assert {path.name for path in folder.iterdir()} >= {"evidence.jsonl", "report.json", "report.md", "junit.xml"}
    events = [json.loads(line)["event"] for line in (place / "events.jsonl").read_text().splitlines()]
    assert events.count("case-finished") == len(report(folder)["findings"])


def test_a_shard_that_was_interrupted_leaves_the_run_incomplete(
    invoke: Invoke, pair: tuple[str, str], place: Path
) -> None:
    edited(place / "shard2", lambda told: told["summary"].update(complete=False))
    assert invoke("merge", *pair, "--output", "merged").exit_code == 130
    assert not report(place / "merged")["summary"]["complete"]


SPOILT: dict[str, tuple[Callable[[Any], object], str]] = {
    "seed": (lambda told: told["options"].update(seed=8), "shard1/report.json has seed 7, shard2/report.json 8"),
    "target": (lambda told: told["target"].update(name="shop"), "has target 'mcp', shard2/report.json 'shop'"),
    "version": (lambda told: told.update(seatrial="0.0.1"), "shard2/report.json '0.0.1'; merge the shards of one run"),
    "profile": (lambda told: told["options"].update(profile="benign"), "has option profile 'none'"),
    "schema": (lambda told: told.update(schema="seatrial.report/2"), "is no report that Seatrial reads: $.schema"),
    "alone": (lambda told: told["options"].pop("shard"), "shard2/report.json is not the report of a shard"),
    "twice": (lambda told: told["options"].update(shard="1/2"), "are both shard 1; name each shard once"),
    "others": (lambda told: told["options"].update(shard="2/3"), "the runs are shards of 2 and 3"),
    "fewer": (lambda told: told["findings"].pop(), "the target was not the same for all of them; run them again"),
    "silent": (
        lambda told: (told["options"].pop("shard"), told["summary"].update(failure="nobody listens")),
        "shard2/report.json has no results: nobody listens; run that shard again",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_runs_that_are_no_shards_of_one_are_refused(
    invoke: Invoke, pair: tuple[str, str], place: Path, name: str
) -> None:
    change, said = SPOILT[name]
    edited(place / "shard2", change)
    result = invoke("merge", *pair, "--output", "merged")
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1
    assert not (place / "merged").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shard1"], "shard 2 of 2 is missing; name the folders of all of them"),
        (["shard1", "nowhere"], "nowhere cannot be read"),
        (["shard1", "shard2", "--output", "shard2"], "shard2 is the folder of a shard; give --output another one"),
        ([], "Missing argument 'RUN...'"),
    ],
)
def test_what_cannot_be_merged_is_told(invoke: Invoke, pair: tuple[str, str], words: list[str], said: str) -> None:
    result = invoke("merge", *words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(("cell", "code"), [('versions = ["2025-11-25"]\nbindings = ["streamable-http"]', 1), ("", 0)])
def test_shards_of_a_few_checks_make_stale_only_what_they_saw_whole(
    invoke: Invoke, pair: tuple[str, str], place: Path, cell: str, code: int
) -> None:
    check = next(found["check"] for found in report(place / pair[0])["findings"] if found["verdict"] == "PASS")
    entry = f'target = "mcp"\ncheck = "{check}"\nreason = "r"\nowner = "o"\nexpires = 2099-12-31\n{cell}\n'
    (place / "seatrial.baseline.toml").write_text(f"[[accepted]]\n{entry}")
    assert invoke("merge", *pair).exit_code == code
    assert invoke("merge", *pair, "--no-baseline").exit_code == 0


def test_without_its_evidence_a_shard_is_refused(invoke: Invoke, pair: tuple[str, str], place: Path) -> None:
    (place / "shard1/evidence.jsonl").unlink()
    result = invoke("merge", *pair)
    assert result.exit_code == 2
    assert "the evidence shard1/evidence.jsonl cannot be read" in result.stderr
