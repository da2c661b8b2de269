"""Several targets in one run, and one server in several ways."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from seatrial.config import TargetConfig
from seatrial.discovery import load_suites
from seatrial.fixtures.reference import target as reference
from seatrial.fixtures.serving import SimulatedTarget
from seatrial.target import RealTarget, attach

from .conftest import Invoke

CHECK = "mcp.cap.init-result-shape"
FEW = ("--check", CHECK, "--protocol-version", "2025-06-18", "--binding", "http")
MUTANT = next(
    mutant
    for suite in load_suites()
    for check in suite.checks
    for mutant in suite.mutants
    if check.id == CHECK and mutant.id in check.mutants
)
FILE = """
[target.shop]
url = "http://shop.test/mcp"

[target.depot]
url = "http://depot.test/mcp"

[target.gone]
url = "http://127.0.0.1:9/mcp"

[target.far]
url = "http://far.test/mcp"
ways = { gate = "http://broken.test/mcp" }
"""


def made(config: TargetConfig) -> SimulatedTarget | RealTarget:
    """A bundled server in memory for what ends in .test, a broken one where it is called so."""
    if ".test" not in config.url:
        return attach(config)
    server = reference.simulated(MUTANT.build) if "broken" in config.url else reference.simulated()
    return replace(server, name=config.name, address=config.url)


@pytest.fixture(autouse=True)
def harbour(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration of four targets, and the real catalogue."""
    monkeypatch.setattr("seatrial.cli.catalogue.load_suites", load_suites)
    monkeypatch.setattr("seatrial.cli.run.attach", made)
    (place / "seatrial.toml").write_text(FILE)
    return place


def report(place: Path) -> Any:
    return json.loads((place / "out/report.json").read_text())


def run(invoke: Invoke, *words: str) -> tuple[int, str]:
    result = invoke("run", *words, *FEW, "--output", "out")
    return result.exit_code, result.stdout + result.stderr


def test_each_of_several_targets_has_a_column_and_a_rerun_command_of_its_own(invoke: Invoke, harbour: Path) -> None:
    code, told = run(invoke, "shop", "depot", "-v")
    assert code == 0, told
    assert ["shop", "depot"] in [line.split() for line in told.splitlines()]
    findings = report(harbour)["findings"]
    assert [(found["target"], found["verdict"]) for found in findings] == [("shop", "PASS"), ("depot", "PASS")]
    for found in findings:
        code, again = run(invoke, *shlex.split(found["rerun"])[2:])
        assert (code, f"{found['target']}: http" in again) == (0, True), again


def test_a_target_that_is_not_there_is_a_failure_of_its_own(invoke: Invoke, harbour: Path) -> None:
    code, told = run(invoke, "gone", "shop")
    assert code == 4, told
    assert told.count("gone: ") == 1 and "nobody listens" in " ".join(told.split())
    summary = report(harbour)["summary"]
    assert summary["verdicts"]["PASS"] == 1
    assert not summary["complete"] and summary["failure"].startswith("gone: ")


def test_a_target_of_another_protocol_than_the_version_is_told(invoke: Invoke, harbour: Path) -> None:
    (harbour / "seatrial.toml").write_text('[target.agent]\nurl = "http://127.0.0.1:9/"\nprotocol = "a2a"\n')
    code, told = run(invoke, "agent")
    assert code == 4
    assert "http://127.0.0.1:9/ has a protocol without these versions" in " ".join(told.split())


def test_what_is_broken_weighs_more_than_what_is_not_there(invoke: Invoke, harbour: Path) -> None:
    code, told = run(invoke, "--all")
    assert code == 1, told
    targets = {found["target"]: found["verdict"] for found in report(harbour)["findings"]}
    assert targets == {"shop": "PASS", "depot": "PASS", "far": "PASS", "far@gate": "FAIL"}


def test_a_server_behind_a_gateway_is_compared_with_itself(invoke: Invoke, harbour: Path) -> None:
    code, told = run(invoke, "far")
    assert code == 1, told
    assert "Differs by the way to the server" in told
    assert f"{CHECK} PASS in far, FAIL in far@gate: 2025-06-18 streamable-http" in " ".join(told.split())
    failed = next(found for found in report(harbour)["findings"] if found["verdict"] == "FAIL")
    assert failed["rerun"].startswith("seatrial run far --check")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--all", "shop"], "--all means every target of seatrial.toml; leave out"),
        (["--all", "--", "python"], "--all means every target of seatrial.toml; leave out"),
        (["shop", "http://other.test/"], "give one URL, or the names of several targets of seatrial.toml, not 1 URLs"),
        (["shop", "dept"], 'unknown target "dept"; did you mean depot?'),
        (["--all", "--config", "none.toml"], "there is no none.toml"),
        ([], "shop"),
    ],
)
def test_a_choice_of_targets_that_makes_no_sense_is_one_sentence(invoke: Invoke, words: list[str], said: str) -> None:
    result = invoke("run", *words)
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1
