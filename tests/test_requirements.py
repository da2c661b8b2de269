"""The requirement tables are well formed, and a malformed one is refused with a sentence that names the row."""

from __future__ import annotations

import json
from typing import Any

import pytest
from seatrial.requirements import TableError, load, parse

THEMES = {
    "capability_negotiation": 125,
    "version_compatibility": 101,
    "error_mapping": 160,
    "push_deduplication": 133,
    "reconnect_replay": 149,
    "cancellation": 65,
}
VERSIONS = {
    "mcp": {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"},
    "a2a": {"0.1", "0.2", "0.3", "1.0", "1.1-draft"},
    "agui": {"0.1.4", "0.1.10", "0.1.15", "0.1.19", "0.1.21", "1.0"},
    "websocket": {"13"},
}
BINDINGS = {
    "mcp": {"streamable-http", "http+sse", "stdio"},
    "a2a": {"JSONRPC", "HTTP+JSON", "GRPC"},
    "agui": {"sse", "protobuf"},
    "websocket": {"websocket"},
}

ROW: dict[str, Any] = {
    "id": "mcp.cap.some",
    "suite": "capability_negotiation",
    "protocol": "mcp",
    "level": "MUST",
    "versions": ["2025-11-25"],
    "bindings": ["stdio"],
    "spec": "basic#some",
    "title": "Some claim.",
}


@pytest.mark.parametrize(("theme", "count"), THEMES.items())
def test_each_theme_has_its_rows(theme: str, count: int) -> None:
    rows = load(f"seatrial.suites.{theme}")
    assert len(rows) == count
    assert {row.suite for row in rows} == {theme}


def test_ids_are_unique_across_the_themes() -> None:
    ids = [row.id for theme in THEMES for row in load(f"seatrial.suites.{theme}")]
    assert len(ids) == len(set(ids)) == sum(THEMES.values())


def test_every_row_is_complete_and_uses_known_versions_and_bindings() -> None:
    for theme in THEMES:
        for row in load(f"seatrial.suites.{theme}"):
            assert row.id.startswith(f"{row.protocol}.")
            assert row.versions and set(row.versions) <= VERSIONS[row.protocol], row.id
            assert row.bindings and set(row.bindings) <= BINDINGS[row.protocol], row.id
            assert row.title and row.spec and row.probe and row.expected and row.needs, row.id


def test_a_row_becomes_a_requirement() -> None:
    (row,) = parse(json.dumps([ROW]))
    assert row.holds("2025-11-25", "stdio")
    assert not row.holds("2025-06-18", "stdio")
    assert row.level.value == "MUST"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("{}", "JSON array"),
        ("[1]", "row 1: must be an object"),
        (json.dumps([{k: v for k, v in ROW.items() if k != "title"}]), "mcp.cap.some.*lacks title"),
        (json.dumps([{**ROW, "titel": "x"}]), "unknown titel"),
        (json.dumps([{**ROW, "level": "OUGHT"}]), "level must be one of MUST"),
        (json.dumps([{**ROW, "versions": "2025-11-25"}]), "versions must be a list of strings"),
        (json.dumps([{**ROW, "id": 7}]), "id must be a string"),
        (json.dumps([ROW, ROW]), "mcp.cap.some twice"),
    ],
)
def test_a_malformed_table_is_refused(text: str, says: str) -> None:
    with pytest.raises(TableError, match=says):
        parse(text, "some/requirements.json")


def test_a_missing_table_is_refused() -> None:
    with pytest.raises(TableError, match=r"seatrial\.wire/requirements\.json: cannot be read"):
        load("seatrial.wire")
