"""The suite: error mapping."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_malformed

    return assemble(__name__, [mcp, mcp_malformed], mutants_of("error_mapping"))
