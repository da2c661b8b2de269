"""MCP: what the modern era removed, and both eras on one endpoint."""

from __future__ import annotations

from typing import Any

from seatrial import Answer, Check, Exchange, Feature, Isolation, McpLab, Outcome, Violation, check, codes, expect

from .mcp import E, agreed, supported_in
from .mcp_headers import has_older

GONE = "the method does not exist: error -32601, over HTTP with status 404"


def gone(outcome: Outcome) -> Violation | None:
    return expect.refused(outcome, {codes.METHOD_NOT_FOUND}, statuses={404}, what=GONE)


REMOVED: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("mcp.ver.removed-ping", "ping", {}, "modern.serves-ping"),
    ("mcp.ver.removed-setlevel", "logging/setLevel", {"level": "info"}, "modern.serves-setlevel"),
    ("mcp.ver.removed-subscribe", "resources/subscribe", {"uri": "x://y"}, "modern.serves-subscribe"),
    ("mcp.ver.removed-unsubscribe", "resources/unsubscribe", {"uri": "x://y"}, "modern.serves-unsubscribe"),
    ("mcp.ver.removed-tasks-result", "tasks/result", {"taskId": "x"}, "modern.serves-tasks-result"),
    ("mcp.ver.removed-tasks-list", "tasks/list", {}, "modern.serves-tasks-list"),
)
"""Requirement, method, parameters, mutant."""


def removal(id: str, method: str, params: dict[str, Any], mutant: str) -> Check:
    @check(id, f"{method} does not exist in the modern era", mutants=(mutant,))
    async def body(lab: McpLab) -> None:
        """The request in modern form."""
        async with lab.session() as session:
            lab.expect(gone(await session.request(method, params)))

    return body


REMOVALS = tuple(removal(*row) for row in REMOVED)


@check(
    "mcp.ver.removed-initialize",
    "A server of the modern era alone does not serve initialize",
    isolation=Isolation.SESSION,
    mutants=("modern.serves-initialize",),
)
async def no_initialize(lab: McpLab) -> None:
    """initialize in modern form; where the server speaks no older version, in the older form too.

    A server of both eras may refuse it in its own words: the connection, say, has begun in the other era.
    """
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "seatrial", "version": "1"}}
    async with lab.session() as session:
        outcome = await session.request("initialize", params)
        lab.expect(expect.refused(outcome) if has_older(lab) else gone(outcome))
    if has_older(lab):
        return
    async with lab.session(version="2025-11-25", opened=False) as session:
        outcome = await session.initialize(announce=False)
        lab.expect(expect.that(agreed(outcome) is None, "initialize in its older form is refused", outcome, outcome))
        if not supported_in(outcome):
            lab.note("the refusal of the older form does not name the supported versions", outcome)


def only_post(outcome: Outcome) -> Violation | None:
    allowed = (outcome.reply.header("allow") or "").upper()
    right = outcome.reply.status == 405 and "POST" in allowed
    seen = f"{expect.shown(outcome)}, Allow: {allowed or 'none'}"
    return expect.that(right, "HTTP status 405 with Allow: POST", seen, outcome)


VERBS = (
    ("mcp.ver.get-405", "GET", "modern.get-200"),
    ("mcp.ver.delete-405", "DELETE", "modern.delete-200"),
)


def verb_check(id: str, verb: str, mutant: str) -> Check:
    @check(id, f"A server of the modern era answers {verb} with HTTP status 405", mutants=(mutant,))
    async def body(lab: McpLab) -> None:
        """The verb with the modern version header. The clause binds servers of the modern era alone."""
        async with lab.session() as session:
            headers = {"MCP-Protocol-Version": lab.version, "Accept": "text/event-stream"}
            exchange = session.raw(verb, headers)
            await exchange.until(lambda x: True if x.reply.status else None)
            outcome = await exchange.outcome(0)
            await exchange.leave()
            if has_older(lab) and outcome.reply.status != 405:
                lab.not_applicable("the endpoint also serves the older era, where the verb exists", outcome)
            lab.expect(only_post(outcome))

    return body


VERB_CHECKS = tuple(verb_check(*row) for row in VERBS)


async def served_with(lab: McpLab, headers: dict[str, str]) -> Outcome:
    """A plain request with further headers, which must change nothing."""
    async with lab.session() as session:
        outcome = await session.request("tools/list", headers=headers)
        lab.expect(expect.answered(outcome))
        return outcome


