"""MCP: sessions over Streamable HTTP, and what becomes of them (2025-03-26 to 2025-11-25)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import takewhile

from seatrial import (
    SILENT,
    Exchange,
    Feature,
    Isolation,
    McpLab,
    Outcome,
    Role,
    Session,
    Violation,
    check,
    expect,
)

from .resuming import ABSENT, opened

HEADER = "Mcp-Session-Id"
SESSIONS = {Feature.SESSIONS}
INITIALIZATIONS = 8
LEAST_LENGTH = 16
"""Characters of a session id that is not easily guessed."""
LEAST_VARIATION = 8
"""Characters in which ids that were issued one after the other must differ: a counter differs in fewer."""


@check(
    "mcp.rec.session-id-ascii",
    "A session id has visible ASCII characters only",
    needs=SESSIONS,
    mutants=("session.id-with-space",),
    isolation=Isolation.SESSION,
)
async def session_id_is_visible_ascii(lab: McpLab) -> None:
    """The ids of three sessions."""
    for issued, record in await _issued(lab, 3):
        odd = sorted({character for character in issued if not 0x21 <= ord(character) <= 0x7E})
        lab.expect(expect.that(not odd, "characters from 0x21 to 0x7E", f"{issued!r} has {odd}", record))


@check(
    "mcp.rec.session-id-strong",
    "Session ids are unique and cannot be guessed",
    needs=SESSIONS,
    mutants=("session.counted",),
    isolation=Isolation.SESSION,
)
async def session_ids_cannot_be_guessed(lab: McpLab) -> None:
    """Eight initializations; where their ids differ, a counter or a clock would differ in few characters."""
    issued = await _issued(lab, INITIALIZATIONS)
    ids = [ident for ident, _ in issued]
    records = [record for _, record in issued]
    varying = _variation(ids)
    lab.expect(expect.that(len(set(ids)) == len(ids), "different ids", ids, *records))
    lab.expect(expect.that(min(map(len, ids)) >= LEAST_LENGTH, f"at least {LEAST_LENGTH} characters", ids, *records))
    lab.expect(expect.that(varying >= LEAST_VARIATION, "ids without a common counting part", ids, *records))


async def _issued(lab: McpLab, number: int) -> list[tuple[str, int]]:
    """Session ids, issued one after the other, each with the record of its response."""
    found: list[tuple[str, int]] = []
    for _ in range(number):
        async with lab.session(opened=False) as session:
            answer = lab.need(await session.initialize(), "initialize")
            found.append((session.session_id or "", answer.message.record))
    return found


def _variation(ids: list[str]) -> int:
    """How many characters are left of the shortest id without what all have in common at either end."""
    before = _shared(ids)
    after = _shared([ident[before:][::-1] for ident in ids])
    return min(map(len, ids)) - before - after


def _shared(texts: list[str]) -> int:
    """The length of the beginning that all have in common."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False)))


@check(
    "mcp.rec.session-required",
    "A request without the session header is refused once a session id was issued",
    needs=SESSIONS,
    faults=("strip_headers",),
    mutants=("session.optional",),
)
async def session_header_is_required(lab: McpLab) -> None:
    """Requests of a session, sent without its header."""
    async with lab.session() as session:
        for method in ("ping", "tools/list"):
            outcome = await session.request(method, headers={HEADER: None})
            lab.expect(expect.refused(outcome, statuses={400}, what="HTTP status 400"))


@check(
    "mcp.rec.session-unknown-404",
    "An unknown session id is answered with 404",
    needs=SESSIONS,
    mutants=("session.unknown-400", "session.unknown-served"),
)
async def unknown_session_is_not_found(lab: McpLab) -> None:
    """Made-up ids, and one that differs from a real one in its last character, with POST, GET and DELETE."""
    async with lab.session() as session:
        real = session.session_id or ""
        altered = real[:-1] + ("A" if real[-1:] != "A" else "B")
        for unknown in ("00000000-0000-4000-8000-000000000000", altered):
            for method in ("ping", "tools/list"):
                lab.expect(_not_found(await session.request(method, headers={HEADER: unknown})))
            for exchange in (session.open_stream(headers={HEADER: unknown}), session.end(headers={HEADER: unknown})):
                lab.expect(await _gone(exchange, {404, *ABSENT}))


@check(
    "mcp.rec.session-terminated-404",
    "A terminated session is answered with 404",
    needs=SESSIONS,
    mutants=("session.delete-ignored", "session.unknown-400"),
    isolation=Isolation.SESSION,
)
async def terminated_session_is_not_found(lab: McpLab) -> None:
    """After DELETE the session is used again: with requests, a notification and a GET."""
    async with lab.session() as session:
        await _terminated(lab, session)
        for method in ("ping", "tools/list"):
            lab.expect(_not_found(await session.request(method)))
        lab.expect(await _gone(await session.notify("notifications/initialized"), {404}))
        lab.expect(await _gone(session.open_stream(), {404, *ABSENT}))


def _not_found(outcome: Outcome) -> Violation | None:
    return expect.refused(outcome, statuses={404}, what="HTTP status 404")


async def _gone(exchange: Exchange, statuses: set[int]) -> Violation | None:
    """What is wrong with the answer to something of a session that does not exist."""
    status = await exchange.status()
    await exchange.leave()
    wanted = " or ".join(map(str, sorted(statuses)))
    return expect.that(
        status in statuses, f"HTTP status {wanted}", f"HTTP status {status}", exchange.sent, exchange.end
    )


