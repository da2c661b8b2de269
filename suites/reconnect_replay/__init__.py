"""The suite: reconnect replay."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_connections, mcp_sessions, mcp_streams

    return assemble(__name__, [mcp, mcp_streams, mcp_sessions, mcp_connections], mutants_of("reconnect_replay"))
