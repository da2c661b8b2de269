"""The suite: error mapping."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_channel, mcp_malformed, mcp_monitors, mcp_robustness

    return assemble(
        __name__, [mcp, mcp_malformed, mcp_channel, mcp_robustness, mcp_monitors], mutants_of("error_mapping")
    )
