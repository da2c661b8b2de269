"""A stream that was cut, and what its resumption delivers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
from seatrial import Answer, Ending, Exchange, McpLab, Message, Play, Reason, Session, Violation, expect, is_response
from seatrial.faults import RESET, cut, events
from seatrial.judge import replay

from ..plays import patience

BUSY = 409
"""What a server may answer while it has not noticed that the last reader of a stream is gone."""

ABSENT = frozenset({405, 501})
"""What a server answers that offers no GET streams."""


@dataclass(frozen=True, slots=True)
class Severed:
    """A call whose stream broke: `head` holds what had come until then."""

    play: Play
    session: Session
    head: Exchange


async def begin(session: Session, play: Play, id: str = "") -> Exchange:
    """Begin a call under a token, and unless told otherwise an id, that no other call of any session has."""
    return await session.start(play, token=f"of-{play.key}", id=id or f"call-{play.key}")


async def uncut(lab: McpLab, play: Play) -> Exchange:
    """The same call, left alone, in a session of its own: what a whole stream looks like."""
    async with lab.session() as session:
        exchange = await begin(session, play)
        if not isinstance(await exchange.outcome(patience(lab, play)), Answer):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the call did not succeed when left alone", exchange.sent)
        await exchange.finished(lab.tempo.quiet)
        return exchange


def names(exchange: Exchange) -> tuple[Hashable, ...]:
    """What a stream said, by the names that the judges of replays use."""
    return tuple(replay.progress(message) for message in own(exchange))


def own(exchange: Exchange) -> list[Message]:
    """The messages that a call must deliver: its progress and its response."""
    return [m for m in exchange.messages if m in exchange.progress or is_response(m)]


def first_id(lab: McpLab, exchange: Exchange) -> str:
    """The first event id of a stream; NOT_APPLICABLE where none of its events has one."""
    found = next((event.id for event in exchange.events if event.id), None)
    if found is None:
        seen = [event.record for event in exchange.events] or [exchange.end]
        lab.not_applicable("no event of its streams carries an id, so nothing can be resumed", exchange.sent, *seen)
    return found


@asynccontextmanager
async def severed(lab: McpLab, play: Play, after: int = 2, id: str = "") -> AsyncIterator[Severed]:
    """Play a call and reset its connection after so many whole events."""
    async with lab.session(cut(on=play.method, after=events(after), how=RESET)) as session:
        head = await begin(session, play, id)
        await head.finished(patience(lab, play))
        first_id(lab, head)
        if head.ending is Ending.CLOSED:
            lab.inconclusive(
                Reason.STIMULUS_FAILED, f"the stream ended before its event {after + 1}", head.sent, head.end
            )
        yield Severed(play, session, head)


@asynccontextmanager
async def resumed(lab: McpLab, lost: Severed, after: str | None = None) -> AsyncIterator[Exchange]:
    """The rest of a severed stream, asked for with Last-Event-ID (default: of the last event that came)."""
    async with lab.session(resuming=lost.session) as session:
        tail = await reopened(lab, lambda: session.resume(lost.head, after))
        if await tail.status() in ABSENT:
            lab.not_applicable("the server offers no GET streams", tail.sent, tail.end)
        yield tail


async def reopened(lab: McpLab, opening: Callable[[], Exchange]) -> Exchange:
    """A GET stream; a server gets two seconds to notice that the last reader is gone."""
    deadline = anyio.current_time() + lab.tempo.scaled(2.0)
    stream = opening()
    while await stream.status() == BUSY and anyio.current_time() < deadline:
        await lab.quiet(0.1)
        stream = opening()
    return stream


async def tail_of(lab: McpLab, lost: Severed, after: str | None = None) -> Exchange:
    """A severed stream resumed and read until its response came, or nothing more does."""
    async with resumed(lab, lost, after) as tail:
        await tail.outcome(patience(lab, lost.play))
        await tail.finished(lab.tempo.scaled(0.2))
        return tail


def delivery(lab: McpLab, whole: Sequence[Hashable], head: Exchange, tail: Exchange) -> list[Violation]:
    """What is wrong with the rest of a stream: refused, messages lost, out of order, or delivered before."""
    if tail.reply.status != 200:
        return list(filter(None, [opened(tail)]))
    seen = {*names(head), *names(tail)}
    if not seen <= set(whole):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the call does not report the same from run to run", head.sent)
    found = [
        replay.complete(own(head), own(tail), whole),
        replay.in_order(own(tail), whole),
        replay.nothing_twice(own(head), own(tail)),
    ]
    return list(filter(None, found))


def opened(stream: Exchange) -> Violation | None:
    """A GET was answered with an event stream."""
    good = stream.reply.status == 200 and stream.reply.media_type == "text/event-stream"
    actual = f"HTTP status {stream.reply.status}, {stream.reply.media_type or 'no Content-Type'}"
    return expect.that(good, "HTTP status 200 and an event stream", actual, stream.sent, stream.end)
