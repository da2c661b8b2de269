"""MCP 2026-07-28: the annotations of parameters that are mirrored in headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from seatrial import Feature, McpLab, check, expect

from .mcp_entries import listed_tools

ANNOTATION = "x-mcp-header"
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A field name of HTTP (RFC 9110, section 5.1)."""

MIRRORED_TYPES = {"string", "integer", "boolean"}
DATA = {"default", "const", "enum", "examples"}
"""Members of a schema that hold values, not schemas."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """A schema with the annotation. `reachable`: only `properties` lead to it."""

    schema: dict[str, Any]
    reachable: bool

    @property
    def name(self) -> Any:
        return self.schema[ANNOTATION]


def annotated(schema: Any, reachable: bool = True) -> Iterator[Annotated]:
    """Every annotation in a schema, wherever it stands."""
    if isinstance(schema, list):
        for item in schema:
            yield from annotated(item, False)
    if not isinstance(schema, dict):
        return
    if ANNOTATION in schema:
        yield Annotated(schema, reachable)
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            for each in value.values():
                yield from annotated(each, reachable)
        elif key not in DATA:
            yield from annotated(value, False)


def faults(schema: Any) -> list[str]:
    """What is wrong with the annotations of an inputSchema."""
    found = list(annotated(schema))
    wrong = [text for each in found for text in _faults_of(each)]
    names = [each.name.lower() for each in found if isinstance(each.name, str)]
    return wrong + [f"{name} is there twice" for name in sorted({name for name in names if names.count(name) > 1})]


def _faults_of(each: Annotated) -> Iterator[str]:
    if not isinstance(each.name, str) or not TOKEN.fullmatch(each.name):
        yield f"{each.name!r:.80} is no token"
    if not each.reachable:
        yield f"{each.name!r:.80} is not reachable through properties alone"
    kind = each.schema.get("type")
    kinds = set(kind) - {"null"} if isinstance(kind, list) else {kind}
    if not kinds <= MIRRORED_TYPES:
        yield f"{each.name!r:.80} is on a value of type {kind!r:.80}"


@check(
    "mcp.cap.tool-xmcpheader-valid",
    "An x-mcp-header annotation obeys its constraints",
    needs={Feature.TOOLS},
    mutants=("mirrored.no-token", "mirrored.of-a-number", "mirrored.twice"),
)
async def annotations_are_valid(lab: McpLab) -> None:
    """Every inputSchema of tools/list: names that are tokens and unique, on texts, integers and booleans, reachable
    through properties only."""
    tools, page = await listed_tools(lab)
    marked = [tool for tool in tools if list(annotated(tool.get("inputSchema")))]
    if not marked:
        lab.not_applicable("no tool has a mirrored parameter", page)
    for tool in marked:
        wrong = "; ".join(faults(tool.get("inputSchema")))
        lab.expect(expect.that(not wrong, f"valid annotations of {tool.get('name')}", wrong, page))
