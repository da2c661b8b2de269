"""The suite: reconnect replay."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import (
        mcp,
        mcp_connections,
        mcp_processes,
        mcp_rounds,
        mcp_sessions,
        mcp_stateless,
        mcp_streams,
    )

    modules = [mcp, mcp_streams, mcp_sessions, mcp_connections, mcp_stateless, mcp_rounds, mcp_processes]
    return assemble(__name__, modules, mutants_of("reconnect_replay"))
