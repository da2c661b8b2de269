"""The data of the checklist rests on what exists, and everything that exists is used."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator

import pytest
from seatrial.checklist.exhibits import EXHIBITS, LINTS
from seatrial.checklist.lines import PROTOCOLS, Basis, Line, Who, groups, lines
from seatrial.discovery import load_suites

ROWS = {row.id: row for suite in load_suites() for row in suite.requirements}
CHECKS = {
    check.id: {ROWS[name].protocol for name in check.requirements} for suite in load_suites() for check in suite.checks
}
ALL = list(lines().values())
BASES = [(line, protocol, basis) for line in ALL for protocol, basis in line.bases.items()]


def named(kind: str) -> Iterator[str]:
    return (name for _, _, basis in BASES for name in getattr(basis, kind))


def test_a_line_has_an_id_of_its_own_and_says_why_it_has_its_weight() -> None:
    ids = [line.id for group in groups() for line in group.lines]
    assert Counter(ids).most_common(1)[0][1] == 1
    assert all(line.question.endswith("?") and line.because for line in ALL)
    assert {line.kind for line in ALL} == set(Who)


@pytest.mark.parametrize(
    ("line", "protocol", "basis"), BASES, ids=[f"{line.id}-{protocol}" for line, protocol, _ in BASES]
)
def test_every_check_that_a_line_names_exists_for_its_protocol(line: Line, protocol: str, basis: Basis) -> None:
    assert protocol in line.protocols
    for pattern in basis.checks:
        found = fnmatch.filter(CHECKS, pattern)
        assert found, pattern
        assert all(CHECKS[name] == {protocol} for name in found), pattern


def test_every_lint_is_named_by_a_line_and_no_other_is() -> None:
    assert set(named("lints")) == set(LINTS)


def test_everything_that_can_be_shown_is_shown_by_a_line_and_nothing_else_is() -> None:
    assert set(named("shows")) == set(EXHIBITS)


@pytest.mark.parametrize("line", [line for line in ALL if line.kind is Who.AUTO], ids=lambda line: line.id)
def test_an_auto_line_is_decided_for_a_protocol_at_least(line: Line) -> None:
    assert any(basis.checks or basis.lints for basis in line.bases.values())


@pytest.mark.parametrize("line", [line for line in ALL if line.kind is Who.HUMAN], ids=lambda line: line.id)
def test_a_human_line_is_decided_by_nothing(line: Line) -> None:
    assert not any(basis.checks or basis.lints for basis in line.bases.values())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_group_has_a_line_for_every_protocol(protocol: str) -> None:
    assert all(any(protocol in line.protocols for line in group.lines) for group in groups())
