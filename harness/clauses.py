"""Where the clauses behind a requirement can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .model import Requirement

MCP_SITE = "https://modelcontextprotocol.io/specification"
A2A_SITE = "https://a2a-protocol.org"
AGUI_SITE = "https://docs.ag-ui.com"
_LETTERS = dict(zip("ABCDE", ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"), strict=True))
"""The letters by which a row of MCP limits one of its places to some versions."""

_LIMITED = re.compile(r"^([A-E](?:, [A-E])*): (.*)$")
_PAGE = re.compile(r"^[a-z]+(?:/[a-z_-]+)*(?:#[\w-]+)?$")
_SECTION = re.compile(r"^(?:(\d\.\d): )?(?:[\dA]+(?:\.\d+)*|proto .+)$")
_RFC = re.compile(r"^RFC (\d+)(?: section ([\d.]+))?$")
_ELSEWHERE = (
    ("JSON-RPC 2.0", "https://www.jsonrpc.org/specification"),
    ("WHATWG HTML: server-sent events", "https://html.spec.whatwg.org/multipage/server-sent-events.html"),
    ("ext-tasks", "https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md"),
)


def clause_links(requirement: Requirement, version: str) -> tuple[str, ...]:
    """The addresses of the clauses of a requirement in one version; empty where no clause stands behind it."""
    found = (_address(requirement.protocol, place, version) for place in _places(requirement.spec, version))
    return tuple(dict.fromkeys(filter(None, found)))


def _places(spec: str, version: str) -> Iterator[str]:
    """`place, place; A, B: place` without the places that other versions own."""
    for group in spec.split("; "):
        limited = _LIMITED.match(group)
        if limited and version not in [_LETTERS[letter] for letter in limited[1].split(", ")]:
            continue
        yield from (limited[2] if limited else group).split(", ")


def _address(protocol: str, place: str, version: str) -> str:
    for beginning, address in _ELSEWHERE:
        if place.startswith(beginning):
            return address + place.removeprefix(beginning) * place.startswith("ext-tasks#")
    if rfc := _RFC.match(place):
        return f"https://www.rfc-editor.org/rfc/rfc{rfc[1]}" + (f"#section-{rfc[2]}" if rfc[2] else "")
    known = _SITES.get(protocol)
    return known(place, version) if known and place != "robustness" else ""


def _mcp(place: str, version: str) -> str:
    if place.startswith("security best practices"):
        return f"{MCP_SITE}/{version}/basic/security_best_practices"
    return f"{MCP_SITE}/{version}/{place}" if _PAGE.match(place) else ""


def _a2a(place: str, version: str) -> str:
    """The whole specification is one page per version; sections are named in the row. A number of 0.3 says so."""
    if place.startswith("topics/"):
        return f"{A2A_SITE}/v1.0.0/{place}"
    section = _SECTION.match(place)
    if section is None or (section[1] or version) != version:
        return ""
    return f"{A2A_SITE}/v{version}.0/specification"


def _agui(place: str, version: str) -> str:
    if place == "schema":
        return "https://ag-ui.com/spec/1.0/schema.json"
    if place.startswith("0.x concept pages: "):
        return f"{AGUI_SITE}/concepts/{place.removeprefix('0.x concept pages: ')}"
    return f"{AGUI_SITE}/spec/1.0/{place}" if version == "1.0" and _PAGE.match(place) else ""


_SITES: dict[str, Callable[[str, str], str]] = {"mcp": _mcp, "a2a": _a2a, "agui": _agui}
"""Protocol -> where a place of its specification is."""
