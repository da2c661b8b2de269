"""MCP 2026-07-28: server/discover, and the extensions that it announces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from seatrial import CLIENT_CAPABILITIES, MODERN, Isolation, McpLab, check, expect
from seatrial.judge import shape

from .mcp_client import EVERYTHING

_LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
EXTENSION_ID = re.compile(rf"{_LABEL}(?:\.{_LABEL})*/(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?")
"""A key of _meta with its prefix (basic/index#_meta)."""


def capabilities(lab: McpLab) -> Mapping[str, Any]:
    """Those of the discover result of this column."""
    found = lab.claimed.get("capabilities")
    return found if isinstance(found, dict) else {}


def extensions(lab: McpLab) -> Mapping[str, Any]:
    found = capabilities(lab).get("extensions")
    return found if isinstance(found, dict) else {}


@check(
    "mcp.cap.discover-implemented",
    "The server implements server/discover",
    mutants=("discover.refused-to-capable-clients",),
    isolation=Isolation.SESSION,
)
async def discover_is_served(lab: McpLab) -> None:
    """server/discover as the first request, again after another one, and by a client that declares everything."""
    async with lab.session(opened=False) as session:
        lab.expect(expect.answered(await session.discover()))
        await session.request("tools/list")
        lab.expect(expect.answered(await session.request("server/discover")))
        capable = {"_meta": {CLIENT_CAPABILITIES: dict(EVERYTHING)}}
        lab.expect(expect.answered(await session.request("server/discover", capable)))


@check(
    "mcp.cap.discover-shape",
    "The discover result carries all its required fields",
    mutants=("discover.versions-as-text", "result.without-type"),
)
async def discover_result_is_whole(lab: McpLab) -> None:
    """server/discover; the result is compared with its shape, is complete, and names at least one version."""
    async with lab.session() as session:
        answer = lab.need(await session.request("server/discover"), "server/discover")
        faults = shape.shape_faults(lab.version, answer.message.payload, "server/discover")
        lab.expect(expect.that(not faults, "a discover result of its shape", "; ".join(faults), answer))
        kind, listed = answer.members.get("resultType"), answer.members.get("supportedVersions")
        lab.expect(expect.that(kind == "complete", "resultType complete", kind, answer))
        lab.expect(expect.that(bool(listed), "at least one version", listed, answer))


@check(
    "mcp.cap.discover-lists-served-version",
    "server/discover lists the modern versions that the server really serves",
    mutants=("discover.lists-what-it-refuses", "discover.versions-as-text"),
    isolation=Isolation.SESSION,
)
async def listed_versions_are_served(lab: McpLab) -> None:
    """The version in use is listed; each other modern version that is listed is used for a server/discover."""
    async with lab.session() as session:
        answer = lab.need(await session.request("server/discover"), "server/discover")
    listed = answer.members.get("supportedVersions")
    versions = listed if isinstance(listed, list) else []
    lab.expect(expect.that(lab.version in versions, f"{lab.version}, which is served, is listed", listed, answer))
    for version in versions:
        if isinstance(version, str) and version > MODERN:
            async with lab.session(version=version, opened=False) as session:
                outcome = await session.discover()
                lab.expect(expect.answered(outcome, f"{version}, which is listed, is served"))


@check(
    "mcp.cap.discover-vs-init-consistent",
    "A server of both eras announces the same capabilities in both",
    mutants=("discover.announces-less",),
    isolation=Isolation.SESSION,
)
async def eras_agree(lab: McpLab) -> None:
    """The discover result against the initialize result of the newest version of the older era. What only one era
    has (tasks, extensions, subscriptions to resources) is left out."""
    older = max((version for version in lab.berth.claims.versions(lab.binding) if version < MODERN), default=None)
    if older is None:
        lab.not_applicable("the server speaks no version of the older era on this binding", lab.claim_record)
    async with lab.session(version=older, opened=False) as session:
        answer = lab.need(await session.initialize(), "initialize")
    then, now = _comparable(session.declared), _comparable(capabilities(lab))
    differing = sorted(kind for kind in then.keys() | now.keys() if then.get(kind) != now.get(kind))
    lab.expect(expect.that(not differing, f"the capabilities of {older}", differing, answer, lab.claim_record))


def _comparable(capabilities: Mapping[str, Any]) -> dict[str, bool]:
    """Kind -> whether changes of its list are announced."""
    kinds = ("tools", "resources", "prompts", "completions", "logging")
    found = {kind: capabilities[kind] for kind in kinds if kind in capabilities}
    return {kind: isinstance(value, dict) and value.get("listChanged") is True for kind, value in found.items()}


@check(
    "mcp.cap.extension-id-format",
    "Extension identifiers have a prefix and legal labels",
    mutants=("extension.bare-name",),
)
async def extension_ids_are_well_formed(lab: McpLab) -> None:
    """Every key of capabilities.extensions in the discover result."""
    announced = extensions(lab)
    if not announced:
        lab.not_applicable("the server announces no extension", lab.claim_record)
    wrong = [name for name in announced if not EXTENSION_ID.fullmatch(name)]
    lab.expect(expect.that(not wrong, "identifiers with a prefix and legal labels", wrong, lab.claim_record))
