"""What a target offers: its protocol and versions, its tools, prompts, resources or skills. A survey is a check that
only looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..config import MILESTONES
from ..engine import Options, run
from ..events import Event, RunStarted
from ..lab import Lab
from ..labs import A2aLab, McpLab
from ..model import Check, Level, Requirement, Suite
from ..protocols import driver_of, names
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

    protocol: str = "mcp"
    columns: list[tuple[str, str]] = field(default_factory=list)
    items: dict[str, dict[str, Item]] = field(default_factory=lambda: {kind: {} for kind in (*LISTS, "skills")})

    def heard(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.columns = [(case.column.version, case.column.binding) for case in event.cases]
            self.protocol = next((row.protocol for case in event.cases for row in case.rows), self.protocol)

    async def look(self, lab: Lab[Any]) -> None:
        """See what the target has in this column."""
        if self.protocol == "mcp":
            await self._lists(lab)
        elif self.protocol == "a2a":
            await self._skills(lab)

    async def _skills(self, lab: A2aLab) -> None:
        self._keep("skills", lab.claimed["card"].get("skills"))

    async def _lists(self, lab: McpLab) -> None:
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
        key = {"resources": "uri", "skills": "id"}.get(kind, "name")
        for item in found if isinstance(found, list) else ():
            if isinstance(item, dict) and isinstance(item.get(key), str):
                self.items[kind][item[key]] = item


async def survey(target: Target) -> Survey:
    """Ask a target, in every version that it speaks, the newest last and so believed. Raises Unreachable."""
    found = Survey()
    rows = tuple(map(_row, names()))
    checks = tuple(Check(row.id, row.title, (row.id,), found.look) for row in rows)
    await run(target, (Suite("survey", checks, rows),), Options(concurrency=1), found.heard)
    return found


def _row(protocol: str) -> Requirement:
    """A row that holds in every column of a protocol."""
    known = driver_of(protocol)
    bindings = tuple(binding for listens in (True, False) for binding in known.bindings(listens))
    versions = (*known.versions, *MILESTONES)
    title = "The target tells what it offers."
    return Requirement(f"survey.{protocol}", "survey", protocol, Level.INFO, versions, bindings, "", title)
