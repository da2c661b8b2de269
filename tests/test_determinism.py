"""One seed, one run: two runs against the reference give equal transcripts and verdicts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
import trio._core._run as scheduler
from seatrial.discovery import load_suites
from seatrial.faults import Fault, benign_profile
from seatrial.normalisation import normalised
from seatrial.transcript import Kind, Record, decode

from .sailing import sail

pytestmark = pytest.mark.selfcheck

VERSIONS = {"mcp": ("2025-11-25", "2026-07-28"), "a2a": ("0.3", "1.0"), "agui": ("1.0",)}
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
DRAWN = re.compile(rf"#\d+|<\d+>|\\\"id\\\": \d+|{UUID}|\b[0-9a-f]{{12}}\b|hook-\d+|:4\d{{4}}\b|pageToken\W+[\w%=]+")
"""Ids, keys, webhooks and positions: which of the parts of a case that run at once gets which of them is chance."""
protocols = pytest.mark.parametrize(
    "protocol", [pytest.param(protocol, marks=pytest.mark.xdist_group(f"{protocol} again")) for protocol in VERSIONS]
)
"""What one worker looks at has to be played once."""


Transcripts = tuple[dict[str, list[Record]], dict[str, str]]
"""The records and the verdicts by case."""


def transcripts(protocol: str, seed: int, order: int, plan: Sequence[Fault] = (), newest: bool = False) -> Transcripts:
    """What a run comes to. `order` varies how the scheduler shuffles what is ready together."""
    scheduler._ALLOW_DETERMINISTIC_SCHEDULING = True
    scheduler._r.seed(order)
    lines: list[str] = []
    asked = {"versions": VERSIONS[protocol][-1:] if newest else VERSIONS[protocol], "seed": seed, "plan": tuple(plan)}
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


def done(records: list[Record]) -> Counter[str]:
    """What we did in a case: every message sent and every fault fired, in whatever order, under whatever request id.

    What came back is left out: how much of an abandoned stream had arrived is the scheduler's affair. So is what the
    server makes up, and which of several parts that run at once comes first.
    """
    ours = [record for record in records if record.kind in (Kind.SENT, Kind.FIRED)]
    lines = (line for _, operation in normalised(ours) for line in operation)
    return Counter(DRAWN.sub("", line) for line in lines)


def done_amid_faults(records: list[Record]) -> dict[str, int]:
    """As `done`, but of a fault only whether it fired: how often it does differs between two runs, probably since real
    time decides how long idle connections are kept, and so how many there are."""
    return {line: 1 if line.startswith("fired") else number for line, number in done(records).items()}


def differing(one: Transcripts, two: Transcripts, view: Callable[[list[Record]], Any] = done) -> list[str]:
    (first, verdicts), (second, again) = one, two
    assert verdicts == again
    return [case for case in verdicts if view(first[case]) != view(second[case])]


@protocols
def test_two_runs_with_one_seed_do_the_same(protocol: str) -> None:
    assert differing(usual(protocol), transcripts(protocol, 7, 1)) == []


@protocols
def test_two_runs_with_one_seed_do_the_same_amid_benign_faults(protocol: str) -> None:
    one, two = (transcripts(protocol, 7, 1, benign_profile(), newest=True) for _ in range(2))
    assert differing(one, two, done_amid_faults) == []


@protocols
def test_verdicts_do_not_depend_on_the_scheduler(protocol: str) -> None:
    assert usual(protocol)[1] == transcripts(protocol, 7, 2)[1]


@protocols
def test_another_seed_draws_other_keys(protocol: str) -> None:
    (first, _), (second, _) = usual(protocol), transcripts(protocol, 8, 1)
    assert keys(first)
    assert keys(first) != keys(second)


def keys(cases: dict[str, list[Record]]) -> set[str]:
    """What ties stimuli to the witness."""
    return {record.data["key"] for records in cases.values() for record in records if record.kind is Kind.STIMULUS}
