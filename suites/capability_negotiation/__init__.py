"""The suite: capability negotiation."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import capability_negotiation as mutants

    from . import mcp

    return assemble(__name__, [mcp], mutants.MUTANTS)
