"""The suite: cancellation."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_harmless, mcp_modern, mcp_nested

    return assemble(__name__, [mcp, mcp_harmless, mcp_modern, mcp_nested], mutants_of("cancellation"))
