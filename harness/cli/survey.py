"""What a target offers: its versions, its tools, its prompts and its resources. A survey is a check that only looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..engine import Options, run
from ..events import Event, RunStarted
from ..labs import McpLab
from ..model import Check, Level, Requirement, Suite
from ..protocols.mcp.versions import BINDINGS, VERSIONS
from ..protocols.outcome import Answer
from ..target import Target

LISTS = {"tools": "tools/list", "prompts": "prompts/list", "resources": "resources/list"}
PAGES = 20
"""So many pages of one list are read; a target may have no last one."""

CLIENT: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""Some targets list a tool only for clients that can play their part in it."""

Item = Mapping[str, Any]


@dataclass(slots=True)
class Survey:
    """What was found. `columns`: the (version, binding) pairs that are spoken. Items are as the target sent them."""

    columns: list[tuple[str, str]] = field(default_factory=list)
    items: dict[str, dict[str, Item]] = field(default_factory=lambda: {kind: {} for kind in LISTS})

    def heard(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.columns = [(case.column.version, case.column.binding) for case in event.cases]

    async def look(self, lab: McpLab) -> None:
        """Read every list that the target has in this column."""
        async with lab.session(capabilities=CLIENT) as session:
            for kind in LISTS:
                if kind in session.declared:
                    await self._read(session, kind)

    async def _read(self, session: Any, kind: str) -> None:
        cursor: dict[str, Any] = {}
        for _ in range(PAGES):
            outcome = await session.request(LISTS[kind], cursor)
            result = outcome.result if isinstance(outcome, Answer) and isinstance(outcome.result, dict) else {}
            self._keep(kind, result.get(kind))
            if not isinstance(result.get("nextCursor"), str):
                return
            cursor = {"cursor": result["nextCursor"]}

    def _keep(self, kind: str, found: Any) -> None:
        """Items by name (resources: by URI); anything else that a target may send is passed over."""
        key = "uri" if kind == "resources" else "name"
        for item in found if isinstance(found, list) else ():
            if isinstance(item, dict) and isinstance(item.get(key), str):
                self.items[kind][item[key]] = item


async def survey(target: Target) -> Survey:
    """Ask a target, in every version that it speaks, the newest last and so believed. Raises Unreachable."""
    found = Survey()
    row = Requirement("survey", "survey", "mcp", Level.INFO, VERSIONS, BINDINGS, "", "The target tells what it offers.")
    check = Check(row.id, row.title, (row.id,), found.look)
    await run(target, (Suite(row.suite, (check,), (row,)),), Options(concurrency=1), found.heard)
    return found