async def _terminated(lab: McpLab, session: Session) -> Exchange:
    """End a session; NOT_APPLICABLE where the server lets no client do that."""
    exchange = session.end()
    status = await exchange.status()
    await exchange.finished()
    if status is None or not 200 <= status < 300:
        lab.not_applicable(
            f"the server lets no client end a session: HTTP status {status}", exchange.sent, exchange.end
        )
    return exchange


@check(
    "mcp.rec.delete-supported",
    "A session can be ended with DELETE, or DELETE is refused with 405",
    needs=SESSIONS,
    mutants=("session.delete-breaks",),
    isolation=Isolation.SESSION,
)
async def delete_is_understood(lab: McpLab) -> None:
    """DELETE with the id of a session."""
    async with lab.session() as session:
        exchange = session.end()
        status = await exchange.status()
        good = status is not None and (200 <= status < 300 or status == 405)
        lab.expect(expect.that(good, "HTTP status 2xx or 405", f"HTTP status {status}", exchange.sent, exchange.end))


@check(
    "mcp.rec.delete-closes-streams",
    "Ending a session ends its streams",
    needs=SESSIONS,
    mutants=("session.streams-outlive",),
    isolation=Isolation.SESSION,
)
async def streams_end_with_their_session(lab: McpLab) -> None:
    """A GET stream is open when its session is ended."""
    async with lab.session() as session:
        stream = session.open_stream()
        await stream.status()
        if opened(stream):
            lab.not_applicable("the server offers no GET streams", stream.sent, stream.end)
        ended = await _terminated(lab, session)
        over = await stream.finished(lab.tempo.scaled(3.0))
        lab.expect(expect.that(over, "the stream of an ended session ends", "still open", stream.sent, ended.sent))


@check(
    "mcp.rec.delete-with-open-request",
    "Ending a session while the server waits for the client's answer does no harm",
    needs=SESSIONS,
    mutants=("session.delete-kills",),
    isolation=Isolation.PROCESS,
    patience=4.0,
)
async def ending_a_busy_session_is_harmless(lab: McpLab) -> None:
    """Sessions whose client never answers are ended soon or late, and one that is asked; then a new one is begun."""
    async with AsyncExitStack() as stack:
        sessions = [await stack.enter_async_context(_taciturn(lab)) for _ in range(4)]
        for session, delay in zip(sessions, (None, 0.0, 0.5), strict=False):
            await _end_after(lab, session, delay)
        await _end_while_asked(lab, sessions[-1])
        await lab.quiet(0.5)
        async with lab.session(opened=False) as fresh:
            lab.expect(expect.answered(await fresh.initialize(), "a new session can be begun"))
            lab.expect(expect.answered(await fresh.fence(), "the new session works"))


@asynccontextmanager
async def _taciturn(lab: McpLab) -> AsyncIterator[Session]:
    """A session, not announced yet, whose client can do everything and answers nothing."""
    silence = {"roots/list": SILENT, "elicitation/create": SILENT, "sampling/createMessage": SILENT}
    capabilities = {"roots": {"listChanged": True}, "elicitation": {}, "sampling": {}}
    async with lab.session(capabilities=capabilities, replies=silence, opened=False) as session:
        lab.need(await session.initialize(announce=False), "initialize")
        yield session


async def _end_after(lab: McpLab, session: Session, delay: float | None) -> None:
    """End a session so many seconds after its announcement was taken; None: without waiting for that."""
    announcement = await session.notify("notifications/initialized")
    if delay is not None:
        await announcement.finished()
        await lab.quiet(delay)
    await session.end().finished()


async def _end_while_asked(lab: McpLab, session: Session) -> None:
    """End a session while calls wait for the client's answer, where some can be played."""
    await session.announce()
    for role in (Role.ROOTS, Role.ELICIT, Role.SAMPLING):
        if lab.effects.has(role):
            exchange = await session.start(await lab.effects.plan(role))
            await exchange.message(lambda message: message.method is not None, lab.tempo.scaled(1.0))
    await session.end().finished()


@check(
    "mcp.rec.reinit-after-404",
    "A new initialize without a session id starts a new session",
    needs=SESSIONS,
    mutants=("session.one-for-all",),
    isolation=Isolation.SESSION,
)
async def new_session_replaces_a_lost_one(lab: McpLab) -> None:
    """A session is ended and used once more; then initialize is sent as a client does that has lost its session."""
    async with lab.session() as session:
        await session.end().finished()
        await session.fence()
        lost = session.session_id
    async with lab.session(opened=False) as again:
        outcome = await again.initialize()
        lab.require(expect.answered(outcome, "a new session can be begun"))
        renewed = again.session_id not in (None, lost)
        lab.expect(expect.that(renewed, "a new session id", f"{again.session_id!r} after {lost!r}", outcome))
        lab.expect(expect.answered(await again.fence(), "the new session works"))


@check(
    "mcp.rec.session-belongs-to-user",
    "A session id alone does not authenticate",
    needs={Feature.SESSIONS, Feature.IDENTITIES},
    mutants=("session.anybodys",),
    isolation=Isolation.SESSION,
)
async def session_serves_its_owner_only(lab: McpLab) -> None:
    """The id of one principal's session with the token of another."""
    async with lab.session(identity="first") as owner, lab.session(resuming=owner, identity="second") as other:
        lab.expect(expect.refused(await other.request("tools/list"), what="the request of another user is refused"))
        lab.expect(expect.answered(await owner.fence(), "the owner is still served"))
