"""The tools of a server as a caution: which there are, and which it declares to be read-only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..outcome import Answer
from .session import Session

PAGES = 20
"""Pages of the list that are read at most."""


async def offered(session: Session) -> tuple[frozenset[str], frozenset[str]]:
    """The names of all tools, and of those whose annotation readOnlyHint is true (server/tools#tool)."""
    tools: list[dict[str, Any]] = []
    cursor: str | None = ""
    for _ in range(PAGES):
        outcome = await session.request("tools/list", {"cursor": cursor} if cursor else {})
        listed = outcome.members.get("tools") if isinstance(outcome, Answer) else None
        tools += [tool for tool in (listed if isinstance(listed, list) else ()) if isinstance(tool, dict)]
        cursor = outcome.members.get("nextCursor") if isinstance(outcome, Answer) else None
        if not isinstance(cursor, str) or not cursor:
            break
    return frozenset(str(tool.get("name")) for tool in tools), frozenset(
        str(tool.get("name")) for tool in tools if _reads(tool)
    )


def _reads(tool: dict[str, Any]) -> bool:
    annotations = tool.get("annotations")
    return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True


def called(message: Any) -> Iterator[str]:
    """The tools that a message, or a batch, calls."""
    for part in message if isinstance(message, list) else [message]:
        params = part.get("params") if isinstance(part, dict) and part.get("method") == "tools/call" else None
        if isinstance(params, dict) and isinstance(params.get("name"), str):
            yield params["name"]
