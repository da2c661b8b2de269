"""MCP over Streamable HTTP: who is let in, and what those are told who are not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode, urlsplit

from seatrial import Accepted, Answer, Isolation, McpLab, Outcome, Reason, Refusal, Role, Violation, check, expect

NO_TOKEN: Mapping[str, str | None] = {"Authorization": None}
WRONG_TOKEN: Mapping[str, str | None] = {"Authorization": "Bearer seatrial-made-this-up"}
WELL_KNOWN = "/.well-known/oauth-protected-resource"


async def attempt(lab: McpLab, headers: Mapping[str, str | None] | None = None, identity: str = "") -> Outcome:
    """Begin a session as somebody else."""
    async with lab.session(headers=headers, identity=identity, opened=False) as session:
        return await session.open()


async def turned_away(lab: McpLab) -> Refusal:
    """The refusal of a client without a token. Raises NotApplicable for a server that is open to all."""
    nobody = await attempt(lab, NO_TOKEN)
    if isinstance(nobody, Answer):
        lab.not_applicable("the server serves a client without a token", nobody)
    if not isinstance(nobody, Refusal) or nobody.reply.status not in (401, 403):
        lab.inconclusive(Reason.STIMULUS_FAILED, "a client without a token is neither served nor turned away", nobody)
    return nobody


def known(lab: McpLab, identity: str) -> str:
    """A configured identity. Raises Inconclusive without it."""
    if identity not in lab.identities:
        lab.inconclusive(Reason.NO_IDENTITIES, f"no identity {identity} is configured")
    return identity


def challenge(outcome: Outcome) -> dict[str, str]:
    """The parameters of a Bearer challenge, names in lower case; empty without one."""
    header = outcome.reply.header("www-authenticate") or ""
    _, found, parameters = header.partition("Bearer")
    pairs = re.findall(r'([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s,]+))', parameters if found else "")
    return {name.lower(): quoted or bare for name, quoted, bare in pairs}


@check(
    "mcp.err.auth-401",
    "A protected server answers a missing, wrong or expired token with 401",
    mutants=("err.anonymous-served", "err.unauthorized-as-403", "err.wrong-token-500"),
    isolation=Isolation.SESSION,
)
async def bad_tokens_are_unauthorized(lab: McpLab) -> None:
    """Begin a session with no token, a made-up one, and an expired one where one is configured.

    A server is protected when it turns one of them away and identities are configured for it.
    """
    tried = {"no token": await attempt(lab, NO_TOKEN), "a made-up token": await attempt(lab, WRONG_TOKEN)}
    served = [outcome for outcome in tried.values() if isinstance(outcome, Answer)]
    if served and (len(served) == len(tried) or not lab.identities):
        lab.not_applicable("the server serves a client without a good token", *served)
    if "expired" in lab.identities:
        tried["an expired token"] = await attempt(lab, identity="expired")
    for what, outcome in tried.items():
        lab.expect(expect.refused(outcome, statuses={401}, what=f"{what} is refused with HTTP status 401"))


@check(
    "mcp.err.auth-challenge",
    "A protected server tells where its metadata is",
    requirements=("mcp.err.auth-challenge", "mcp.err.auth-challenge.early"),
    mutants=("err.bare-challenge", "err.no-metadata"),
    isolation=Isolation.SESSION,
)
async def metadata_can_be_found(lab: McpLab) -> None:
    """The challenge of the refusal, and from 2025-11-25 on the two well-known URIs as well."""
    refusal = await turned_away(lab)
    requirement = lab.case.rows[0].id
    told = "resource_metadata" in challenge(refusal)
    if lab.holds("mcp.err.auth-challenge.early") and requirement.endswith(".early"):
        what = "WWW-Authenticate: Bearer with resource_metadata"
    else:
        told = told or bool(await documents(lab, ()))
        what = "resource_metadata in the challenge, or a document at a well-known URI"
    actual = f"WWW-Authenticate: {refusal.reply.header('www-authenticate')}"
    lab.expect(expect.that(told, what, actual, refusal), requirement)


async def documents(lab: McpLab, told: Iterable[str]) -> list[tuple[dict[str, Any], Outcome]]:
    """The metadata documents at the told URLs that are on the target's own origin, and at the well-known URIs."""
    found = []
    async with lab.session(headers=NO_TOKEN, opened=False) as session:
        here = urlsplit(session.http.url)
        origin = f"{here.scheme}://{here.netloc}"
        for url in dict.fromkeys((*told, f"{origin}{WELL_KNOWN}{here.path}", f"{origin}{WELL_KNOWN}")):
            if not url.startswith(f"{origin}/"):
                continue
            session.http.url = url
            outcome = await session.raw("GET", {"Accept": "application/json"}).outcome()
            document = _document(outcome)
            if document is not None:
                found.append((document, outcome))
    return found


