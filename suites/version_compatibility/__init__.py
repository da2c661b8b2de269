"""The suite: version compatibility."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_eras, mcp_headers, mcp_monitors, mcp_params

    return assemble(
        __name__, [mcp, mcp_headers, mcp_params, mcp_eras, mcp_monitors], mutants_of("version_compatibility")
    )
