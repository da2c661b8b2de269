"""MCP: what every message of a run must be in its version, judged over all transcripts of a column."""

from __future__ import annotations

from collections.abc import Callable

from seatrial import Check, Histories, Judgement, Spoken, check
from seatrial.judge import errors, shape

Judge = Callable[[Histories, Spoken], Judgement]

MONITORS: tuple[tuple[str, str, Judge, str], ...] = (
    ("mcp.ver.jsonrpc-2", "Every message is JSON-RPC 2.0", shape.jsonrpc_2, "messages.without-jsonrpc"),
    (
        "mcp.ver.wire-shapes",
        "Every message has the shape of the negotiated version",
        shape.wire_shapes,
        "messages.misshapen-tools",
    ),
    (
        "mcp.ver.no-legacy-codes",
        "The error codes of older revisions are not used in the modern era",
        errors.no_legacy_codes,
        "messages.legacy-resource-code",
    ),
    (
        "mcp.ver.no-undefined-reserved-codes",
        "No undefined code of the reserved range is used",
        errors.no_undefined_reserved_codes,
        "messages.draft-code",
    ),
    (
        "mcp.ver.new-codes-outside-legacy-band",
        "Codes of the implementation stay outside the band -32019 to -32000",
        errors.new_codes_outside_legacy_band,
        "messages.code-in-the-band",
    ),
    (
        "mcp.ver.no-modern-leak-to-legacy",
        "No field of a later version appears in an older session",
        shape.no_later_fields,
        "messages.result-type-in-older",
    ),
)
"""Requirement, title, judge, mutant."""


def monitor(id: str, title: str, judge: Judge, mutant: str) -> Check:
    @check(id, title, mutants=(mutant,), monitor=True)
    def body(histories: Histories, spoken: Spoken) -> Judgement:
        """Every message of the run is looked at."""
        return judge(histories, spoken)

    return body


CHECKS = tuple(monitor(*row) for row in MONITORS)
