"""The small grammars that the suite reads lists with."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.suites.capability_negotiation.mcp_discover import EXTENSION_ID
from seatrial.suites.capability_negotiation.mcp_entries import URI_TEMPLATE, schema_fault
from seatrial.suites.capability_negotiation.mcp_mirrored import faults

B, D = "2025-03-26", "2025-11-25"
REGION = {"type": "string", "x-mcp-header": "Region"}


def within(*path: str, leaf: Any = REGION) -> Any:
    """A schema with a leaf below a path of members."""
    for name in reversed(path):
        leaf = {name: leaf}
    return {"type": "object", **leaf}


@pytest.mark.parametrize(
    "name", ["io.modelcontextprotocol/tasks", "com.example/x-1", "a/b", "com.example/", "a-b.c2/D_e.f"]
)
def test_an_extension_id_has_a_prefix_and_legal_labels(name: str) -> None:
    assert EXTENSION_ID.fullmatch(name)


@pytest.mark.parametrize(
    "name", ["tasks", "/tasks", "1com/x", "com-/x", "com..example/x", "com.example/-x", "com.example/x y"]
)
def test_what_is_no_extension_id(name: str) -> None:
    assert not EXTENSION_ID.fullmatch(name)


@pytest.mark.parametrize("uri", ["file:///{path}", "x://{+a,b*}/{?q:3}", "plain://x", "a://{%41.b}", "{/var}"])
def test_a_uri_template_parses(uri: str) -> None:
    assert URI_TEMPLATE.fullmatch(uri)


@pytest.mark.parametrize(
    "uri", ["", "x://{a", "x://a}", "x://{}", "x://{a b}", "x://{a:path}", "x://{a:0}", "x://{{a}}"]
)
def test_what_is_no_uri_template(uri: str) -> None:
    assert not URI_TEMPLATE.fullmatch(uri)


def test_a_schema_is_read_in_its_dialect() -> None:
    tuples = {"type": "object", "properties": {"a": {"items": [{"type": "string"}]}}}
    assert schema_fault(tuples, D)
    assert not schema_fault(tuples, B), "before 2025-11-25 draft 7 will do"
    assert not schema_fault({"$schema": "http://json-schema.org/draft-07/schema#", **tuples}, D)


@pytest.mark.parametrize(
    "schema",
    [
        within("properties", "region"),
        within("properties", "where", "properties", "region"),
        within("properties", "x-mcp-header", leaf={"type": "string"}),
        within("properties", "a", leaf={"type": ["integer", "null"], "x-mcp-header": "A"}),
        within("properties", "a", "default", leaf={"x-mcp-header": 5}),
        None,
    ],
)
def test_annotations_that_are_valid(schema: Any) -> None:
    assert faults(schema) == []


@pytest.mark.parametrize(
    "schema",
    [
        within("properties", "regions", "items"),
        within("$defs", "region"),
        within("properties", "a", leaf={"anyOf": [REGION]}),
        within("properties", "a", leaf={"type": "number", "x-mcp-header": "A"}),
        within("properties", "a", leaf={"type": "string", "x-mcp-header": ""}),
        within("properties", "a", leaf={"type": "string", "x-mcp-header": "a\r\nb"}),
        within("properties", leaf={"a": REGION, "b": {"type": "string", "x-mcp-header": "REGION"}}),
    ],
)
def test_annotations_that_are_not(schema: Any) -> None:
    assert len(faults(schema)) == 1
