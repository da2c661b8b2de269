"""MCP: streams that break and are resumed (Streamable HTTP, 2025-03-26 to 2025-11-25)."""

from __future__ import annotations

from collections.abc import Iterable

import anyio
from seatrial import Ending, Exchange, Isolation, McpLab, Message, Reason, Role, Violation, check, expect, is_response
from seatrial.judge import replay

from ..plays import patience, reports
from .resuming import begin, delivery, first_id, names, opened, severed, tail_of, uncut

CUT = ("cut_after_events",)
POINTS = 6
"""How many points of one stream are tried at most."""


@check(
    "mcp.rec.resume-offered",
    "Events carry ids, so that a stream can be resumed",
    needs={Role.PROGRESS},
    mutants=("replay.no-ids",),
)
async def resumption_is_offered(lab: McpLab) -> None:
    """A call with progress; the events of its stream are looked at."""
    stream = await uncut(lab, await reports(lab, count=2))
    if not stream.events:
        lab.not_applicable("a call with progress is answered without a stream", stream.sent, stream.end)
    ids = [event.id for event in stream.events if event.id]
    records = (event.record for event in stream.events)
    lab.expect(expect.that(bool(ids), "events with ids", f"{len(stream.events)} events without one", *records))


@check(
    "mcp.rec.resume-accepts",
    "A GET with Last-Event-ID is answered with an event stream where events have ids",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.get-refused",),
    isolation=Isolation.SESSION,
)
async def resumption_is_accepted(lab: McpLab) -> None:
    """The stream of a call is reset after its second event, then asked for again with the last id that came."""
    play = await reports(lab)
    async with severed(lab, play) as lost, lab.session(resuming=lost.session) as session:
        tail = session.resume(lost.head)
        await tail.status()
        lab.expect(opened(tail))


@check(
    "mcp.rec.resume-complete",
    "A resumed stream delivers every missed event once, in order, and then the response",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.drops-tail", "replay.while-away-lost", "replay.reversed"),
    isolation=Isolation.SESSION,
)
async def resumed_stream_is_complete(lab: McpLab) -> None:
    """Reset after the second event, resumed when a part of the rest has passed; compared with an uncut call."""
    whole = names(await uncut(lab, await reports(lab)))
    play = await reports(lab)
    async with severed(lab, play) as lost:
        await lab.until(anyio.current_time() + play.lasts / 2)
        lab.expect(delivery(lab, whole, lost.head, await tail_of(lab, lost)))


