"""MCP: streams that a gateway mangles on their way, and are resumed (Streamable HTTP, 2025-03-26 to 2025-11-25)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import anyio
from seatrial import Exchange, Isolation, McpLab, Message, Reason, Role, Violation, check, expect
from seatrial.faults import (
    RESET,
    EventId,
    Fault,
    bom,
    cr_only,
    cut,
    drop_event,
    duplicate_event,
    events,
    mutate_id,
    reorder_events,
    retry_field,
    two_streams,
    unterminated_tail,
)
from seatrial.judge import replay

from ..plays import patience, reports
from .resuming import ABSENT, Severed, begin, first_id, names, opened, own, tail_of, uncut

NUMBER = 5
"""Reports of a call whose stream is mangled."""


def manglings(method: str) -> Iterator[tuple[Fault, ...]]:
    """What happens to a stream, and what ends it when the client has learnt half of it."""
    second = events(2)
    ending = cut(on=method, after=events(3), how=RESET)
    for kind in (EventId.ABSENT, EventId.REPEATED, EventId.NUL):
        yield (mutate_id(on=method, after=events(3), kind=kind), ending)
    yield (duplicate_event(on=method, after=second), ending)
    yield (reorder_events(on=method, after=second), ending)
    yield (drop_event(on=method, after=second), ending)
    yield (retry_field(on=method, after=second, value=50), ending)
    yield (bom(on=method), ending)
    yield (cr_only(on=method), ending)
    yield (unterminated_tail(on=method),)


@check(
    "mcp.rec.resume-after-mangling",
    "A stream that a gateway mangled goes on behind the last event that the client kept",
    needs={Role.PROGRESS},
    faults=(
        *("mutate_id", "duplicate_event", "reorder_events", "drop_event"),
        *("retry_field", "bom", "cr_only", "unterminated_tail", "cut_after_events"),
    ),
    mutants=("replay.forgets-delivered",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def mangled_streams_are_resumed(lab: McpLab) -> None:
    """In a session each, an event comes without its id or with an unusable one, twice, late, or not at all, a retry
    field or a byte order mark comes with them, lines end with CR, the last event stays unfinished. When the call
    is over, the client resumes behind the last event whose id it holds, and gets what followed that."""
    whole = await _whole(lab)
    play = await reports(lab, NUMBER)
    async with anyio.create_task_group() as tasks:
        for faults in manglings(play.method):
            tasks.start_soon(_resume_through, lab, whole, faults)


async def _whole(lab: McpLab) -> Exchange:
    """The same stream left alone. NOT_APPLICABLE where it cannot be resumed."""
    whole = await uncut(lab, await reports(lab, NUMBER))
    first_id(lab, whole)
    if len(own(whole)) < NUMBER:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the stream has {len(own(whole))} messages only", whole.sent)
    return whole


async def _resume_through(lab: McpLab, whole: Exchange, faults: Sequence[Fault]) -> None:
    play = await reports(lab, NUMBER)
    async with lab.session(*faults) as session:
        head = await begin(session, play)
        await head.finished(patience(lab, play))
        await lab.quiet(play.lasts)
        tail = await tail_of(lab, Severed(play, session, head))
        lab.expect(_goes_on(names(whole), _kept(head), tail))


def _kept(head: Exchange) -> list[Message]:
    """What came up to the event whose id the client holds: what follows that in the stream is to come again."""
    messages = own(head)
    place = next((n for n, message in enumerate(messages) if message.event_id == head.last_event_id), -1)
    return messages[: place + 1]


def _goes_on(whole: Sequence[Hashable], kept: Sequence[Message], tail: Exchange) -> list[Violation]:
    last = replay.progress(kept[-1]) if kept else None
    missing = whole[whole.index(last) + 1 :] if last in whole else whole
    found = [opened(tail), replay.complete((), own(tail), missing), replay.in_order(own(tail), whole)]
    return list(filter(None, [*found, replay.nothing_twice(kept[-1:], own(tail))]))


@check(
    "mcp.rec.answer-went-astray",
    "A response that came on another stream can still be had from its own",
    needs={Role.PROGRESS},
    faults=("two_streams",),
    mutants=("replay.forgets-delivered",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def stray_answers_can_be_had_again(lab: McpLab) -> None:
    """A GET stream is open when a gateway puts the response of a call on it. The client, which awaits the response on
    the stream of the call, resumes that one."""
    await _whole(lab)
    play = await reports(lab, NUMBER)
    async with lab.session(two_streams(on=play.method)) as session:
        listening = session.open_stream()
        if await listening.status() in ABSENT:
            lab.not_applicable("the server offers no GET streams", listening.sent, listening.end)
        head = await begin(session, play)
        await head.finished(patience(lab, play))
        tail = await tail_of(lab, Severed(play, session, head))
        lab.expect(opened(tail) or expect.responded(await tail.outcome(), "the response comes on its own stream"))


@check(
    "mcp.rec.mangled-event-id",
    "A Last-Event-ID that a gateway made up or blew up keeps the server from nothing",
    needs={Role.PROGRESS},
    faults=("mutate_id", "cut_after_events"),
    mutants=("replay.unknown-crashes",),
    isolation=Isolation.PROCESS,
    patience=2.0,
)
async def mangled_ids_do_no_harm(lab: McpLab) -> None:
    """The third event of a call comes with a foreign id, or one of 64 KiB, and the connection breaks. The client
    resumes with that id: any answer but a breakdown will do, and the session goes on."""
    await _whole(lab)
    for kind in (EventId.FOREIGN, EventId.HUGE):
        play = await reports(lab, NUMBER)
        mangled = mutate_id(on=play.method, after=events(3), kind=kind)
        async with lab.session(mangled, cut(on=play.method, after=events(3), how=RESET)) as session:
            head = await begin(session, play)
            await head.finished(patience(lab, play))
            async with lab.session(resuming=session) as again:
                tail = again.resume(head)
                status = await tail.status()
                wanted = f"a refusal of the {kind} event id, or a stream"
                lab.expect(expect.that((status or 0) < 500, wanted, f"HTTP status {status}", tail.sent, tail.end))
                await tail.leave()
                lab.expect(expect.answered(await again.fence(), "the session goes on"))
