"""One seed, one run: two runs against the reference give equal transcripts and verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import pytest
import trio._core._run as scheduler
from seatrial.discovery import load_suites
from seatrial.faults import Fault, benign_profile
from seatrial.normalisation import normalised
from seatrial.transcript import Kind, Record, decode

from .sailing import sail

pytestmark = [pytest.mark.selfcheck, pytest.mark.timeout(300)]

VERSIONS = {"mcp": ("2025-11-25", "2026-07-28"), "a2a": ("0.3", "1.0"), "agui": ("1.0",)}
protocols = pytest.mark.parametrize(
    "protocol", [pytest.param(protocol, marks=pytest.mark.xdist_group(f"{protocol} again")) for protocol in VERSIONS]
)
"""What one worker looks at has to be played once."""


Transcripts = tuple[dict[str, list[Record]], dict[str, str]]
"""The records and the verdicts by case."""


def transcripts(protocol: str, seed: int, order: int, *versions: str, plan: Sequence[Fault] = ()) -> Transcripts:
    """What a run comes to. `order` varies how the scheduler shuffles what is ready together."""
    scheduler._ALLOW_DETERMINISTIC_SCHEDULING = True
    scheduler._r.seed(order)
    lines: list[str] = []
    asked = {"versions": versions or VERSIONS[protocol], "seed": seed, "plan": tuple(plan)}
    results = sail(None, load_suites(), protocol=protocol, sink=lines.append, **asked)
    cases: dict[str, list[Record]] = defaultdict(list)
    for line in lines:
        case, record = decode(line)
        cases[case].append(record)
    return cases, {result.case.id: result.verdict for result in results}


@cache
def usual(protocol: str) -> Transcripts:
    """Those of a run that others are compared with."""
    return transcripts(protocol, 7, 1)


@cache
def other(protocol: str) -> Transcripts:
    """Those of a run with another seed, in which the scheduler shuffles otherwise."""
    return transcripts(protocol, 8, 2)


def differing(one: Transcripts, two: Transcripts) -> list[str]:
    """Whatever was recorded by other lines, in another order or at another moment of virtual time: cases, and what
    belongs to none. Also how much of an abandoned stream had come has to be the same."""
    (first, verdicts), (second, again) = one, two
    assert verdicts == again
    assert list(first) == list(second)
    return [name for name in first if normalised(first[name]) != normalised(second[name])]


@protocols
def test_two_runs_with_one_seed_do_the_same(protocol: str) -> None:
    assert differing(usual(protocol), transcripts(protocol, 7, 1)) == []


@pytest.mark.parametrize(("protocol", "version"), [(name, version) for name in VERSIONS for version in VERSIONS[name]])
def test_two_runs_with_one_seed_do_the_same_amid_benign_faults(protocol: str, version: str) -> None:
    one, two = (transcripts(protocol, 7, 1, version, plan=benign_profile()) for _ in range(2))
    assert any(record.kind is Kind.FIRED for records in one[0].values() for record in records)
    assert differing(one, two) == []


@protocols
def test_verdicts_depend_on_neither_the_scheduler_nor_the_seed(protocol: str) -> None:
    assert usual(protocol)[1] == other(protocol)[1]


@protocols
def test_another_seed_draws_other_keys(protocol: str) -> None:
    first, second = (keys(cases) for cases, _ in (usual(protocol), other(protocol)))
    assert first and second
    assert first.isdisjoint(second)


def keys(cases: dict[str, list[Record]]) -> set[str]:
    """What ties stimuli to the witness."""
    return {record.data["key"] for records in cases.values() for record in records if record.kind is Kind.STIMULUS}