@check(
    "mcp.ver.session-header-ignored",
    "Mcp-Session-Id has no effect on a modern request",
    mutants=("modern.session-header-looked-up",),
)
async def session_header_is_ignored(lab: McpLab) -> None:
    """A made-up session id on a plain request; the response names no session either."""
    outcome = await served_with(lab, {"Mcp-Session-Id": "bogus"})
    minted = outcome.reply.header("mcp-session-id")
    lab.expect(expect.that(minted is None, "no Mcp-Session-Id in the response", minted, outcome))


@check(
    "mcp.ver.lasteventid-ignored",
    "Last-Event-ID has no effect on a modern request",
    mutants=("modern.last-event-id-refused",),
)
async def last_event_id_is_ignored(lab: McpLab) -> None:
    """Last-Event-ID on a POST."""
    await served_with(lab, {"Last-Event-ID": "x"})


@check(
    "mcp.ver.no-session-minted",
    "A modern response creates no session",
    mutants=("modern.mints-sessions",),
)
async def no_session_is_minted(lab: McpLab) -> None:
    """The responses to server/discover and tools/list."""
    async with lab.session() as session:
        for method in ("server/discover", "tools/list"):
            outcome = await session.request(method)
            minted = outcome.reply.header("mcp-session-id")
            lab.expect(expect.that(minted is None, "no Mcp-Session-Id in the response", minted, outcome))


# Two eras on one endpoint


def older_versions(lab: McpLab) -> tuple[str, ...]:
    """Versions of the older era that the same endpoint speaks; without one the check does not apply."""
    found = tuple(version for version in lab.berth.claims.versions(lab.binding) if version < E)
    if not found:
        lab.not_applicable("the server speaks the modern era alone", lab.claim_record)
    return found


@check(
    "mcp.ver.dual-era-legacy-works",
    "A server that claims both eras serves a full session of the older era",
    isolation=Isolation.SESSION,
    mutants=("dual.older-session-useless",),
)
async def older_session_works(lab: McpLab) -> None:
    """A session of the newest older version: ping, and the list of every declared capability."""
    async with lab.session(version=max(older_versions(lab))) as session:
        lab.expect(expect.answered(await session.request("ping")))
        for feature, method in ((Feature.TOOLS, "tools/list"), (Feature.PROMPTS, "prompts/list")):
            if feature.value in session.declared:
                lab.expect(expect.answered(await session.request(method)))


def era_of(result: Any) -> str:
    """Only results of the modern era carry a resultType."""
    return "modern" if isinstance(result, dict) and "resultType" in result else "older"


@check(
    "mcp.ver.dual-era-concurrent",
    "Both eras work side by side on one endpoint",
    isolation=Isolation.SESSION,
    mutants=("dual.modern-disturbs-sessions",),
)
async def eras_side_by_side(lab: McpLab) -> None:
    """Requests of both eras, interleaved, with equal ids; each is answered in its own era."""
    async with lab.session(version=max(older_versions(lab))) as older, lab.session(version=lab.version) as modern:
        for number in range(3):
            ident = f"same-{number}"
            pair = [await older.begin("tools/list", id=ident), await modern.begin("tools/list", id=ident)]
            for exchange, wanted in zip(pair, ("older", "modern"), strict=True):
                lab.expect(in_era(exchange, await exchange.outcome(), wanted))


def in_era(exchange: Exchange, outcome: Outcome, wanted: str) -> Violation | None:
    right = isinstance(outcome, Answer) and era_of(outcome.result) == wanted and len(exchange.responses) == 1
    return expect.that(right, f"one answer of the {wanted} era", outcome, outcome)


@check(
    "mcp.ver.dual-era-cross-contamination",
    "A modern request is not affected by an open session of the older era",
    isolation=Isolation.SESSION,
    mutants=("dual.session-id-captures-modern",),
)
async def session_id_changes_nothing(lab: McpLab) -> None:
    """A modern request with the id of an open session; the session answers afterwards."""
    async with lab.session(version=max(older_versions(lab))) as older, lab.session(version=lab.version) as modern:
        if older.session_id is None:
            lab.not_applicable("the server issues no session id", lab.claim_record)
        outcome = await modern.request("tools/list", headers={"Mcp-Session-Id": older.session_id})
        fine = isinstance(outcome, Answer) and era_of(outcome.result) == "modern"
        lab.expect(expect.that(fine, "an answer of the modern era", outcome, outcome))
        lab.expect(expect.answered(await older.request("ping"), "the session answers as before"))
