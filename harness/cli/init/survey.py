"""What a target offers: its protocol and versions, its tools, prompts, resources or skills, and what comes of asking
for them. A survey is a check that looks, and tries what can do no harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import anyio

from ...claims import Claims
from ...conduct import Conduct
from ...config import MILESTONES
from ...engine import Options, run
from ...events import Event, RunStarted
from ...lab import Lab
from ...listing import walk
from ...model import Check, Level, Requirement, Suite
from ...pace import Withheld
from ...protocols import driver_of, names
from ...protocols.mcp.versions import SERVER_INFO
from ...target import Target
from .proposal import Candidates, Effects, Proposal, candidates
from .rehearsal import Finding, found_fitting, mirror, rehearse, stage

LISTS = ("tools", "prompts", "resources")
TRYING = 30.0
"""Seconds after which what is left is not tried any more."""

PAGES = 20
"""So many pages of one list are read; a target may have no last one."""

Item = Mapping[str, Any]


@dataclass(slots=True)
class Survey:
    """What was found. `columns`: the (version, binding) pairs that are spoken. Items are as the target sent them.

    `findings`: what came of those proposals that were tried.
    """

    protocol: str = "mcp"
    columns: list[tuple[str, str]] = field(default_factory=list)
    items: dict[str, dict[str, Item]] = field(default_factory=lambda: {kind: {} for kind in (*LISTS, "skills")})
    claims: Claims = field(default_factory=Claims)
    findings: list[Finding] = field(default_factory=list)
    bold: bool = False
    """What may have effects is tried too."""

    @property
    def newest(self) -> tuple[str, str]:
        """The column in which the target is looked at: that of its newest version."""
        return max(self.columns, key=lambda column: column[0])

    @property
    def name(self) -> str:
        """What the target calls itself; "" where it does not tell."""
        return next((name for spoken in self.claims.spoken if (name := _named(spoken.server))), "")

    @property
    def candidates(self) -> Candidates:
        return candidates(self.protocol, self.items)

    @property
    def doubtful(self) -> list[str]:
        """What would be tried if it were known to do no harm."""
        proposals = (proposal for listed in self.candidates.values() for proposal in listed)
        return list(dict.fromkeys(p.stimulus.name for p in proposals if p.effects is Effects.POSSIBLE))

    def heard(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.columns = [(case.column.version, case.column.binding) for case in event.cases]
            self.protocol = next((row.protocol for case in event.cases for row in case.rows), self.protocol)

    async def look(self, lab: Lab[Any]) -> None:
        """See what the target has, in one column."""
        self.claims = lab.berth.claims
        if (lab.version, lab.binding) != self.newest:
            return
        async with stage(lab) as session:
            if self.protocol == "mcp":
                await self._lists(session)
            elif self.protocol == "a2a":
                self._keep("skills", lab.claimed["card"].get("skills"))
            mirror(lab, session, self.items["tools"])
            with anyio.move_on_after(TRYING):
                await self._try(lab, session)

    async def _lists(self, session: Any) -> None:
        for kind in LISTS:
            if kind in session.declared:
                self._keep(kind, (await walk(session, f"{kind}/list", PAGES)).entries)

    def _keep(self, kind: str, found: Any) -> None:
        """Items by name (resources: by URI); anything else that a target may send is passed over."""
        key = {"resources": "uri", "skills": "id"}.get(kind, "name")
        for item in found if isinstance(found, list) else ():
            if isinstance(item, dict) and isinstance(item.get(key), str):
                self.items[kind][item[key]] = item

    async def _try(self, lab: Lab[Any], session: Any) -> None:
        allowed = (Effects.NONE, Effects.POSSIBLE) if self.bold else (Effects.NONE,)
        for proposals in self.candidates.values():
            harmless = [proposal for proposal in proposals if proposal.effects in allowed]
            with suppress(Withheld):
                self.findings += await found_fitting(lab, session, harmless)


def _named(server: Mapping[str, Any]) -> str:
    """The name in the answer of a server of MCP, of either era, or in the card of an agent."""
    meta = server.get("_meta")
    info = server.get("serverInfo") or (meta.get(SERVER_INFO) if isinstance(meta, Mapping) else None) or server
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else ""


async def survey(target: Target, bold: bool = False) -> Survey:
    """Look at a target. `bold`: try tools that may have effects too. Raises Unreachable."""
    found = Survey(bold=bold)
    await _run(target, found.look, Options(concurrency=1, conduct=Conduct(allow_effects=bold)), found)
    return found


async def trial(target: Target, found: Survey, proposals: Sequence[Proposal]) -> list[Finding]:
    """Play each of some proposals once, which somebody has said may be done. Raises Unreachable."""
    version, binding = found.newest
    findings: list[Finding] = []

    async def play(lab: Lab[Any]) -> None:
        if (lab.version, lab.binding) == (version, binding):
            async with stage(lab) as session:
                mirror(lab, session, found.items["tools"])
                findings.extend([await rehearse(lab, session, proposal) for proposal in proposals])

    conduct = Conduct(allow_effects=True)
    await _run(target, play, Options(concurrency=1, versions=(version,), bindings=(binding,), conduct=conduct))
    return findings


async def _run(target: Target, body: Any, options: Options, listener: Survey | None = None) -> None:
    rows = tuple(map(_row, names()))
    checks = tuple(Check(row.id, row.title, (row.id,), body) for row in rows)
    heard = listener.heard if listener else lambda event: None
    for result in await run(target, (Suite("survey", checks, rows),), options, heard):
        if result.traceback:
            raise RuntimeError(result.traceback)


def _row(protocol: str) -> Requirement:
    """A row that holds in every column of a protocol."""
    known = driver_of(protocol)
    bindings = tuple(binding for listens in (True, False) for binding in known.bindings(listens))
    versions = (*known.versions, *MILESTONES)
    title = "The target tells what it offers."
    return Requirement(f"survey.{protocol}", "survey", protocol, Level.INFO, versions, bindings, "", title)
