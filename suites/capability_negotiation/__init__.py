"""The suite: capability negotiation."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_client, mcp_declared, mcp_discover, mcp_entries, mcp_lists, mcp_meta, mcp_mirrored, mcp_tasks

    return assemble(
        __name__,
        [mcp, mcp_declared, mcp_client, mcp_discover, mcp_entries, mcp_lists, mcp_meta, mcp_mirrored, mcp_tasks],
        mutants_of("capability_negotiation"),
    )
