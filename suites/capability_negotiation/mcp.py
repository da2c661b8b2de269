"""MCP: how a session of the older era begins, and that it lives."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from seatrial import Answer, Exchange, Isolation, McpLab, Message, Outcome, Role, Session, check, expect
from seatrial.judge import shape

CAPABILITIES = "/result/capabilities/"
TEMPTING = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}}
"""A client of which a server may want something at once."""

BEFORE_INITIALIZED = frozenset({"ping", "notifications/message"})
"""What a server may send before it knows that the client is ready (basic/lifecycle#initialization)."""

PROMPT = 2.0
"""Seconds within which a ping is answered promptly."""

BUSY = 4.0
"""Seconds that the call takes beside which pings are sent."""


async def initialized(session: Session, lab: McpLab) -> Answer:
    return lab.need(await session.initialize(announce=False), "initialize")


async def _judge_initialize(lab: McpLab, part: Callable[[str], bool], what: str) -> None:
    """What is wrong in the places that `part` picks of an initialize result."""
    async with lab.session(opened=False) as session:
        answer = await initialized(session, lab)
        faults = [f for f in shape.shape_faults(lab.version, answer.message.payload, "initialize") if part(f)]
        lab.expect(expect.that(not faults, what, "; ".join(faults), answer))


@check(
    "mcp.cap.init-result-shape",
    "The initialize result names a version, the server's capabilities and its implementation",
    mutants=("init.server-without-version", "init.capabilities-as-list"),
    isolation=Isolation.SESSION,
)
async def initialize_result_is_whole(lab: McpLab) -> None:
    """initialize with empty capabilities; the result is compared with the shape of the version."""
    await _judge_initialize(lab, lambda fault: not fault.startswith(CAPABILITIES), "an initialize result of its shape")


@check(
    "mcp.cap.init-capabilities-types",
    "Every known capability in the initialize result has the type that the schema gives it",
    mutants=("init.capability-as-flag", "init.listchanged-as-text"),
    isolation=Isolation.SESSION,
)
async def capabilities_have_their_types(lab: McpLab) -> None:
    """initialize with empty capabilities; each known capability is an object, and its members are flags or objects."""
    await _judge_initialize(
        lab, lambda fault: fault.startswith(CAPABILITIES), "capabilities of the types of the schema"
    )


# Pings


@check(
    "mcp.cap.ping-answers",
    "A ping is answered promptly with an empty result",
    mutants=("ping.not-empty", "ping.waits-for-calls", "ping.not-before-initialized"),
    isolation=Isolation.PROCESS,
    patience=6.0,
)
async def pings_are_answered(lab: McpLab) -> None:
    """A ping before notifications/initialized, one after it, and some while a slow call runs: in its session, and
    over HTTP in another one too. What a busy server answers only when the call is over was not answered promptly."""
    async with lab.session(opened=False) as session:
        await initialized(session, lab)
        await _ping(lab, session)
        await session.announce()
        await _ping(lab, session)
        if not lab.effects.has(Role.SLOW):
            lab.waive("no ping was sent beside a slow call: no stimulus is configured for the role slow")
        elif lab.over_http:
            async with lab.session() as other:
                await _ping_while_busy(lab, session, other)
        else:
            await _ping_while_busy(lab, session)


async def _ping(lab: McpLab, session: Session) -> None:
    begun = anyio.current_time()
    _judge_ping(lab, await session.request("ping"), begun)


def _judge_ping(lab: McpLab, outcome: Outcome, begun: float) -> None:
    lab.expect(expect.answered(outcome, "a ping is answered"))
    if isinstance(outcome, Answer):
        empty = isinstance(outcome.result, dict) and not outcome.result.keys() - {"_meta"}
        lab.expect(expect.that(empty, "an empty result", outcome, outcome))
        took = outcome.message.time - begun
        lab.expect(expect.that(took <= lab.tempo.scaled(PROMPT), "an answer within 2 s", f"{took:.1f} s", outcome))


async def _ping_while_busy(lab: McpLab, *sessions: Session) -> None:
    """The first session makes a slow call; then all of them ping."""
    play = await lab.effects.plan(Role.SLOW, seconds=BUSY)
    call = await sessions[0].start(play, token=f"of-{play.key}")
    await call.progressed(1, lab.tempo.scaled(0.5))
    begun = anyio.current_time()
    pings = [await session.begin("ping") for session in sessions]
    patience = play.lasts + sessions[0].carrier_patience
    outcomes = [await ping.outcome(patience) for ping in pings]
    await call.outcome(patience)
    for outcome in outcomes:
        _judge_ping(lab, outcome, begun)
        _judge_waiting(lab, outcome, call, begun)


def _judge_waiting(lab: McpLab, outcome: Outcome, call: Exchange, begun: float) -> None:
    """A ping that took as long as the call still needed has waited for it."""
    if not isinstance(outcome, Answer) or not call.responses:
        return
    took, left = outcome.message.time - begun, call.responses[0].time - begun
    if left < 1.0:
        lab.note("the slow call was over too soon to tell whether pings wait for calls", call.sent)
        return
    actual = f"the ping took {took:.1f} s, the slow call {left:.1f} s more"
    lab.expect(expect.that(took < left * 0.8, "a ping that does not wait for a slow call", actual, outcome, call.sent))


# Before and after the handshake


@check(
    "mcp.cap.no-early-server-requests",
    "Before notifications/initialized the server sends nothing but pings and log messages",
    mutants=("init.roots-asked-early", "init.lists-announced-early"),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def server_waits_for_initialized(lab: McpLab) -> None:
    """initialize by a client that has everything to offer, then two seconds of silence with an open GET stream."""
    async with lab.session(capabilities=TEMPTING, opened=False) as session:
        await initialized(session, lab)
        if lab.over_http:
            session.open_stream()
        await lab.quiet(2.0)
        early = [m for _, m in session.received if _is_early(m)]
        lab.expect(expect.silent(early, "nothing but pings and log messages before notifications/initialized"))


def _is_early(message: Message) -> bool:
    return message.method is not None and message.method not in BEFORE_INITIALIZED


@check(
    "mcp.cap.use-before-init",
    "A request before initialize gets an error and does not end the server",
    mutants=("init.served-before", "init.early-request-ends-it"),
    isolation=Isolation.PROCESS,
)
async def early_requests_are_refused(lab: McpLab) -> None:
    """tools/list as the very first message, then initialize and a ping."""
    async with lab.session(opened=False) as session:
        early = await session.request("tools/list", within=session.carrier_patience * 4)
        lab.expect(expect.refused(early, what="an error before initialize"))
        lab.expect(expect.answered(await session.initialize(), "the server can still be initialized"))
        lab.expect(expect.answered(await session.fence(), "the session works"))


@check(
    "mcp.cap.second-init",
    "A second initialize does not break the session",
    mutants=("init.second-ends-session", "init.second-unanswered"),
    isolation=Isolation.SESSION,
)
async def second_initialize_is_harmless(lab: McpLab) -> None:
    """initialize again in an open session: an error or a fresh result. The session must go on."""
    async with lab.session() as session:
        again = {"protocolVersion": lab.version, "capabilities": {}, "clientInfo": {"name": "again", "version": "1"}}
        lab.expect(expect.responded(await session.request("initialize", again)))
        lab.expect(expect.answered(await session.fence(), "the session goes on"))
