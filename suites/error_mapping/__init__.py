"""The suite: error mapping."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    return assemble(__name__, mutants_of("error_mapping"))
