"""The suite: cancellation."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_harmless

    return assemble(__name__, [mcp, mcp_harmless], mutants_of("cancellation"))
