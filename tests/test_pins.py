"""No check kills a mutant of something else unnoticed."""

from __future__ import annotations

import pytest
from seatrial.discovery import load_suites

from .pins import CHAOTIC, bystanders, pinned

pytestmark = pytest.mark.pins

MUTANTS = {m.id: m for suite in load_suites() for m in suite.mutants}


@pytest.mark.parametrize("mutant", sorted(MUTANTS.keys() - set(CHAOTIC)))
def test_a_mutant_is_killed_by_no_bystander_that_is_not_pinned(mutant: str) -> None:
    assert set(bystanders(MUTANTS[mutant])) <= set(pinned().get(mutant, []))


def test_every_pin_is_of_a_mutant_that_exists() -> None:
    assert pinned().keys() <= MUTANTS.keys()
