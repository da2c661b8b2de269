"""MCP: the version that initialize agrees on, the header that repeats it, and batches."""

from __future__ import annotations

from typing import Any

from seatrial import (
    Answer,
    Departure,
    Feature,
    Isolation,
    McpLab,
    Outcome,
    Reason,
    Refusal,
    Session,
    Violation,
    check,
    expect,
)

A, B, C, D, E = "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
STATEFUL = (A, B, C, D)
HTTP = "streamable-http"
UNSUPPORTED = ("1999-01-01", "2099-12-31", E)
"""Versions that no initialize can agree on; 2026-07-28 has no initialize."""

FULL = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}}


def agreed(outcome: Outcome) -> Any:
    """The version in an initialize result, None in anything else."""
    result = outcome.result if isinstance(outcome, Answer) else None
    return result.get("protocolVersion") if isinstance(result, dict) else None


def supported_in(outcome: Outcome) -> list[str]:
    """The versions that a refusal lists."""
    data = outcome.data if isinstance(outcome, Refusal) else None
    listed = data.get("supported") if isinstance(data, dict) else None
    return [version for version in listed if isinstance(version, str)] if isinstance(listed, list) else []


@check(
    "mcp.ver.echo-supported",
    "A supported version in initialize is answered with the same version",
    isolation=Isolation.SESSION,
    mutants=("version.latest-to-capable-clients", "version.latest-to-everyone"),
)
async def supported_version_is_echoed(lab: McpLab) -> None:
    """initialize with this version, by a client without capabilities and by one with all of them; then with every
    version that a request may name in its header, on a server that refuses a header without a version that exists."""
    for version in (lab.version, *await _taken_in_headers(lab)):
        for capabilities in ({}, FULL):
            async with lab.session(capabilities=capabilities, opened=False) as session:
                outcome = await session.initialize(version, announce=False)
                wanted = f"protocolVersion {version}, which the server speaks"
                lab.expect(expect.that(agreed(outcome) == version, wanted, outcome, outcome))


async def _taken_in_headers(lab: McpLab) -> list[str]:
    """The other versions that the server supports: it has to refuse the header of any that it does not."""
    if not lab.over_http or lab.version not in (C, D):
        return []
    async with lab.session() as session:

        async def takes(version: str) -> bool:
            outcome = await session.request("ping", headers={"MCP-Protocol-Version": version})
            return isinstance(outcome, Answer) and outcome.reply.status == 200

        others = [version for version in (B, C, D) if version != lab.version]
        return [] if await takes("1999-01-01") else [version for version in others if await takes(version)]


@check(
    "mcp.ver.counter-offer",
    "An unsupported version in initialize is answered with another supported version",
    isolation=Isolation.SESSION,
    mutants=("version.echoes-anything", "version.refuses-unknown"),
)
async def unsupported_version_gets_a_counter_offer(lab: McpLab) -> None:
    """initialize with versions that do not exist, the empty string, and one that has no initialize."""
    for requested in (*UNSUPPORTED, ""):
        async with lab.session(opened=False) as session:
            outcome = await session.initialize(requested, announce=False)
            lab.expect(offered_another(outcome, requested))


def offered_another(outcome: Outcome, requested: str) -> Violation | None:
    """A result with a version that exists. Ambiguity: an example of the page shows an error with `data.supported`."""
    wanted = f"a result that offers another version than {requested!r}"
    if agreed(outcome) in STATEFUL:
        return None
    soft = bool(supported_in(outcome)) or (requested == "" and isinstance(outcome, Refusal))
    return Violation(wanted, expect.shown(outcome), expect.cited(outcome), soft=soft)


@check(
    "mcp.ver.counter-offer-latest",
    "The counter-offer is the latest version that the server supports",
    isolation=Isolation.SESSION,
    mutants=("version.offers-oldest",),
)
async def counter_offer_is_the_latest(lab: McpLab) -> None:
    """initialize with versions that do not exist, compared with the newest version that was agreed on before."""
    spoken = [version for version in lab.berth.claims.versions(lab.binding) if version in STATEFUL]
    for requested in ("1999-01-01", "2099-12-31"):
        async with lab.session(opened=False) as session:
            outcome = await session.initialize(requested, announce=False)
            if not isinstance(agreed(outcome), str):
                lab.inconclusive(Reason.STIMULUS_FAILED, "the server made no counter-offer", outcome)
            wanted = f"an offer of {max(spoken)}, the latest version that it agrees on"
            lab.expect(expect.that(agreed(outcome) >= max(spoken), wanted, outcome, outcome))


