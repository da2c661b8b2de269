"""Walking a list of MCP to its end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .judge.pagination import Page
from .labs import McpLab
from .protocols.mcp.session import Session
from .protocols.outcome import Answer, Outcome

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""Method -> the member of its result that holds the entries."""

KEYS = {"resources/list": "uri", "resources/templates/list": "uriTemplate"}
"""Method -> the member that tells its entries apart, `name` where nothing is said."""

PAGES = 200
"""Pages that are followed at most."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What a list showed, page by page. `last` is the end of the last request, an Answer unless a page did not come."""

    method: str
    pages: tuple[Answer, ...]
    last: Outcome

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Every entry that is an object."""
        return [entry for page in self.pages for entry in _entries(page, self.method) if isinstance(entry, dict)]

    @property
    def named(self) -> tuple[Page, ...]:
        """The pages as their judges want them: each name once."""
        key = KEYS.get(self.method, "name")
        return tuple(
            Page(
                tuple(dict.fromkeys(_name(entry, key) for entry in _entries(page, self.method))),
                page.members.get("nextCursor"),
                page.message.record,
            )
            for page in self.pages
        )


async def walk(session: Session, method: str, limit: int = PAGES) -> Walk:
    """Follow the cursors of a list, until a page has no new one that is a string, or does not come."""
    pages: list[Answer] = []
    cursors: list[Any] = []
    while True:
        outcome = await session.request(method, {"cursor": cursors[-1]} if cursors else {})
        if not isinstance(outcome, Answer):
            return Walk(method, tuple(pages), outcome)
        pages.append(outcome)
        following = outcome.members.get("nextCursor")
        if not isinstance(following, str) or following in cursors or len(pages) == limit:
            return Walk(method, tuple(pages), outcome)
        cursors.append(following)


async def entries(lab: McpLab, session: Session, method: str) -> tuple[list[dict[str, Any]], Outcome]:
    """Every entry of a list that is an object, and the last page. Raises Inconclusive for a page that does not come."""
    found = await walk(session, method)
    return found.entries, lab.need(found.last, method)


def _entries(page: Answer, method: str) -> list[Any]:
    listed = page.members.get(LISTS[method])
    return listed if isinstance(listed, list) else []


def _name(entry: Any, key: str) -> str:
    """The name of an entry, or all of it where it has none."""
    name = entry.get(key) if isinstance(entry, dict) else None
    return name if isinstance(name, str) else json.dumps(entry, sort_keys=True)