def _document(outcome: Outcome) -> dict[str, Any] | None:
    with suppress(ValueError):
        document = json.loads(outcome.reply.body)
        if outcome.reply.status == 200 and isinstance(document, dict) and not isinstance(outcome, Accepted):
            return document
    return None


@check(
    "mcp.err.auth-prm-document",
    "The protected-resource metadata names the resource and its authorization servers",
    mutants=("err.metadata-without-servers", "err.metadata-of-another", "err.no-metadata"),
    isolation=Isolation.SESSION,
)
async def metadata_is_complete(lab: McpLab) -> None:
    """Fetch it from where the challenge says and from the well-known URIs; a server open to all need not have one."""
    refusal = await turned_away(lab)
    told = challenge(refusal).get("resource_metadata")
    found = await documents(lab, (told,) if told else ())
    lab.require(expect.that(bool(found), "a metadata document", "there is none on the server's own origin", refusal))
    async with lab.session(opened=False) as session:
        endpoint = session.http.url
    for document, outcome in found:
        resource, servers = document.get("resource"), document.get("authorization_servers")
        lab.expect(expect.that(_covers(resource, endpoint), f"a resource that is {endpoint}", resource, outcome))
        listed = isinstance(servers, list) and bool(servers) and all(isinstance(server, str) for server in servers)
        lab.expect(expect.that(listed, "at least one of authorization_servers", servers, outcome))


def _covers(resource: Any, endpoint: str) -> bool:
    """The endpoint itself, or a path above it: both may be a server's canonical URI."""
    named, here = urlsplit(str(resource)), urlsplit(endpoint)
    above = here.path.rstrip("/") + "/"
    same = (named.scheme.lower(), named.netloc.lower()) == (here.scheme, here.netloc)
    return same and above.startswith(named.path.rstrip("/") + "/")


@check(
    "mcp.err.auth-403-scope",
    "A token without the needed scope is answered with 403 and a challenge",
    mutants=("err.scope-as-401", "err.scope-without-challenge"),
    isolation=Isolation.SESSION,
)
async def missing_scopes_are_told(lab: McpLab) -> None:
    """Begin a session with the identity no-scope and, if it is let in, call a tool."""
    await turned_away(lab)
    refused = await _scopeless(lab, known(lab, "no-scope"))
    lab.expect(expect.refused(refused, statuses={403}, what="HTTP status 403"))
    told = challenge(refused)
    what = "a challenge with error insufficient_scope, scope and resource_metadata"
    whole = told.get("error") == "insufficient_scope" and {"scope", "resource_metadata"} <= told.keys()
    lab.expect(expect.that(whole, what, f"WWW-Authenticate: {refused.reply.header('www-authenticate')}", refused))


async def _scopeless(lab: McpLab, identity: str) -> Outcome:
    async with lab.session(identity=identity, opened=False) as session:
        outcome = await session.open()
        if isinstance(outcome, Answer) and lab.effects.has(Role.CALL):
            outcome = await session.perform(await lab.effects.plan(Role.CALL))
        if isinstance(outcome, Answer):
            lab.inconclusive(Reason.NO_IDENTITIES, "nothing that was tried needs a scope that no-scope lacks", outcome)
        return outcome


@check(
    "mcp.err.auth-scope-hint",
    "A 401 challenge names the scopes that are needed",
    mutants=("err.bare-challenge",),
    isolation=Isolation.SESSION,
)
async def needed_scopes_are_hinted_at(lab: McpLab) -> None:
    """The challenge to a client without a token has a scope parameter."""
    refusal = await turned_away(lab)
    actual = f"WWW-Authenticate: {refusal.reply.header('www-authenticate')}"
    lab.expect(expect.that(bool(challenge(refusal).get("scope")), "a scope parameter", actual, refusal))


