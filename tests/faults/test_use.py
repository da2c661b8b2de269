"""What there is to inject is injected: each malign fault by a check, each benign one by the profile or by a check."""

from __future__ import annotations

import pytest
from seatrial.discovery import load_suites
from seatrial.faults import FAULTS, Fault

USED = {name for suite in load_suites() for check in suite.checks for name in check.faults}
UNNOTICED = {"harness_jump"}
"""It happens to Seatrial, and no target can tell: tests/engine/test_outages.py sees what our own timers make of it."""
MALIGN = sorted(name for name, kind in FAULTS.items() if not kind().benign and name not in UNNOTICED)


@pytest.mark.parametrize("name", MALIGN)
def test_a_malign_fault_is_used_by_a_check(name: str) -> None:
    assert name in USED


@pytest.mark.parametrize("kind", FAULTS.values(), ids=lambda kind: kind.name)
def test_a_fault_says_what_it_does(kind: type[Fault]) -> None:
    assert (kind.__doc__ or "").strip(), f"{kind.name} has no sentence for its page"
    assert kind.mounts
