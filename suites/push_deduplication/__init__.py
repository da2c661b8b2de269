"""The suite: push deduplication."""

from __future__ import annotations

from seatrial import Suite, assemble


def suite() -> Suite:
    from seatrial.fixtures.mutants import mutants_of

    from . import mcp

    return assemble(__name__, [mcp], mutants_of("push_deduplication"))
