"""One seed, one run: two runs against the reference give equal transcripts and verdicts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
import trio._core._run as scheduler
from seatrial.discovery import load_suites
from seatrial.normalisation import normalised
from seatrial.transcript import Kind, Record, decode

from .sailing import sail

pytestmark = pytest.mark.selfcheck

VERSIONS = {"mcp": ("2025-11-25", "2026-07-28"), "a2a": ("0.3", "1.0"), "agui": ("1.0",)}
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
DRAWN = re.compile(
    rf"#\d+|<\d+>|\\\"id\\\": \d+|{UUID}|\b[0-9a-f]{{12}}\b|hook-\d+|127\.0\.0\.1:\d+|pageToken\W+[\w%=]+"
)
"""Ids, keys, webhooks and positions: which of the parts of a case that run at once gets which of them is chance."""
protocols = pytest.mark.parametrize("protocol", VERSIONS)


def transcripts(protocol: str, seed: int, order: int) -> tuple[dict[str, list[Record]], dict[str, str]]:
    """The records and the verdicts by case. `order` varies how the scheduler shuffles what is ready together."""
    scheduler._ALLOW_DETERMINISTIC_SCHEDULING = True
    scheduler._r.seed(order)
    lines: list[str] = []
    results = sail(None, load_suites(), protocol=protocol, sink=lines.append, seed=seed, versions=VERSIONS[protocol])
    cases: dict[str, list[Record]] = defaultdict(list)
    for line in lines:
        case, record = decode(line)
        cases[case].append(record)
    return cases, {result.case.id: result.verdict for result in results}


def done(records: list[Record]) -> Counter[str]:
    """What we did in a case: every message sent and every fault fired, in whatever order, under whatever request id.

    What came back is left out: how much of an abandoned stream had arrived is the scheduler's affair. So is what the
    server makes up, and which of several parts that run at once comes first.
    """
    ours = [record for record in records if record.kind in (Kind.SENT, Kind.FIRED)]
    lines = (line for _, operation in normalised(ours) for line in operation)
    return Counter(DRAWN.sub("", line) for line in lines)


@protocols
def test_two_runs_with_one_seed_do_the_same(protocol: str) -> None:
    (first, verdicts), (second, again) = transcripts(protocol, 7, 1), transcripts(protocol, 7, 1)
    assert verdicts == again
    differing = [case for case in verdicts if done(first[case]) != done(second[case])]
    assert differing == []


@protocols
def test_verdicts_do_not_depend_on_the_scheduler(protocol: str) -> None:
    assert transcripts(protocol, 7, 1)[1] == transcripts(protocol, 7, 2)[1]


@protocols
def test_another_seed_draws_other_keys(protocol: str) -> None:
    (first, _), (second, _) = transcripts(protocol, 7, 1), transcripts(protocol, 8, 1)
    assert keys(first)
    assert keys(first) != keys(second)


def keys(cases: dict[str, list[Record]]) -> set[str]:
    """What ties stimuli to the witness."""
    return {record.data["key"] for records in cases.values() for record in records if record.kind is Kind.STIMULUS}
