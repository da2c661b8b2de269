"""The suite: error mapping."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import (
        mcp,
        mcp_authorization,
        mcp_channel,
        mcp_failures,
        mcp_http,
        mcp_malformed,
        mcp_monitors,
        mcp_robustness,
    )

    requests = (mcp, mcp_malformed, mcp_failures, mcp_channel, mcp_robustness)
    over_http = (mcp_http, mcp_authorization)
    return assemble(__name__, [*requests, *over_http, mcp_monitors], mutants_of("error_mapping"))
