"""What a target offers: its protocol and versions, its tools, prompts, resources or skills, and what comes of asking
for them. A survey is a check that looks, and tries what can do no harm."""

from __future__ import annotations

from collections.abc import Mapping
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
from ...protocols.mcp.versions import MODERN, SERVER_INFO
from ...target import Target
from .proposal import Candidates, Effects, Proposal, candidates
from .rehearsal import Finding, found_fitting, mirror, rehearse, stage

LISTS = ("tools", "prompts", "resources")
TRYING = 20.0
"""Seconds after which what is left is not tried any more in a column."""

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
        """The column of the newest version."""
        return max(self.columns, key=lambda column: column[0])

    @property
    def stages(self) -> tuple[tuple[str, str], ...]:
        """The columns in which the target is looked at: the newest one, and of MCP that of the older era too, in which
        a server asks its client in other ways."""
        older = [column for column in self.columns if column[0] < MODERN and column[1] == self.newest[1]]
        return tuple(dict.fromkeys((self.newest, max(older, default=self.newest))))

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
        """See what the target has, in one column, and try what was not seen to work in another."""
        self.claims = lab.berth.claims
        if (lab.version, lab.binding) not in self.stages:
            return
        async with stage(lab) as session:
            if self.protocol == "mcp":
                await self._lists(session)
            elif self.protocol == "a2a":
                self._keep("skills", lab.claimed["card"].get("skills"), lab.version)
            mirror(lab, session, self.items["tools"])
            with anyio.move_on_after(TRYING):
                await self._try(lab, session)

    async def _lists(self, session: Any) -> None:
        for kind in LISTS:
            if kind in session.declared:
                self._keep(kind, (await walk(session, f"{kind}/list", PAGES)).entries, session.version)

    def _keep(self, kind: str, found: Any, version: str) -> None:
        """Items by name (resources: by URI), as the newest version has them; anything else is passed over."""
        key = {"resources": "uri", "skills": "id"}.get(kind, "name")
        items = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
        named = {item[key]: item for item in items if isinstance(item.get(key), str)}
        self.items[kind] = self.items[kind] | named if version == self.newest[0] else named | self.items[kind]

    async def _try(self, lab: Lab[Any], session: Any) -> None:
        allowed = (Effects.NONE, Effects.POSSIBLE) if self.bold else (Effects.NONE,)
        seen = {finding.proposal.role for finding in self.findings if finding.fits}
        for role, proposals in self.candidates.items():
            harmless = [proposal for proposal in proposals if proposal.effects in allowed and role not in seen]
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


async def trial(target: Target, found: Survey, proposal: Proposal) -> Finding | None:
    """Play a proposal, which somebody has said may be done, until it fits: once in each stage. Raises Unreachable."""
    findings: list[Finding] = []

    async def play(lab: Lab[Any]) -> None:
        fitting = any(finding.fits for finding in findings)
        if (lab.version, lab.binding) in found.stages and not fitting:
            async with stage(lab) as session:
                mirror(lab, session, found.items["tools"])
                findings.append(await rehearse(lab, session, proposal))

    versions, bindings = zip(*found.stages, strict=True)
    conduct = Conduct(allow_effects=True)
    await _run(target, play, Options(concurrency=1, versions=versions, bindings=bindings, conduct=conduct))
    return findings[-1] if findings else None


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