@check(
    "mcp.ver.counter-offer-usable",
    "The session works in the version that the server offered",
    isolation=Isolation.SESSION,
    mutants=("version.offered-session-dead",),
)
async def offered_version_works(lab: McpLab) -> None:
    """initialize with a version that does not exist, then a session in the one that was offered."""
    async with lab.session(opened=False) as session:
        outcome = await session.initialize("1999-01-01", announce=False)
        offered = agreed(outcome)
        if offered not in STATEFUL:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the server made no counter-offer", outcome)
        session.envelope.version = offered
        await session.announce()
        lab.expect(expect.answered(await session.request("ping"), f"a ping in a session of {offered} is answered"))
        if lab.declares(Feature.TOOLS):
            lab.expect(expect.answered(await session.request("tools/list"), f"tools/list works in {offered}"))


# The version header of the older era


@check(
    "mcp.ver.header-invalid-400",
    "An invalid or unsupported MCP-Protocol-Version header is refused with HTTP status 400",
    isolation=Isolation.SESSION,
    mutants=("version.header-ignored", "version.header-404"),
)
async def invalid_header_is_refused(lab: McpLab) -> None:
    """A version that does not exist and a word that is none, on requests of an open session."""
    async with lab.session() as session:
        for value in ("1999-01-01", "2099-12-31", "banana"):
            for method in ("ping", "tools/list"):
                outcome = await session.request(method, headers={"MCP-Protocol-Version": value})
                wanted = f"HTTP status 400 for the version header {value!r}"
                lab.expect(expect.that(outcome.reply.status == 400, wanted, outcome, outcome))


@check(
    "mcp.ver.header-missing-ok",
    "A session request without the version header is served",
    isolation=Isolation.SESSION,
    mutants=("version.header-demanded",),
)
async def missing_header_is_served(lab: McpLab) -> None:
    """A ping of an open session without MCP-Protocol-Version."""
    async with lab.session() as session:
        lab.expect(expect.answered(await session.request("ping", headers={"MCP-Protocol-Version": None})))


@check(
    "mcp.ver.header-other-supported",
    "A header that names another supported version than the negotiated one is served or refused clearly",
    isolation=Isolation.SESSION,
    mutants=("version.other-header-breaks",),
)
async def other_supported_header(lab: McpLab) -> None:
    """A ping with the header of another version of the older era that the server speaks."""
    others = [v for v in lab.berth.claims.versions(lab.binding) if v in (B, C, D) and v != lab.version]
    if not others:
        lab.not_applicable("the server speaks no second version of the older era over HTTP", lab.claim_record)
    async with lab.session() as session:
        outcome = await session.request("ping", headers={"MCP-Protocol-Version": others[-1]})
        clear = isinstance(outcome, Answer | Refusal) and (outcome.reply.status or 0) < 500
        lab.expect(expect.that(clear, "an answer or a clear refusal", outcome, outcome))
        lab.note(f"{others[-1]} in a session of {lab.version}: {expect.shown(outcome)}", outcome)


# Batches


def batch(session: Session, *methods: str) -> tuple[list[int], list[Any]]:
    """The ids and the messages of a batch of requests."""
    ids = [session.next_id() for _ in methods]
    return ids, [session.message(method, {}, id=ident) for method, ident in zip(methods, ids, strict=True)]


async def answers(session: Session, messages: list[Any], ids: list[int]) -> tuple[dict[int, int], Any]:
    """How many responses each id got until all were there or the exchange ended, and the exchange."""
    exchange = await session.send(messages)
    over_http = session.binding == HTTP
    stream = exchange if over_http else session.stdio.inbox

    def counted() -> dict[int, int]:
        found = [
            m.payload.get("id") for m in stream.messages if isinstance(m.payload, dict) and "method" not in m.payload
        ]
        return {ident: found.count(ident) for ident in ids}

    await stream.until(lambda _: True if all(counted().values()) else None)
    if over_http:
        await exchange.finished()
    return counted(), exchange


@check(
    "mcp.ver.batch-accepted",
    "A JSON-RPC batch is accepted over HTTP",
    isolation=Isolation.SESSION,
    mutants=("batch.refused",),
    patience=5.0,
)
async def batch_is_accepted(lab: McpLab) -> None:
    """An array of two requests in one POST."""
    async with lab.session() as session:
        ids, messages = batch(session, "ping", "ping")
        counts, exchange = await answers(session, messages, ids)
        outcome = await exchange.outcome()
        lab.expect(expect.that(all(counts.values()), "a response to every request of the batch", outcome, outcome))