@check(
    "mcp.err.auth-no-offline-access",
    "The server does not ask for offline_access",
    mutants=("err.offline-access-asked",),
    isolation=Isolation.SESSION,
)
async def offline_access_is_not_asked_for(lab: McpLab) -> None:
    """Neither the scopes of the challenge nor scopes_supported of the metadata hold it."""
    refusal = await turned_away(lab)
    told = challenge(refusal)
    asked = "offline_access" in told.get("scope", "").split()
    lab.expect(expect.that(not asked, "no offline_access in the challenge", told.get("scope"), refusal))
    for document, outcome in await documents(lab, (told.get("resource_metadata", ""),)):
        listed = document.get("scopes_supported")
        absent = not isinstance(listed, list) or "offline_access" not in listed
        lab.expect(expect.that(absent, "no offline_access in scopes_supported", listed, outcome))


@check(
    "mcp.err.auth-audience",
    "A token for another resource is refused",
    mutants=("err.audience-ignored", "err.unauthorized-as-403"),
    isolation=Isolation.SESSION,
)
async def tokens_of_others_are_refused(lab: McpLab) -> None:
    """Begin a session with the identity other-audience: a good token, made for another server."""
    await turned_away(lab)
    outcome = await attempt(lab, identity=known(lab, "other-audience"))
    lab.expect(expect.refused(outcome, statuses={401}, what="HTTP status 401"))


@check(
    "mcp.err.auth-query-token",
    "A token in the query string is not accepted",
    mutants=("err.query-token",),
    isolation=Isolation.SESSION,
)
async def query_tokens_are_refused(lab: McpLab) -> None:
    """A good token as access_token in the query, and no Authorization header."""
    await turned_away(lab)
    header = lab.identities.get("first", {}).get("Authorization", "")
    token = header.partition(" ")[2].strip()
    if not token:
        lab.inconclusive(Reason.NO_IDENTITIES, "no identity first with a Bearer token is configured")
    async with lab.session(headers=NO_TOKEN, opened=False) as session:
        session.http.query = "?" + urlencode({"access_token": token})
        outcome = await session.open()
    lab.expect(expect.refused(outcome, statuses={401}, what="HTTP status 401"))


@check(
    "mcp.err.auth-every-request",
    "Authorization is checked on every request, also inside a session",
    mutants=("err.authorized-once", "err.anonymous-get"),
    isolation=Isolation.SESSION,
)
async def every_request_is_authorized(lab: McpLab) -> None:
    """Begin a session with a good token; then requests, a notification and (older era) a GET without it."""
    await turned_away(lab)
    async with lab.session() as session:
        for headers in (NO_TOKEN, WRONG_TOKEN):
            for method in (session.cheap, "tools/list"):
                outcome = await session.request(method, headers=headers)
                lab.expect(expect.refused(outcome, statuses={401}, what=f"{method}: HTTP status 401"))
        told = await (await session.notify("notifications/no_such", headers=NO_TOKEN)).outcome()
        lab.expect(_unauthorized("a notification", told.reply.status, told))
        if lab.version < "2026-07-28":
            stream = session.open_stream(headers=NO_TOKEN)
            status = await stream.until(lambda x: x.reply.status)
            await stream.leave()
            lab.expect(_unauthorized("GET", status, stream.sent))


def _unauthorized(what: str, status: int | None, evidence: Outcome | int) -> Violation | None:
    return expect.that(status == 401, f"{what}: HTTP status 401", f"status {status}", evidence)


@check(
    "mcp.err.auth-no-leak",
    "A refusal returns no data of the request",
    mutants=("err.refusal-with-result",),
    isolation=Isolation.SESSION,
)
async def refusals_hold_no_data(lab: McpLab) -> None:
    """Lists and a cheap request without a token, in a session: no result in any body that comes with 401 or 403."""
    await turned_away(lab)
    async with lab.session() as session:
        for method in (session.cheap, "tools/list", "prompts/list", "resources/list"):
            exchange = await session.begin(method, headers=NO_TOKEN)
            outcome = await exchange.outcome()
            if outcome.reply.status not in (401, 403):
                lab.note(f"{method} was not refused", outcome)
                continue
            results = [m for m in exchange.messages if isinstance(m.payload, dict) and "result" in m.payload]
            lab.expect(expect.silent(results, "no result beside the refusal"))