@check(
    "mcp.rec.resume-final-only",
    "A response that was produced while the client was away is delivered on resumption",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.forgets-finished",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def response_waits_for_the_client(lab: McpLab) -> None:
    """Reset early, resumed when the call has long been over."""
    play = await reports(lab, count=4)
    async with severed(lab, play) as lost:
        await lab.quiet(play.lasts + 1.0)
        tail = await tail_of(lab, lost)
        lab.expect(opened(tail) or expect.responded(await tail.outcome(), "the stored response is delivered"))


@check(
    "mcp.rec.resume-live",
    "Replay passes into live delivery without gap or overlap",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.overlap", "replay.gap-before-live"),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def replay_passes_into_live(lab: McpLab) -> None:
    """Resumed at once, while the call still reports; compared with an uncut call."""
    whole = names(await uncut(lab, await reports(lab, count=10)))
    play = await reports(lab, count=10)
    async with severed(lab, play) as lost:
        lab.expect(delivery(lab, whole, lost.head, await tail_of(lab, lost)))


@check(
    "mcp.rec.resume-twice",
    "Resuming again from the same event gives the same events",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.only-once",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def resuming_again_gives_the_same(lab: McpLab) -> None:
    """After the call is over, its stream is resumed twice from the last event that came."""
    play = await reports(lab)
    async with severed(lab, play) as lost:
        await lab.quiet(play.lasts + 1.0)
        first, second = await tail_of(lab, lost), await tail_of(lab, lost)
        lab.expect(opened(first) or opened(second) or replay.same(first.messages, second.messages))


@check(
    "mcp.rec.resume-at-each-point",
    "A stream can be resumed from each of its events",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.first-event-lost", "replay.page-boundary"),
    isolation=Isolation.SESSION,
)
async def each_event_is_a_point_to_resume_from(lab: McpLab) -> None:
    """Reset after the first, second, ... and last but one event, in a session each; always the whole arrives."""
    control = await uncut(lab, await reports(lab, count=3, gap=0.05))
    first_id(lab, control)
    points = range(1, len(control.events))[:POINTS]
    if not points:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the stream has one event only", control.sent)
    async with anyio.create_task_group() as tasks:
        for point in points:
            tasks.start_soon(_resume_from, lab, control, point)


async def _resume_from(lab: McpLab, control: Exchange, point: int) -> None:
    async with severed(lab, await reports(lab, count=3, gap=0.05), after=point) as lost:
        if lost.head.last_event_id is not None:
            lab.expect(delivery(lab, names(control), lost.head, await tail_of(lab, lost)))


@check(
    "mcp.rec.no-cross-stream",
    "A replay contains no message of another stream",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.all-streams",),
    isolation=Isolation.SESSION,
)
async def replay_keeps_to_its_stream(lab: McpLab) -> None:
    """Two calls run at once in one session; the stream of the first is reset and resumed when both are over."""
    play, other = await reports(lab), await reports(lab)
    async with severed(lab, play) as lost:
        bystander = await begin(lost.session, other)
        await bystander.outcome(patience(lab, other))
        await lab.quiet(play.lasts)
        tail = await tail_of(lab, lost)
        if tail.reply.status != 200:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the stream was not resumed", tail.sent, tail.end)
        lab.expect(expect.silent(_foreign(tail, [bystander]), "only messages of the resumed stream"))


def _foreign(tail: Exchange, others: Iterable[Exchange]) -> list[Message]:
    """Messages of a stream that carry the token or the id of another call."""
    tokens = {other.token for other in others}
    ids = {other.request_id for other in others} - {tail.request_id}
    return [
        message
        for message in tail.messages
        if message.params.get("progressToken") in tokens or (is_response(message) and message.payload.get("id") in ids)
    ]


@check(
    "mcp.rec.no-cross-session",
    "A session cannot replay the events of another session",
    needs={Role.PROGRESS},
    faults=CUT,
    mutants=("replay.any-session",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def sessions_do_not_share_events(lab: McpLab) -> None:
    """An event id of one session is presented in another, which also resumes a call that has the same request id."""
    play = await reports(lab)
    async with severed(lab, play) as lost:
        if lost.session.session_id is None:
            lab.not_applicable("the server issues no session id", lab.claim_record)
        await lab.quiet(play.lasts)
        async with lab.session() as stranger:
            stolen = stranger.open_stream(first_id(lab, lost.head))
            await stolen.outcome(lab.tempo.quiet)
            lab.expect(expect.silent(_foreign(stolen, [lost.head]), "nothing of another session"))
        async with severed(lab, await reports(lab), id=str(lost.head.request_id)) as twin:
            lab.expect(expect.silent(_foreign(await tail_of(lab, twin), [lost.head]), "nothing of another session"))


@check(
    "mcp.rec.unknown-event-id",
    "An unknown Last-Event-ID replays nothing",
    needs={Role.PROGRESS},
    faults=("mutate_id",),
    mutants=("replay.unknown-replays-all", "replay.unknown-crashes"),
    isolation=Isolation.SESSION,
)
async def unknown_event_replays_nothing(lab: McpLab) -> None:
    """Made-up and altered ids, after a call whose events are kept: a 4xx, or a stream without old messages."""
    play = await reports(lab, count=2)
    async with lab.session() as session:
        told = await begin(session, play)
        lab.need(await told.outcome(patience(lab, play)), "a call with progress")
        known = first_id(lab, told)
        for unknown in (f"{known}-altered", "seatrial-never-issued", "00000000-0000-4000-8000-000000000000"):
            stream = session.open_stream(unknown)
            await stream.outcome(lab.tempo.quiet)
            lab.expect(expect.silent(_foreign(stream, [told]), f"nothing for the made-up event id {unknown}"))
            lab.expect(_no_breakdown(stream))
            await stream.leave()


def _no_breakdown(stream: Exchange) -> Violation | None:
    status = stream.reply.status
    broken = stream.ending in (Ending.TORN, Ending.RESET) or (status is not None and status >= 500)
    actual = f"HTTP status {status}, stream {stream.ending}"
    return expect.that(not broken, "a 4xx, or an empty or live stream", actual, stream.sent, stream.end)
