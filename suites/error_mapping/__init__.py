"""The suite: error mapping."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_channel, mcp_failures, mcp_http, mcp_malformed, mcp_monitors, mcp_robustness

    modules = [mcp, mcp_malformed, mcp_failures, mcp_channel, mcp_http, mcp_robustness, mcp_monitors]
    return assemble(__name__, modules, mutants_of("error_mapping"))
