"""The suite: capability negotiation."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_declared

    return assemble(__name__, [mcp, mcp_declared], mutants_of("capability_negotiation"))
