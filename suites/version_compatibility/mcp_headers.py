"""MCP 2026-07-28: the version in every request, and the headers that repeat the body."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial import (
    PROTOCOL_VERSION,
    Check,
    Feature,
    Isolation,
    McpLab,
    Outcome,
    Role,
    Session,
    Violation,
    check,
    codes,
    encoded,
    expect,
)

from .mcp import D, E, supported_in

UNKNOWN = "1999-01-01"
Params = dict[str, Any]


async def with_version(session: Session, method: str, params: Params | None, version: str) -> Outcome:
    """A request that names another version, in the body and in the header."""
    message = session.message(method, params, id=(ident := session.next_id()))
    message["params"]["_meta"][PROTOCOL_VERSION] = version
    exchange = await session.send(message, headers={"MCP-Protocol-Version": version}, request_id=ident)
    return await exchange.outcome()


def unsupported(outcome: Outcome, requested: str) -> Violation | None:
    """-32022 with the versions that work and the one that was asked for."""
    refused = expect.refused(outcome, {codes.UNSUPPORTED_VERSION})
    if refused:
        return refused
    data = getattr(outcome, "data", None)
    told = isinstance(data, dict) and isinstance(data.get("supported"), list) and data.get("requested") == requested
    return expect.that(told, f"data with supported, an array, and requested {requested!r}", data, outcome)


@check(
    "mcp.ver.unsupported-32022",
    "A request that names an unsupported version is refused with -32022",
    mutants=("modern.unsupported-invalid-params", "modern.unsupported-without-data"),
)
async def unsupported_version_is_refused(lab: McpLab) -> None:
    """tools/list and server/discover in versions that do not exist, header and body equal."""
    async with lab.session() as session:
        for method in ("server/discover", "tools/list"):
            for version in (UNKNOWN, "2099-12-31"):
                lab.expect(unsupported(await with_version(session, method, None, version), version))


@check(
    "mcp.ver.unsupported-http-400",
    "The refusal of an unsupported version has HTTP status 400",
    mutants=("modern.unsupported-200",),
)
async def refusal_has_status_400(lab: McpLab) -> None:
    """server/discover in a version that does not exist."""
    async with lab.session() as session:
        outcome = await with_version(session, "server/discover", None, UNKNOWN)
        lab.expect(expect.that(outcome.reply.status == 400, "HTTP status 400", outcome, outcome))


@check(
    "mcp.ver.unsupported-each-method",
    "The version is judged on every request, not once per connection",
    isolation=Isolation.SESSION,
    mutants=("modern.version-judged-once", "modern.version-judged-on-discover-only"),
)
async def version_is_judged_each_time(lab: McpLab) -> None:
    """A good tools/list first; then several methods in a version that does not exist, on the same connection."""
    async with lab.session(opened=False) as session:
        lab.need(await session.request("tools/list"))
        for method, params in await requests_of(lab):
            lab.expect(unsupported(await with_version(session, method, params, UNKNOWN), UNKNOWN))


async def requests_of(lab: McpLab) -> list[tuple[str, Params | None]]:
    """Requests that this server would serve."""
    found: list[tuple[str, Params | None]] = [("tools/list", None), ("server/discover", None)]
    if lab.effects.has(Role.QUICK):
        play = await lab.effects.plan(Role.QUICK)
        found.append((play.method, play.params))
    return found


@check(
    "mcp.ver.unsupported-stdio",
    "The refusal of an unsupported version is the same over stdio",
    mutants=("modern.unsupported-silent-on-stdio",),
)
async def refusal_over_stdio(lab: McpLab) -> None:
    """server/discover and tools/list in a version that does not exist."""
    async with lab.session() as session:
        for method in ("server/discover", "tools/list"):
            lab.expect(unsupported(await with_version(session, method, None, UNKNOWN), UNKNOWN))


@check(
    "mcp.ver.unsupported-list-useful",
    "Every version that the refusal lists works",
    isolation=Isolation.SESSION,
    mutants=("modern.lists-what-it-refuses", "modern.lists-nothing"),
)
async def listed_versions_work(lab: McpLab) -> None:
    """Each version of data.supported is tried: modern ones by server/discover, older ones by initialize."""
    async with lab.session() as session:
        refusal = await with_version(session, "server/discover", None, UNKNOWN)
    listed = supported_in(refusal)
    lab.require(expect.that(bool(listed), "data.supported lists at least one version", refusal, refusal))
    for version in listed:
        async with lab.session(version=version, opened=False) as session:
            outcome = await session.open()
            served = expect.answered(outcome, f"{version}, which the refusal lists, is served")
            lab.expect(served)


# Headers that repeat the body: one row for each way to be wrong

Subjects = Callable[[McpLab, Session], Awaitable[Sequence[tuple[str, Params]]]]


async def listing(lab: McpLab, session: Session) -> Sequence[tuple[str, Params]]:
    return [("tools/list" if lab.declares(Feature.TOOLS) else "server/discover", {})]


async def named(lab: McpLab, session: Session) -> Sequence[tuple[str, Params]]:
    """Requests with a name, of every kind that this server can be asked for."""
    found: list[tuple[str, Params]] = []
    for role in (Role.QUICK, Role.PROMPT, Role.RESOURCE):
        if lab.effects.has(role):
            play = await lab.effects.plan(role)
            found.append((play.method, play.params))
    if not found:
        return await listed_names(lab, session)
    return found


async def listed_names(lab: McpLab, session: Session) -> Sequence[tuple[str, Params]]:
    """Without stimuli: names that the lists give. A refusal for the header comes before any argument matters."""
    kinds = (
        (Feature.TOOLS, "tools/list", "tools", "name", "tools/call"),
        (Feature.PROMPTS, "prompts/list", "prompts", "name", "prompts/get"),
        (Feature.RESOURCES, "resources/list", "resources", "uri", "resources/read"),
    )
    found: list[tuple[str, Params]] = []
    for feature, listing_method, member, key, method in kinds:
        if lab.declares(feature):
            result = lab.need(await session.request(listing_method)).result
            found += [(method, {key: item[key]}) for item in result.get(member, [])[:1]]
    return found


@dataclass(frozen=True, slots=True)
class Mirror:
    """One requirement on headers. `header` gives the values to try from the request's method and subject.

    A value of None leaves the header out. `served`: the request is right all the same.
    """

    id: str
    title: str
    subjects: Subjects
    name: str
    values: Callable[[str, str], Sequence[str | None]]
    mutants: tuple[str, ...]
    served: bool = False
    probe: str = ""


MIRRORS = (
    Mirror(
        "mcp.ver.mcp-method-required",
        "A request without Mcp-Method is refused",
        listing,
        "Mcp-Method",
        lambda method, subject: [None],
        ("header.method-optional",),
    ),
    Mirror(
        "mcp.ver.mcp-method-mismatch",
        "A request whose Mcp-Method differs from the body is refused",
        listing,
        "Mcp-Method",
        lambda method, subject: ["prompts/list", "no/such", f"{method}x"],
        ("header.method-ignored",),
    ),
    Mirror(
        "mcp.ver.mcp-method-case",
        "The value of Mcp-Method is compared with regard to case",
        listing,
        "Mcp-Method",
        lambda method, subject: [method.title(), method.upper()],
        ("header.method-any-case",),
    ),
    Mirror(
        "mcp.ver.mcp-name-required",
        "tools/call, prompts/get and resources/read without Mcp-Name are refused",
        named,
        "Mcp-Name",
        lambda method, subject: [None],
        ("header.name-optional", "header.name-for-tools-only"),
    ),
    Mirror(
        "mcp.ver.mcp-name-mismatch",
        "tools/call, prompts/get and resources/read whose Mcp-Name differs from the body are refused",
        named,
        "Mcp-Name",
        lambda method, subject: [f"{subject}x", "other"],
        ("header.name-ignored",),
    ),
)


def refused_for(outcome: Outcome) -> Violation | None:
    return expect.refused(outcome, {codes.HEADER_MISMATCH}, statuses={400})


def mirror_check(row: Mirror) -> Check:
    @check(row.id, row.title, mutants=row.mutants)
    async def body(lab: McpLab) -> None:
        """The request with the header left out or changed; the body stays right."""
        async with lab.session() as session:
            subjects = await row.subjects(lab, session)
            for method, params in subjects:
                subject = str(params.get("name", params.get("uri", "")))
                for value in row.values(method, subject):
                    lab.expect(refused_for(await session.request(method, params, headers={row.name: value})))
            if not subjects:
                lab.not_applicable("the server lists no tool, prompt or resource", lab.claim_record)

    return body


MIRROR_CHECKS = tuple(mirror_check(row) for row in MIRRORS)


@check(
    "mcp.ver.header-required",
    "A modern body without the MCP-Protocol-Version header is refused",
    faults=("strip_headers",),
    mutants=("header.version-optional",),
)
async def version_header_is_required(lab: McpLab) -> None:
    """tools/list and server/discover without the header. A server that also serves 2025-03-26 may take it for that."""
    wanted = set() if has_older(lab) else {codes.HEADER_MISMATCH}
    async with lab.session() as session:
        for method in ("server/discover", "tools/list"):
            outcome = await session.request(method, headers={"MCP-Protocol-Version": None})
            lab.expect(expect.refused(outcome, wanted, statuses={400}))


def has_older(lab: McpLab) -> bool:
    """Does the same endpoint serve a version with the handshake?"""
    return any(version < E for version in lab.berth.claims.versions(lab.binding))


@check(
    "mcp.ver.header-body-mismatch-a",
    "A header that names the modern version over a body that names another is refused",
    faults=("version_skew",),
    mutants=("header.body-version-ignored",),
)
async def modern_header_over_another_body(lab: McpLab) -> None:
    """Header 2026-07-28, the body names an older and an unknown version."""
    async with lab.session() as session:
        for version in (D, UNKNOWN):
            message = session.message("tools/list", None, id=(ident := session.next_id()))
            message["params"]["_meta"][PROTOCOL_VERSION] = version
            outcome = await (await session.send(message, request_id=ident)).outcome()
            lab.expect(refused_for(outcome))


@check(
    "mcp.ver.header-body-mismatch-b",
    "A header that names an older version over a modern body is refused",
    faults=("version_skew",),
    mutants=("header.older-version-served", "header.older-version-missing-session"),
)
async def older_header_over_a_modern_body(lab: McpLab) -> None:
    """Header 2025-11-25, the body names 2026-07-28. Ambiguity: a server of both eras may answer with another 4xx."""
    async with lab.session() as session:
        outcome = await session.request("tools/list", headers={"MCP-Protocol-Version": D})
        status = outcome.reply.status or 0
        soft = 400 <= status < 500
        lab.expect(expect.refused(outcome, {codes.HEADER_MISMATCH}, statuses={400}, soft=soft))


@check(
    "mcp.ver.mcp-name-base64",
    "An Mcp-Name in the base64 form is decoded before it is compared",
    needs={Role.QUICK},
    mutants=("header.base64-not-decoded", "header.broken-base64-served"),
)
async def encoded_name_is_decoded(lab: McpLab) -> None:
    """The right name encoded, another name encoded, and base64 that is broken."""
    play = await lab.effects.plan(Role.QUICK)
    name = str(play.params.get("name", play.params.get("uri")))
    async with lab.session() as session:
        served = await session.request(play.method, play.params, headers={"Mcp-Name": encoded(name)})
        lab.expect(expect.answered(served, "a name in the base64 form is served"))
        for value in (encoded("other"), "=?base64?!!!?="):
            lab.expect(refused_for(await session.request(play.method, play.params, headers={"Mcp-Name": value})))


@check(
    "mcp.ver.header-names-case-insensitive",
    "Header names are compared without regard to case",
    faults=("case",),
    mutants=("header.names-with-case",),
)
async def header_names_ignore_case(lab: McpLab) -> None:
    """Mcp-Method and MCP-Protocol-Version written otherwise."""
    async with lab.session() as session:
        for name, value in (("Mcp-Method", "tools/list"), ("MCP-Protocol-Version", lab.version)):
            for spelling in (name.upper(), name.lower(), name.swapcase()):
                headers = {name: None, spelling: value}
                outcome = await session.request("tools/list", headers=headers)
                lab.expect(expect.answered(outcome, f"{spelling} is read as {name}"))


@check(
    "mcp.ver.duplicate-header",
    "Two Mcp-Name headers with different values are refused",
    needs={Role.QUICK},
    faults=("duplicate_header",),
    mutants=("header.first-of-two-names",),
)
async def duplicate_name_is_refused(lab: McpLab) -> None:
    """A call with its own name first and another name after it."""
    play = await lab.effects.plan(Role.QUICK)
    async with lab.session() as session:
        message = session.message(play.method, play.params, id=(ident := session.next_id()))
        headers = {**session.envelope.headers(play.method, play.params), "Content-Type": "application/json"}
        own = {**headers, "Accept": "application/json, text/event-stream"}
        exchange = session.raw(
            "POST", own, json.dumps(message).encode(), request_id=ident, extra=(("Mcp-Name", "other"),)
        )
        lab.expect(expect.refused(await exchange.outcome()))
