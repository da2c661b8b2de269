"""The suite: error mapping."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import error_mapping as mutants

    from . import mcp

    return assemble(__name__, [mcp], mutants.MUTANTS)
