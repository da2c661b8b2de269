"""When a published bug counts as recognised, and when its fixed version counts as falsely failed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from seatrial.fixtures.environments import Registry
from seatrial.fixtures.recall.case import BugCase, Side, load
from seatrial.fixtures.recall.judge import Outcome, judge

CASE = BugCase(
    folder=Path("shop-forgets"),
    protocol="mcp",
    versions=("2025-06-18",),
    binding="stdio",
    registry=Registry.PYPI,
    python="",
    start=("{python}", "{dir}/server.py"),
    env={},
    url="",
    suite="cancellation",
    strength="must",
    requirements=frozenset({"mcp.can.stops-work"}),
    stimuli={},
)


def finding(**changed: Any) -> dict[str, Any]:
    return {
        "check": "mcp.can.stops-work",
        "requirements": ["mcp.can.stops-work"],
        "version": "2025-06-18",
        "binding": "stdio",
        "verdict": "FAIL",
        "reason": None,
        "notes": [],
    } | changed


def outcome(side: Side, *findings: dict[str, Any], recorded_only: bool = False) -> Outcome:
    return judge(CASE, side, findings, recorded_only=recorded_only).outcome


@pytest.mark.parametrize("verdict", ["FAIL", "WARN"])
def test_a_finding_of_a_bound_check_recognises_the_bug(verdict: str) -> None:
    assert outcome(Side.BAD, finding(verdict=verdict)) is Outcome.RECOGNISED


@pytest.mark.parametrize(
    "changed",
    [
        {"verdict": "PASS"},
        {"verdict": "INCONCLUSIVE"},
        {"verdict": "ERROR"},
        {"requirements": ["mcp.can.no-response"]},
        {"version": "2025-11-25"},
        {"binding": "streamable-http"},
        {"reason": "target-unhealthy"},
    ],
)
def test_anything_else_does_not(changed: dict[str, Any]) -> None:
    assert outcome(Side.BAD, finding(**changed)) is Outcome.MISSED


def test_the_fixed_side_must_be_clean_in_every_version() -> None:
    assert outcome(Side.FIXED, finding(verdict="PASS")) is Outcome.CLEAN
    assert outcome(Side.FIXED, finding(version="2025-11-25")) is Outcome.FALSELY_FAILED


def test_a_finding_of_another_check_says_nothing_about_the_fixed_side() -> None:
    assert outcome(Side.FIXED, finding(requirements=["mcp.err.parse"])) is Outcome.CLEAN


def test_where_every_row_only_records_a_note_is_a_finding() -> None:
    noted = finding(verdict="PASS", notes=[{"expected": "a", "actual": "b"}])
    assert outcome(Side.BAD, noted, recorded_only=True) is Outcome.RECOGNISED
    assert outcome(Side.BAD, noted) is Outcome.MISSED


def test_what_was_missed_says_what_the_checks_gave_instead() -> None:
    given = [finding(verdict="INCONCLUSIVE", reason="no-stimulus")] * 2 + [finding(verdict="PASS")]
    detail = judge(CASE, Side.BAD, given, recorded_only=False).detail
    assert detail == "INCONCLUSIVE no-stimulus x2, PASS x1"


def test_the_finding_that_decided_is_named() -> None:
    assert judge(CASE, Side.BAD, [finding()], recorded_only=False).detail == "FAIL mcp.can.stops-work[2025-06-18]"


def test_an_open_case_has_no_fixed_side(tmp_path: Path) -> None:
    (tmp_path / "pins-bad.txt").write_text("shop==1\n", "utf-8")
    assert replace(CASE, folder=tmp_path).sides == (Side.BAD,)


@pytest.mark.parametrize(
    ("stated", "columns"),
    [
        (["0.1.4", "0.1.21"], ("0.1",)),
        (["0.1.21", "1.0"], ("0.1", "1.0")),
        (["0.3", "1.0"], ("0.3", "1.0")),
        (["2025-06-18"], ("2025-06-18",)),
        ([], ()),
    ],
)
def test_milestones_are_one_column(stated: list[str], columns: tuple[str, ...], tmp_path: Path) -> None:
    table: dict[str, Any] = {
        "protocol": "agui",
        "spec_versions": stated,
        "binding": "sse",
        "registry": "pypi",
        "start": ["server"],
        "suite": "error_mapping",
        "strength": "must",
        "requirements": [],
    }
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "case.json").write_text(json.dumps(table), "utf-8")
    assert [case.versions for case in load(tmp_path)] == [columns]
