"""The suite: push deduplication."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp, mcp_changes, mcp_logs, mcp_progress, mcp_repeats, mcp_rounds, mcp_sessions, mcp_subscriptions

    modules = [mcp, mcp_progress, mcp_logs, mcp_changes, mcp_sessions, mcp_subscriptions, mcp_rounds, mcp_repeats]
    return assemble(__name__, modules, mutants_of("push_deduplication"))
