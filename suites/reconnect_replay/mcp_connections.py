"""MCP: connections that break, stall or drip, and what they may not disturb (Streamable HTTP)."""

from __future__ import annotations

import anyio
from seatrial import Departure, Exchange, Isolation, McpLab, Reason, Role, Session, Violation, check, expect
from seatrial.faults import FIN, RESET, UP, Fault, Part, cut, events, octets, slow_loris, stall

from ..plays import patience, reports, underway
from .resuming import ABSENT, BUSY, begin, opened, reopened

INSIDE_THE_BODY = 4_000
"""Bytes of a request after which its head is surely over."""
LASTING = 0.5
"""Seconds that a GET stream is watched, to see whether it stays open."""
PADDING = {"_meta": {"padding": "x" * 50_000}}
"""Parameters that make a body long."""


@check(
    "mcp.rec.disconnect-not-cancel",
    "A disconnect is not taken for a cancellation",
    needs={Role.SLOW, Role.WITNESS},
    faults=("reset",),
    mutants=("disconnect.cancels",),
    isolation=Isolation.SESSION,
    patience=4.0,
)
async def disconnect_does_not_cancel(lab: McpLab) -> None:
    """A slow call loses its connection; the witness is asked when it must long be over, and compared with a control."""
    control = await lab.effects.control(Role.SLOW, seconds=2.0)
    play = await lab.effects.plan(Role.SLOW, seconds=2.0)
    async with lab.session() as session:
        before = await lab.effects.baseline(play, session)
        begun = anyio.current_time()
        exchange = await begin(session, play)
        await underway(lab, exchange)
        await exchange.leave(Departure.RST)
        sighting = await lab.effects.sight(play, control, session, before, begun)
        if not sighting.began:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the call did not begin", exchange.sent, *sighting.records)
        if not control.last:
            lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of a call that nobody disturbs")
        lab.expect(expect.that(sighting.finished, "the call works on to its end", str(sighting), *sighting.records))


@check(
    "mcp.rec.drop-mid-call-harmless",
    "A client that drops the connection during a call harms neither the server nor others",
    needs={Role.SLOW},
    faults=("reset",),
    mutants=("disconnect.kills",),
    isolation=Isolation.PROCESS,
    patience=3.0,
)
async def dropped_call_is_harmless(lab: McpLab) -> None:
    """Slow calls lose their connections, by RST and by FIN; when they are over, an old and a new session are used."""
    play = await lab.effects.plan(Role.SLOW, seconds=1.0)
    async with lab.session() as bystander, lab.session() as one, lab.session() as other:
        reporting = await one.start(play, token="reporting")
        quiet = await other.start(await lab.effects.plan(Role.SLOW, seconds=1.0))
        await lab.quiet(0.3)
        if reporting.responses or quiet.responses:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the slow call was over at once", reporting.sent, quiet.sent)
        await reporting.leave(Departure.RST)
        await quiet.leave(Departure.FIN)
        await lab.quiet(play.lasts + 0.5)
        await served(lab, bystander)


async def served(lab: McpLab, bystander: Session) -> bool:
    """Expects that a session from before the disturbance works, and so does a new one; whether both do."""
    old = lab.expect(expect.answered(await bystander.fence(), "the session of another client is served"))
    async with lab.session(opened=False) as fresh:
        return lab.expect(expect.answered(await fresh.open(), "a new client is served")) and old


@check(
    "mcp.rec.reset-during-body",
    "A connection that breaks inside the request body does no harm",
    faults=("reset",),
    mutants=("body.torn-kills",),
    isolation=Isolation.PROCESS,
    patience=2.0,
)
async def torn_body_is_harmless(lab: McpLab) -> None:
    """The connection ends, by RST and by FIN, when a part of a long body was sent; then others ask."""
    async with lab.session() as bystander:
        for how in (RESET, FIN):
            await _send_slowly(lab, cut(after=octets(INSIDE_THE_BODY), direction=UP, how=how))
        await served(lab, bystander)


async def _send_slowly(lab: McpLab, fault: Fault) -> None:
    """Send a long request through a fault of the way up, from a client of its own."""
    async with lab.session(fault, opened=False) as session:
        exchange = await session.begin("tools/list", PADDING)
        await exchange.finished()


@check(
    "mcp.rec.slow-body",
    "A request body that comes slowly does not disturb other clients",
    faults=("slow_loris",),
    mutants=("body.read-one-by-one",),
    isolation=Isolation.PROCESS,
    patience=5.0,
)
async def slow_body_disturbs_nobody(lab: McpLab) -> None:
    """The body of one request comes at a hundred bytes a second, and takes minutes; others ask meanwhile."""
    dripping = slow_loris(part=Part.BODY, rate=100.0)
    async with lab.session() as bystander, anyio.create_task_group() as tasks:
        tasks.start_soon(_send_slowly, lab, dripping)
        await lab.quiet(0.5)
        await served(lab, bystander)
        tasks.cancel_scope.cancel()


