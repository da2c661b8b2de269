"""Trust: the reference passes every check, every check kills its mutants, every mutant is killed."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from seatrial.discovery import load_suites
from seatrial.model import Check, Column, Mutant, Result, Suite, Verdict
from seatrial.protocols.mcp.versions import BINDINGS, VERSIONS, exists
from seatrial.registry import uncovered

from .pins import kills
from .sailing import sail

pytestmark = pytest.mark.selfcheck

SUITES = load_suites()
CHECKS: dict[str, Check] = {check.id: check for suite in SUITES for check in suite.checks}
MUTANTS: dict[str, Mutant] = {mutant.id: mutant for suite in SUITES for mutant in suite.mutants}
ROWS = {row.id: row for suite in SUITES for row in suite.requirements}
COLUMNS = [Column(v, b) for v in VERSIONS for b in BINDINGS if exists(v, b)]
EXCEPTIONS = Path(__file__).with_name("reference_exceptions.txt")


def exceptions() -> dict[str, str]:
    """CHECK[VERSION,BINDING] -> why the reference is not PASS there."""
    lines = (line.partition(":") for line in EXCEPTIONS.read_text("utf-8").splitlines() if line.strip())
    return {case.strip(): reason.strip() for case, _, reason in lines}


@cache
def named(mutant: str) -> tuple[str, ...]:
    return tuple(check.id for check in CHECKS.values() if mutant in check.mutants)


def traffic(checks: tuple[str, ...]) -> tuple[str, ...]:
    """The checks to run: a monitor needs those of its suite, for it judges what they saw."""
    suites = {suite.name for suite in SUITES for check in suite.checks if check.monitor and check.id in checks}
    return tuple(c.id for suite in SUITES for c in suite.checks if c.id in checks or suite.name in suites)


def column_options(mutant: Mutant) -> dict[str, tuple[str, ...]]:
    return {"versions": mutant.versions, "bindings": mutant.bindings}


def told(result: Result) -> str:
    return f"{result.verdict} {result.reason} {result.detail} {result.violations}{result.traceback}"


@cache
def reference_results() -> tuple[Result, ...]:
    return sail(suites=SUITES)


def test_the_reference_passes_every_check_in_every_column() -> None:
    allowed = exceptions()
    wrong = {
        f"{r.case.check.id}[{r.case.column.version},{r.case.column.binding}]": told(r)
        for r in reference_results()
        if r.verdict is not Verdict.PASS
    }
    assert wrong.keys() - allowed.keys() == set(), "\n".join(f"{k}: {v}" for k, v in wrong.items() if k not in allowed)
    assert allowed.keys() - wrong.keys() == set(), "these exceptions are stale"


def test_the_reference_is_judged_in_every_column_that_a_row_names() -> None:
    judged = {(r.case.check.id, r.case.column.version, r.case.column.binding) for r in reference_results()}
    named_by_rows = {
        (check.id, column.version, column.binding)
        for check in CHECKS.values()
        for column in COLUMNS
        if any(ROWS[row].holds(column.version, column.binding) for row in check.requirements)
    }
    assert named_by_rows - judged == set()


@pytest.mark.parametrize("mutant", sorted(MUTANTS))
def test_a_mutant_is_killed_by_every_check_that_names_it(mutant: str) -> None:
    checks = named(mutant)
    assert 1 <= len(checks) <= 3, f"{mutant} is named by {len(checks)} checks"
    found = MUTANTS[mutant]
    results = [
        r
        for r in sail(found.build, SUITES, checks=traffic(checks), **column_options(found))
        if r.case.check.id in checks
    ]
    assert not [r for r in results if r.verdict is Verdict.ERROR], [r.traceback for r in results if r.traceback]
    killers = {r.case.check.id for r in results if kills(r)}
    survivors = {r.case.id: (r.verdict, r.reason, r.detail) for r in results if r.case.check.id not in killers}
    assert set(checks) == killers, survivors


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_check_names_a_mutant(suite: Suite) -> None:
    assert [check.id for check in suite.checks if not check.mutants] == []


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_requirement_has_a_check_or_a_reason(suite: Suite) -> None:
    assert [ident for ident, reason in uncovered(suite).items() if not reason] == []
    covered = {requirement for check in suite.checks for requirement in check.requirements}
    assert sorted(covered & suite.uncovered.keys()) == [], "covered and yet excused"


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_a_suite_has_enough_checks_of_its_own(suite: Suite) -> None:
    own = Counter(check.requirements[0] for check in suite.checks)
    assert len(own) >= 14
    assert [ident for ident, number in own.items() if number > 1] == [], "two checks with one leading requirement"
