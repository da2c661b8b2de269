"""MCP: how the event streams of calls begin and end."""

from __future__ import annotations

from seatrial import (
    Ending,
    Exchange,
    Feature,
    Histories,
    Isolation,
    Judgement,
    McpLab,
    Play,
    Reason,
    Role,
    Session,
    Spoken,
    StreamEvent,
    check,
    expect,
)
from seatrial.judge import framing

from ..plays import patience, reports
from .resuming import begin


@check(
    "mcp.rec.sse-framing",
    "Streams follow the event-stream format, and each event's data is one JSON-RPC message",
    mutants=("framing.raw-newlines",),
    monitor=True,
)
def streams_are_well_framed(histories: Histories, spoken: Spoken) -> Judgement:
    """Every event stream of the run."""
    return framing.sse_framing(histories, spoken)


@check(
    "mcp.rec.priming-event",
    "A stream begins with an event that has an id and empty data",
    mutants=("priming.none", "priming.without-id"),
)
async def stream_is_primed(lab: McpLab) -> None:
    """The first event of the stream of each call that is answered with one."""
    async with lab.session() as session:
        streams = await _streams(lab, session)
        if not streams:
            lab.not_applicable("no call is answered with an event stream", lab.claim_record)
        for stream in streams:
            first = next((event for event in stream.events if event.data is not None), None)
            primed = first is not None and bool(first.id) and first.data == ""
            lab.expect(
                expect.that(primed, "first an event with an id and empty data", _told(first), *_evidence(stream))
            )


@check(
    "mcp.rec.no-priming-to-old",
    "A stream has no event with empty data, which clients of these versions would read as a message",
    mutants=("priming.everybody",),
)
async def no_event_is_empty(lab: McpLab) -> None:
    """All events of the streams of several calls."""
    async with lab.session() as session:
        streams = await _streams(lab, session)
        if not streams:
            lab.not_applicable("no call is answered with an event stream", lab.claim_record)
        for stream in streams:
            empty = [event for event in stream.events if event.data == "" and event.event in (None, "", "message")]
            told = f"{len(empty)} events with empty data"
            lab.expect(expect.that(not empty, "every event carries a message", told, stream.sent, *_records(empty)))


async def _streams(lab: McpLab, session: Session) -> list[Exchange]:
    """The event streams with which the target answers: of a list, of a quick call, of one with progress."""
    found = [await session.begin("tools/list")] if lab.declares(Feature.TOOLS) else []
    for role in (Role.QUICK, Role.PROGRESS):
        if lab.effects.has(role):
            play = await _short(lab, role)
            found.append(await begin(session, play))
            await found[-1].outcome(patience(lab, play))
    for exchange in found:
        await exchange.finished(lab.tempo.quiet)
    return [exchange for exchange in found if exchange.reply.media_type == "text/event-stream"]


async def _short(lab: McpLab, role: Role) -> Play:
    return await reports(lab, count=2) if role is Role.PROGRESS else await lab.effects.plan(role)


def _told(event: StreamEvent | None) -> str:
    return "no event" if event is None else f"an event with id {event.id!r} and data {(event.data or '')[:80]!r}"


def _evidence(stream: Exchange) -> tuple[int, ...]:
    return (stream.sent, *_records(stream.events[:2]))


def _records(events: list[StreamEvent]) -> tuple[int, ...]:
    return tuple(event.record for event in events)


@check(
    "mcp.rec.retry-before-close",
    "A server that closes a stream early says first when to come back",
    needs={Role.STREAM_CLOSE},
    mutants=("retry.none",),
    isolation=Isolation.SESSION,
)
async def early_close_is_announced(lab: McpLab) -> None:
    """A call that closes its own stream before its answer."""
    play = await lab.effects.plan(Role.STREAM_CLOSE, count=4, gap=0.1)
    async with lab.session() as session:
        stream = await begin(session, play)
        await stream.finished(patience(lab, play))
        if stream.ending is not Ending.CLOSED or stream.responses:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the stream was not closed early", stream.sent, stream.end)
        told = any(event.retry is not None for event in stream.events)
        lab.expect(expect.that(told, "a retry field before the close", "none came", stream.sent, stream.end))


@check(
    "mcp.rec.x-accel-buffering",
    "An event stream asks proxies not to buffer it",
    mutants=("stream.buffered",),
    isolation=Isolation.SESSION,
)
async def proxies_are_told_not_to_buffer(lab: McpLab) -> None:
    """The headers of the streams of calls and of a subscription."""
    async with lab.session() as session:
        subscription = await session.listen({"toolsListChanged": True})
        await subscription.status()
        streams = [
            s for s in (subscription, *await _streams(lab, session)) if s.reply.media_type == "text/event-stream"
        ]
        if not streams:
            lab.not_applicable("no request is answered with an event stream", subscription.sent, subscription.end)
        for stream in streams:
            value = stream.reply.header("x-accel-buffering")
            told = f"X-Accel-Buffering: {value}" if value else "no such header"
            lab.expect(expect.that((value or "").strip().lower() == "no", "X-Accel-Buffering: no", told, stream.sent))
