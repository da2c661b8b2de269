"""Trust: the reference passes every check, every check kills its mutants, every mutant is killed; and benign faults
change nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from seatrial.discovery import load_suites
from seatrial.faults import benign_profile
from seatrial.model import Check, Mutant, Reason, Result, Suite, Verdict
from seatrial.protocols import driver_of, known, names
from seatrial.registry import uncovered

from .pins import kills
from .sailing import hunt, references, targets, voyage

pytestmark = [pytest.mark.selfcheck, pytest.mark.timeout(300)]

SUITES = load_suites()
CHECKS: dict[str, Check] = {check.id: check for suite in SUITES for check in suite.checks}
MUTANTS: dict[str, Mutant] = {mutant.id: mutant for suite in SUITES for mutant in suite.mutants}
ROWS = {row.id: row for suite in SUITES for row in suite.requirements}
PROFILES: dict[str, dict[str, Any]] = {"none": {}, "benign": {"profile": "benign", "plan": benign_profile()}}
protocols = pytest.mark.parametrize(
    "protocol", [pytest.param(protocol, marks=pytest.mark.xdist_group(protocol)) for protocol in known()]
)
"""What one worker looks at has to be played once."""
EXCEPTIONS = Path(__file__).with_name("reference_exceptions.txt")


def exceptions() -> dict[str, str]:
    """CHECK[VERSION,BINDING] -> why the reference is not PASS there."""
    lines = (line.partition(":") for line in EXCEPTIONS.read_text("utf-8").splitlines() if line.strip())
    return {case.strip(): reason.strip() for case, _, reason in lines}


@cache
def named(mutant: str) -> tuple[str, ...]:
    return tuple(check.id for check in CHECKS.values() if mutant in check.mutants)


def traffic(checks: tuple[str, ...]) -> tuple[str, ...]:
    """All checks that a monitor may need: those of its suite, for it judges what they saw."""
    protocols = {id.split(".")[0] for id in checks}
    suites = {suite.name for suite in SUITES for check in suite.checks if check.monitor and check.id in checks}
    near = (c.id for suite in SUITES if suite.name in suites for c in suite.checks)
    return (*checks, *(id for id in near if id.split(".")[0] in protocols and id not in checks))


def told(result: Result) -> str:
    return f"{result.verdict} {result.reason} {result.detail} {result.violations}{result.traceback}"


def killers(mutant: str, checks: Iterable[str], **options: Any) -> tuple[set[str], list[Result]]:
    """Which of its checks kill a mutant in a run of these, and the results of its checks there."""
    results = [r for r in hunt(MUTANTS[mutant], SUITES, checks=checks, **options) if r.case.check.id in named(mutant)]
    return {result.case.check.id for result in results if kills(result)}, results


def place(result: Result) -> str:
    return f"{result.case.check.id}[{result.case.column.version},{result.case.column.binding}]"


@cache
def played(protocol: str, profile: str) -> tuple[Result, ...]:
    """The results of the reference itself."""
    return tuple(result for target in targets(protocol) for result in voyage(target, SUITES, **PROFILES[profile]))


@cache
def reference_results(protocol: str) -> dict[str, Result]:
    """CHECK[VERSION,BINDING] -> the best result that the reference or one of its variants has there.

    A variant counts where the reference lacks what a check is about, and where it is found fault with.
    """
    found: dict[str, Result] = {}
    variants = references(protocol)[len(targets(protocol)) :]
    for result in (*played(protocol, "none"), *(each for target in variants for each in voyage(target, SUITES))):
        lacking = place(result) not in found or found[place(result)].verdict is Verdict.NOT_APPLICABLE
        if lacking or result.verdict in (Verdict.FAIL, Verdict.WARN, Verdict.ERROR):
            found[place(result)] = result
    return found


def verdicts(protocol: str, profile: str) -> dict[str, tuple[Verdict, Reason | None, str]]:
    """CHECK[VERSION,BINDING] -> what the reference itself gets amid the faults of a profile, and why."""
    return {place(result): (result.verdict, result.reason, result.traceback) for result in played(protocol, profile)}


def columns(protocol: str) -> set[tuple[str, str]]:
    judged = (result.case.column for result in reference_results(protocol).values())
    return {(column.version, column.binding) for column in judged}


@pytest.mark.parametrize("protocol", known())
def test_the_reference_passes_every_check_in_every_column(protocol: str) -> None:
    allowed = {case: why for case, why in exceptions().items() if case.startswith(f"{protocol}.")}
    wrong = {case: told(r) for case, r in reference_results(protocol).items() if r.verdict is not Verdict.PASS}
    assert wrong.keys() - allowed.keys() == set(), "\n".join(f"{k}: {v}" for k, v in wrong.items() if k not in allowed)
    assert allowed.keys() - wrong.keys() == set(), "these exceptions are stale"


@pytest.mark.parametrize("protocol", known())
def test_every_column_of_a_protocol_is_spoken(protocol: str) -> None:
    driver = driver_of(protocol)
    bindings = {binding for listens in (True, False) for binding in driver.bindings(listens)}
    found = columns(protocol)
    assert {version for version, _ in found} == set(driver.versions)
    assert {binding for _, binding in found} == bindings


@pytest.mark.parametrize("protocol", known())
def test_the_reference_is_judged_in_every_column_that_a_row_names(protocol: str) -> None:
    named_by_rows = {
        f"{check.id}[{version},{binding}]"
        for check in CHECKS.values()
        for version, binding in columns(protocol)
        if any(holds(row, version, binding) for row in check.requirements)
    }
    assert named_by_rows - reference_results(protocol).keys() == set()


def holds(row: str, version: str, binding: str) -> bool:
    """Whether a row holds in a column. That of AG-UI 0.1 stands for its newest milestone."""
    edition = "0.1.21" if (version, binding) == ("0.1", "sse") else version
    return ROWS[row].holds(edition, binding)


@protocols
def test_benign_faults_change_no_verdict_of_the_reference(protocol: str) -> None:
    """Its variants aside, which are the same server with other claims."""
    plain, amid = (verdicts(protocol, profile) for profile in PROFILES)
    assert {case: verdict for case, verdict in amid.items() if plain.get(case) != verdict} == {}
    assert plain.keys() == amid.keys()


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mutant", sorted(MUTANTS))
def test_a_mutant_is_killed_by_every_check_that_names_it(mutant: str, profile: str) -> None:
    """By the checks alone, with what they ask for; a monitor that asks for nothing watches all of its suite."""
    checks = named(mutant)
    assert 1 <= len(checks) <= 3, f"{mutant} is named by {len(checks)} checks"
    found, results = killers(mutant, checks, **PROFILES[profile])
    if found != set(checks) and traffic(checks) != checks:
        found, results = killers(mutant, traffic(checks), **PROFILES[profile])
    assert not [r for r in results if r.verdict is Verdict.ERROR], [r.traceback for r in results if r.traceback]
    survivors = {r.case.id: (r.verdict, r.reason, r.detail) for r in results if r.case.check.id not in found}
    assert set(checks) == found, survivors


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_check_names_a_mutant(suite: Suite) -> None:
    assert [check.id for check in suite.checks if not check.mutants] == []


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_requirement_has_a_check_or_a_reason(suite: Suite) -> None:
    assert [ident for ident, reason in uncovered(suite).items() if not reason] == []
    covered = {requirement for check in suite.checks for requirement in check.requirements}
    assert sorted(covered & suite.uncovered.keys()) == [], "covered and yet excused"


@pytest.mark.parametrize("protocol", names())
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_a_suite_has_enough_checks_of_its_own(suite: Suite, protocol: str) -> None:
    checks = [check for check in suite.checks if ROWS[check.requirements[0]].protocol == protocol]
    own = Counter(check.requirements[0] for check in checks)
    assert len(own) >= 10
    assert [ident for ident, number in own.items() if number > 1] == [], "two checks with one leading requirement"
