"""Walking a list of MCP to its end."""

from __future__ import annotations

from typing import Any

from .lab import Lab
from .protocols.mcp.session import Session
from .protocols.outcome import Outcome

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""Method -> the member of its result that holds the entries."""

PAGES = 50
"""Pages that are followed at most."""


async def entries(lab: Lab, session: Session, method: str) -> tuple[list[dict[str, Any]], Outcome]:
    """Every entry of a list that is an object, and the last page. Raises Inconclusive for a page that does not come."""
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    for _ in range(PAGES):
        page = lab.need(await session.request(method, params), f"{method}")
        result = page.result if isinstance(page.result, dict) else {}
        listed = result.get(LISTS[method])
        found += [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        if not isinstance(result.get("nextCursor"), str):
            break
        params = {"cursor": result["nextCursor"]}
    return found, page
