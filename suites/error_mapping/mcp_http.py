"""MCP over Streamable HTTP: media types, methods, Origin and Host."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from seatrial import Ending, Exchange, Feature, Isolation, McpLab, Outcome, Refusal, Session, Violation, check, expect

CLIENT_ERROR = frozenset(range(400, 500))
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


async def asked(session: Session, headers: Mapping[str, str | None]) -> Outcome:
    """A cheap request under other headers."""
    return await session.request(session.cheap, headers=headers)


def kept_up(outcome: Outcome) -> Violation | None:
    """The server may refuse, but it neither breaks nor hangs."""
    status = outcome.reply.status
    clean = status is not None and status < 500
    return expect.that(clean, "an answer, or a refusal by 4xx", outcome, outcome)


@check(
    "mcp.err.accept-missing",
    "An incomplete Accept header is served or refused, and breaks nothing",
    mutants=("err.accept-500", "err.accept-as-text"),
)
async def incomplete_accept_is_handled(lab: McpLab) -> None:
    """Accept JSON only, event streams only, text/html, anything, and no header at all; what each brought is noted.
    A header that names both, in another order or with weights, is complete: it must be served."""
    async with lab.session() as session:
        for accept in ("application/json", "text/event-stream", "text/html", "*/*", None):
            outcome = await asked(session, {"Accept": accept})
            lab.expect(kept_up(outcome))
            lab.note(f"Accept {accept}: {expect.shown(outcome)}", outcome)
        for accept in COMPLETE:
            lab.expect(expect.answered(await asked(session, {"Accept": accept}), f"Accept {accept} is served"))


COMPLETE = ("text/event-stream, application/json", "application/json;q=0.9,text/event-stream;q=0.8, */*;q=0.1")
"""Both media types that an answer may have (RFC 9110, 12.5.1)."""

FOREIGN_TYPES = (
    "text/plain",
    "text/plain; a=application/json",
    "text/plain;charset=application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
)
"""Types that a page of any origin may send without asking first."""


@check(
    "mcp.err.content-type-of-request",
    "A body that is not declared as JSON is not executed",
    faults=("rewrite_type",),
    mutants=("err.any-content-type", "err.content-type-by-substring"),
)
async def other_content_types_are_not_executed(lab: McpLab) -> None:
    """A good request, declared as text, as a form, and as text with a parameter that contains the right type."""
    async with lab.session() as session:
        for declared in FOREIGN_TYPES:
            outcome = await asked(session, {"Content-Type": declared})
            lab.expect(expect.refused(outcome, statuses=CLIENT_ERROR, what=f"{declared} is refused by 415 or 400"))
            if isinstance(outcome, Refusal) and outcome.reply.status not in (400, 415):
                lab.note(f"{declared}: {expect.shown(outcome)}", outcome)


@check(
    "mcp.err.content-type-case",
    "Media types are compared without regard to case",
    mutants=("err.content-type-case",),
)
async def media_types_ignore_case(lab: McpLab) -> None:
    """Content-Type: Application/JSON, in capitals, and with a parameter."""
    async with lab.session() as session:
        for declared in ("Application/JSON", "APPLICATION/JSON", "application/json; charset=UTF-8"):
            lab.expect(expect.answered(await asked(session, {"Content-Type": declared}), f"{declared} is served"))


@check(
    "mcp.err.get-sse-or-405",
    "GET gives an event stream or 405",
    mutants=("err.get-404", "err.get-json"),
    isolation=Isolation.SESSION,
)
async def get_streams_or_is_refused(lab: McpLab) -> None:
    """GET with Accept text/event-stream, in a session."""
    async with lab.session() as session:
        exchange = session.open_stream()
        await exchange.until(lambda x: True if x.reply.status or x.ending is not Ending.OPEN else None)
        status, media_type = exchange.reply.status, exchange.reply.media_type
        right = status == 405 or (status == 200 and media_type == "text/event-stream")
        actual = f"status {status}, Content-Type {media_type or '(none)'}" if status else exchange.why or "no reply"
        lab.expect(expect.that(right, "an event stream with status 200, or status 405", actual, exchange.sent))
        await exchange.leave()


@check(
    "mcp.err.other-verbs",
    "Other HTTP methods are refused without harm",
    mutants=("err.put-as-post", "err.patch-500"),
    isolation=Isolation.SESSION,
)
async def other_methods_are_refused(lab: McpLab) -> None:
    """PUT and PATCH with a good request, HEAD, and OPTIONS, which may also be answered."""
    async with lab.session() as session:
        for verb in ("PUT", "PATCH", "HEAD", "OPTIONS"):
            outcome = await _by(session, verb).outcome()
            status = outcome.reply.status or 0
            refused = (
                status in (404, 405, 501) or (verb == "OPTIONS" and status < 500) or (verb == "HEAD" and status == 400)
            )
            lab.expect(expect.that(refused, f"{verb}: HTTP status 405 or 404", outcome, outcome))
            lab.note(f"{verb}: {expect.shown(outcome)}", outcome)
        await lab.survives(session)


def _by(session: Session, verb: str) -> Exchange:
    id = session.next_id()
    headers = {**session.envelope.headers(session.cheap, None), "Accept": "application/json, text/event-stream"}
    if verb not in ("PUT", "PATCH"):
        return session.raw(verb, headers)
    body = json.dumps(session.message(session.cheap, {}, id=id)).encode()
    return session.raw(verb, {**headers, "Content-Type": "application/json"}, body, request_id=id)


FOREIGN_ORIGINS = ("http://evil.example", "http://localhost.evil.example", "https://127.0.0.1.evil.example:8443")
"""A foreign origin, and two that begin like one of ours."""


@check(
    "mcp.err.origin-403",
    "A request with an invalid Origin is refused",
    requirements=("mcp.err.origin-403", "mcp.err.origin-refused.early"),
    mutants=("err.origin-ignored", "err.origin-by-prefix", "err.origin-on-post-only"),
    isolation=Isolation.SESSION,
)
async def foreign_origins_are_refused(lab: McpLab) -> None:
    """Begin a session from three foreign origins, then use one from there: POST, and GET in the older era.

    From 2025-11-25 on the status is 403; before, any 4xx will do.
    """
    requirement = lab.case.rows[0].id
    statuses = {403} if requirement == "mcp.err.origin-403" else CLIENT_ERROR
    for origin in FOREIGN_ORIGINS:
        async with lab.session(headers={"Origin": origin}, opened=False) as session:
            lab.expect(_refused(await session.open(), statuses, f"a session from {origin}"), requirement)
    async with lab.session() as session:
        foreign = {"Origin": FOREIGN_ORIGINS[0]}
        lab.expect(_refused(await asked(session, foreign), statuses, "POST from another origin"), requirement)
        if lab.version < "2026-07-28":
            lab.expect(await _get_refused(session, foreign, statuses), requirement)
        lab.expect(expect.answered(await session.fence(), "a request without an Origin is served"), requirement)


def _refused(outcome: Outcome, statuses: frozenset[int] | set[int], what: str) -> Violation | None:
    wanted = "403" if statuses == {403} else "4xx"
    return expect.refused(outcome, statuses=statuses, what=f"{what} is refused with HTTP status {wanted}")


async def _get_refused(
    session: Session, headers: Mapping[str, str], statuses: frozenset[int] | set[int]
) -> Violation | None:
    """A server that offers no GET stream (405) has nothing to guard there."""
    exchange = session.open_stream(headers=headers)
    await exchange.until(lambda x: True if x.reply.status or x.ending is not Ending.OPEN else None)
    status = exchange.reply.status
    await exchange.leave()
    what = "GET from another origin is refused"
    return expect.that(status in {*statuses, 405}, what, f"status {status}", exchange.sent)


@check(
    "mcp.err.origin-absent-ok",
    "A request without an Origin header is served",
    mutants=("err.origin-required",),
    isolation=Isolation.SESSION,
)
async def no_origin_is_served(lab: McpLab) -> None:
    """Begin a session and use it as every client does that is no browser."""
    async with lab.session(headers={"Origin": None}, opened=False) as session:
        lab.require(expect.answered(await session.open(), "a session without an Origin is served"))
        for method in (session.cheap, "tools/list", "resources/list"):
            outcome = await session.request(method)
            forbidden = outcome.reply.status == 403
            lab.expect(expect.that(not forbidden, f"{method} without an Origin is served", outcome, outcome))


@check(
    "mcp.err.host-rebinding",
    "A foreign Host on a loopback server is refused",
    mutants=("err.host-ignored",),
    isolation=Isolation.SESSION,
)
async def foreign_hosts_are_refused(lab: McpLab) -> None:
    """Begin a session, and use one, under the name of another host. A server elsewhere has names of its own."""
    async with lab.session() as session:
        if urlsplit(session.http.url).hostname not in LOOPBACK:
            lab.not_applicable("the server is not on loopback", lab.claim_record)
        port = urlsplit(session.http.url).port
        for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example"):
            outcome = await asked(session, {"Host": host})
            lab.expect(expect.refused(outcome, statuses=CLIENT_ERROR, what=f"Host {host} is refused by 403 or 421"))
            if isinstance(outcome, Refusal) and outcome.reply.status not in (403, 421):
                lab.note(f"Host {host}: {expect.shown(outcome)}", outcome)
    async with lab.session(headers={"Host": "evil.example"}, opened=False) as session:
        outcome = await session.open()
        lab.expect(expect.refused(outcome, statuses=CLIENT_ERROR, what="a session under a foreign Host is refused"))


OTHER_LOOPBACK = "127.0.0.2"
"""Where a server listens too that listens everywhere: no traffic leaves the machine to find out."""


@check(
    "mcp.err.bind-loopback",
    "A local server listens on loopback only",
    needs={Feature.PROCESS},
    mutants=("err.binds-everywhere",),
    isolation=Isolation.SESSION,
)
async def only_loopback_is_listened_on(lab: McpLab) -> None:
    """Connect to the port of a server that Seatrial started at another address of the loopback network."""
    async with lab.session() as session:
        here = urlsplit(session.http.url)
        open_there = await lab.answers_at(OTHER_LOOPBACK, here.port or 80)
        what = f"nobody listens at {OTHER_LOOPBACK}:{here.port}"
        lab.expect(expect.that(not open_there, what, "a connection was accepted: 0.0.0.0 or ::", lab.claim_record))
