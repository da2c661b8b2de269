"""Where the clauses behind a requirement can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .model import Requirement

SITE = "https://modelcontextprotocol.io/specification"
_LETTERS = dict(zip("ABCDE", ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"), strict=True))
"""The letters by which a row limits one of its places to some versions."""

_LIMITED = re.compile(r"^([A-E](?:, [A-E])*): (.*)$")
_PAGE = re.compile(r"^[a-z]+(?:/[a-z_-]+)*(?:#[\w-]+)?$")
_RFC = re.compile(r"^RFC (\d+)(?: section ([\d.]+))?$")
_ELSEWHERE = (
    ("JSON-RPC 2.0", "https://www.jsonrpc.org/specification"),
    ("WHATWG HTML: server-sent events", "https://html.spec.whatwg.org/multipage/server-sent-events.html"),
    ("ext-tasks", "https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md"),
)


def clause_links(requirement: Requirement, version: str) -> tuple[str, ...]:
    """The addresses of the clauses of a requirement in one version; empty where no clause stands behind it."""
    return tuple(filter(None, (_address(place, version) for place in _places(requirement.spec, version))))


def _places(spec: str, version: str) -> Iterator[str]:
    """`place, place; A, B: place` without the places that other versions own."""
    for group in spec.split("; "):
        limited = _LIMITED.match(group)
        if limited and version not in [_LETTERS[letter] for letter in limited[1].split(", ")]:
            continue
        yield from (limited[2] if limited else group).split(", ")


def _address(place: str, version: str) -> str:
    for beginning, address in _ELSEWHERE:
        if place.startswith(beginning):
            return address + place.removeprefix(beginning) * place.startswith("ext-tasks#")
    if rfc := _RFC.match(place):
        return f"https://www.rfc-editor.org/rfc/rfc{rfc[1]}" + (f"#section-{rfc[2]}" if rfc[2] else "")
    if place.startswith("security best practices"):
        return f"{SITE}/{version}/basic/security_best_practices"
    return f"{SITE}/{version}/{place}" if _PAGE.match(place) and place != "robustness" else ""