@check(
    "mcp.rec.half-open",
    "A client that stops reading does not block the others",
    needs={Role.PROGRESS},
    faults=("stall",),
    mutants=("stream.one-at-a-time",),
    isolation=Isolation.PROCESS,
    patience=4.0,
)
async def unread_stream_blocks_nobody(lab: McpLab) -> None:
    """Nobody reads the stream of a long call any more after its first event; others ask meanwhile."""
    play = await reports(lab, count=200, gap=0.1)
    async with lab.session() as bystander, lab.session(stall(on=play.method, after=events(1))) as session:
        unread = await begin(session, play)
        await unread.until(lambda stream: stream.events or None)
        await lab.quiet(0.5)
        await served(lab, bystander)


@check(
    "mcp.rec.post-while-get-down",
    "Calls are answered without a GET stream",
    mutants=("answers.by-get", "framing.raw-newlines"),
    isolation=Isolation.SESSION,
)
async def calls_need_no_get_stream(lab: McpLab) -> None:
    """Requests of a session that never opened a GET stream, and of one whose GET stream broke."""
    async with lab.session() as session:
        await _answered(lab, session)
        stream = session.open_stream()
        await stream.status()
        await stream.leave(Departure.RST)
        await _answered(lab, session)


async def _answered(lab: McpLab, session: Session) -> None:
    lab.expect(expect.answered(await session.fence()))
    for role in (Role.CALL, Role.PROGRESS):
        if lab.effects.has(role):
            play = await (reports(lab, count=2) if role is Role.PROGRESS else lab.effects.plan(role))
            exchange = await begin(session, play)
            lab.expect(expect.answered(await exchange.outcome(patience(lab, play)), "the call is answered"))


@check(
    "mcp.rec.get-reopen",
    "A broken GET stream can be opened again",
    faults=("reset",),
    mutants=("get.never-again", "get.comes-back-empty", "get.resumed-once"),
    isolation=Isolation.SESSION,
)
async def get_stream_reopens(lab: McpLab) -> None:
    """The GET stream is left by RST and by FIN; each time it must come back within two seconds, and last as it did
    before. Where its events have ids it is resumed behind the last of them, and so again when that broke too."""
    async with lab.session() as session:
        stream = await _get_stream(lab, session)
        lasts = not await stream.finished(LASTING)
        for how in (Departure.RST, Departure.FIN):
            await stream.leave(how)
            stream = await reopened(lab, session.open_stream)
            lab.require(opened(stream))
            lab.require(_as_lasting(stream, lasts and await stream.finished(LASTING)))
        await _resumes_again(lab, session, stream)


def _as_lasting(stream: Exchange, ended: bool) -> Violation | None:
    """A server may end a stream at any time, so one that is short once only is a warning."""
    wanted = f"a stream that stays open as the first one did, for {LASTING} s at least"
    return Violation(wanted, "it ended", (stream.sent, stream.end), soft=True) if ended else None


async def _resumes_again(lab: McpLab, session: Session, stream: Exchange) -> None:
    """What was resumed once and broke can be resumed from the same event again."""
    last = stream.last_event_id
    for first in (True, False) if last else ():
        await stream.leave(Departure.RST)
        stream = await reopened(lab, lambda: session.open_stream(last))
        if first and opened(stream):
            return
        lab.require(opened(stream))


async def _get_stream(lab: McpLab, session: Session) -> Exchange:
    """A GET stream; NOT_APPLICABLE where the server offers none."""
    stream = session.open_stream()
    if await stream.status() in ABSENT:
        lab.not_applicable("the server offers no GET streams", stream.sent, stream.end)
    if opened(stream):
        lab.inconclusive(Reason.STIMULUS_FAILED, "no GET stream could be opened", stream.sent, stream.end)
    return stream


@check(
    "mcp.rec.get-second-conflict",
    "A second GET stream is allowed, or refused with 409",
    mutants=("get.second-breaks",),
    isolation=Isolation.SESSION,
)
async def second_get_stream_is_clear(lab: McpLab) -> None:
    """Two GET streams of one session at once."""
    async with lab.session() as session:
        await _get_stream(lab, session)
        second = session.open_stream()
        status = await second.status()
        actual = f"HTTP status {status}"
        lab.expect(expect.that(status in (200, BUSY), "HTTP status 200 or 409", actual, second.sent, second.end))
