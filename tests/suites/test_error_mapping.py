"""What the kill matrix does not show: the evidence that this suite leaves, and what it does not say."""

from __future__ import annotations

import json
from typing import Any

from seatrial.fixtures.mutants import find
from seatrial.model import Verdict
from seatrial.suites.error_mapping import suite

from ..sailing import sail

MODERN = "2026-07-28"


def test_a_token_in_a_query_reaches_the_target_and_no_evidence() -> None:
    lines: list[str] = []
    (result,) = sail(
        find("err.query-token").build,
        [suite()],
        checks=["mcp.err.auth-query-token"],
        versions=[MODERN],
        sink=lines.append,
    )
    assert result.verdict is Verdict.FAIL
    assert not [line for line in lines if "token-1" in line]


def test_a_message_that_ends_a_session_is_a_finding_whatever_the_level_of_its_row() -> None:
    (result,) = sail(
        find("err.garbage-ends-process").build,
        [suite()],
        checks=["mcp.err.deep-json"],
        versions=[MODERN],
        bindings=["stdio"],
    )
    assert result.verdict is Verdict.WARN


def test_silence_over_stdio_is_told_from_an_error_without_an_id() -> None:
    lines: list[str] = []
    (result,) = sail(
        suites=[suite()], checks=["mcp.err.parse"], versions=[MODERN], bindings=["stdio"], sink=lines.append
    )
    assert result.verdict is Verdict.PASS
    assert _errors(lines) == [{"code": -32700, "message": "Parse error"}] * 3


def _errors(lines: list[str]) -> list[dict[str, Any]]:
    messages = [json.loads(line)["data"].get("message") for line in lines]
    return [message["error"] for message in messages if isinstance(message, dict) and "error" in message]
