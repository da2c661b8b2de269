"""Streams of A2A tasks: read to their end, and what holds of all of them."""

from __future__ import annotations

from typing import Any

from seatrial import A2aLab, A2aSession, Ending, Feature, Reason, Refusal, Role, TaskStream, Violation, expect

STREAM: set[Feature | Role] = {Feature.STREAMING, Role.TICKS}
COUNT = 6
"""Chunks of a short play, where their number can be chosen."""
CLOSING = 2.0
"""Seconds in which a stream ends after the last word of its task."""


async def read(lab: A2aLab, session: A2aSession, role: Role, **values: Any) -> TaskStream:
    """The stream of a stimulus, read until it ends or should long have ended. Raises Inconclusive without a stream."""
    play = await lab.effects.plan(role, **values)
    stream = await session.play_stream(play)
    await stream.ended(play.lasts * 1.5 + lab.tempo.answer)
    if not stream.is_stream:
        lab.inconclusive(
            Reason.STIMULUS_FAILED, f"the stimulus {role.value} was not answered by a stream", stream.exchange.sent
        )
    return stream


async def admitted(lab: A2aLab, stream: TaskStream, within: float | None = None) -> None:
    """Wait for the first event. Raises Inconclusive where the request was refused: then there is nothing to judge."""
    outcome = await stream.opened(within)
    if isinstance(outcome, Refusal):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus was refused", outcome)


async def ticks(lab: A2aLab, session: A2aSession, count: int = COUNT) -> TaskStream:
    """The stream of numbered chunks. Raises Inconclusive unless some came."""
    stream = await read(lab, session, Role.TICKS, count=count, gap=0.1)
    if len(stream.chunks) < 2:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the stream has no chunks", *stream.records)
    return stream


def begins(stream: TaskStream, *kinds: str) -> Violation | None:
    """The first event is of one of these kinds."""
    wanted = kinds or ("task", "message")
    first = next(iter(stream.updates), None)
    actual = "the stream is empty" if first is None else f"it begins with a {first.kind or 'foreign event'}"
    right = first is not None and first.kind in wanted
    return expect.that(right, f"a {' or '.join(wanted)} first", actual, *stream.records[:2], stream.exchange.end)


def closed(stream: TaskStream, what: str) -> Violation | None:
    """The stream ended, and in order: one that is torn, or open, has not."""
    told = f"it is {stream.ending.value} {stream.exchange.why}".strip()
    return expect.that(stream.ending is Ending.CLOSED, what, told, *stream.records[-2:], stream.exchange.end)