@check(
    "mcp.ver.batch-all-answered",
    "Every request of a batch gets exactly one response and its notifications get none",
    isolation=Isolation.SESSION,
    mutants=("batch.first-only",),
    patience=5.0,
)
async def every_member_is_answered(lab: McpLab) -> None:
    """Three requests and a notification in one array; then the stream ends."""
    async with lab.session() as session:
        ids, messages = batch(session, "ping", "tools/list", "ping")
        if not lab.declares(Feature.TOOLS):
            messages[1]["method"] = "ping"
        messages.insert(1, session.message("notifications/seatrial"))
        counts, exchange = await answers(session, messages, ids)
        records = (exchange.sent, exchange.end)
        lab.expect(expect.that(set(counts.values()) == {1}, "one response for each request id", counts, *records))
        ended = await exchange.finished()
        lab.expect(expect.that(ended, "the exchange ends when all are answered", "it is still open", *records))


@check(
    "mcp.ver.batch-notifications-202",
    "A batch of notifications only is accepted with HTTP status 202",
    isolation=Isolation.SESSION,
    mutants=("batch.notifications-200",),
)
async def batch_of_notifications(lab: McpLab) -> None:
    """An array of two notifications in one POST."""
    async with lab.session() as session:
        note = session.message("notifications/seatrial")
        exchange = await session.send([note, note])
        lab.expect(expect.accepted(await exchange.outcome()))


@check(
    "mcp.ver.batch-init-refused",
    "initialize is not served inside a batch",
    isolation=Isolation.SESSION,
    mutants=("batch.initialize-served",),
)
async def initialize_in_a_batch(lab: McpLab) -> None:
    """An array that holds initialize, as the first message."""
    async with lab.session(opened=False) as session:
        ident = session.next_id()
        params = {
            "protocolVersion": lab.version,
            "capabilities": {},
            "clientInfo": {"name": "seatrial", "version": "1"},
        }
        exchange = await session.send([session.message("initialize", params, id=ident)], request_id=ident)
        outcome = await exchange.outcome()
        lab.expect(expect.that(not isinstance(outcome, Answer), "initialize in a batch is refused", outcome, outcome))


@check(
    "mcp.ver.batch-stdio",
    "A JSON-RPC batch is accepted over stdio",
    isolation=Isolation.SESSION,
    mutants=("batch.silent-on-stdio",),
)
async def batch_over_stdio(lab: McpLab) -> None:
    """An array of two requests on one line."""
    async with lab.session() as session:
        ids, messages = batch(session, "ping", "ping")
        counts, exchange = await answers(session, messages, ids)
        wanted = "a response to every request of the batch"
        lab.expect(expect.that(all(counts.values()), wanted, f"responses by id: {counts}", exchange.sent))


@check(
    "mcp.ver.batch-not-in-later",
    "An array is not processed in versions without batches",
    isolation=Isolation.SESSION,
    mutants=("batch.served-in-later",),
)
async def no_batches_later(lab: McpLab) -> None:
    """An array of one request, as 2025-03-26 alone allows it."""
    async with lab.session() as session:
        ids, messages = batch(session, "tools/list")
        exchange = await session.send(messages, request_id=ids[0], headers=dict.fromkeys(("Mcp-Method",), "tools/list"))
        if lab.over_http:
            outcome = await exchange.outcome()
            lab.expect(expect.that(not isinstance(outcome, Answer), "the array is refused", outcome, outcome))
        else:
            await session.fence()
            lab.expect(
                expect.silent([m for m in exchange.responses if "result" in m.payload], "the array is not processed")
            )
        await exchange.leave(Departure.FIN)


# The discovery probe of a modern client


@check(
    "mcp.ver.stdio-probe-safe",
    "A server of the older era survives the discovery probe of a modern client",
    isolation=Isolation.SESSION,
    mutants=("version.probe-kills",),
)
async def probe_is_survived(lab: McpLab) -> None:
    """server/discover as the very first message, then initialize in the same process."""
    async with lab.session(opened=False) as session:
        probe = await session.begin("server/discover", {})
        await probe.outcome(lab.tempo.quiet)
        outcome = await session.initialize()
        lab.expect(expect.answered(outcome, "initialize works after the probe"))
