"""MCP: a call through any faults. Who lost its stream comes back with Last-Event-ID, as often as it takes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seatrial import (
    MODERN,
    Column,
    Course,
    Ending,
    Exchange,
    McpLab,
    Message,
    Play,
    Reason,
    Role,
    Session,
    Violation,
    expect,
)
from seatrial.faults import Fault
from seatrial.judge import replay

from ..reconnect_replay.resuming import ABSENT, begin, names, opened, own, reopened, uncut

RETURNS = 4
"""So often does a client come back for one call."""
COUNT, GAP = 5, 0.05
"""Reports of a call and the seconds between them, where they can be chosen."""


def course() -> Course:
    return Course((Role.PROGRESS, Role.SLOW, Role.CALL), exchanges, play_through)


def exchanges(method: str, column: Column) -> tuple[str, ...]:
    """The call, and the streams by which a client comes back for it."""
    return (method, "GET") if column.binding == "streamable-http" and column.version != MODERN else (method,)


@dataclass(slots=True)
class Delivery:
    """What a client got of one call: on the stream of the request, and on each that it came back by."""

    parts: list[Exchange] = field(default_factory=list)

    @property
    def messages(self) -> list[Message]:
        return [message for part in self.parts for message in own(part)]

    @property
    def answered(self) -> bool:
        return any(part.responses for part in self.parts)

    @property
    def last_event_id(self) -> str | None:
        return next((part.last_event_id for part in reversed(self.parts) if part.last_event_id), None)

    @property
    def end(self) -> tuple[int, ...]:
        """The records of how it ended."""
        return tuple(number for number in (self.parts[-1].sent, self.parts[-1].end) if number)


async def play_through(lab: McpLab, role: Role, plan: Sequence[Fault]) -> None:
    """The call is played once in peace, then through the faults. What the client got in the end is everything, once
    and in order, and the target goes on."""
    wishes: dict[str, Any] = {"count": COUNT, "gap": GAP, "seconds": COUNT * GAP}
    whole = names(await uncut(lab, await lab.effects.plan(role, **wishes)))
    play = await lab.effects.plan(role, **wishes)
    async with lab.session(*plan) as session:
        found = await _delivered(lab, session, play)
    lab.expect(_ordered(found, whole))
    async with lab.session() as other:
        lab.expect(expect.answered(await other.fence(), "the target answers afterwards"))
    if lab.over_http and not found.answered and found.last_event_id is None:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no event with an id came, so nothing can be resumed", *found.end)
    if not {replay.progress(message) for message in found.messages} <= set(whole):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the call does not report the same from run to run", *found.end)
    lab.expect(_complete(found, whole))


async def _delivered(lab: McpLab, session: Session, play: Play) -> Delivery:
    """Play, and come back for the rest until the response is there."""
    found = Delivery([await begin(session, play)])
    await _read(lab, play, found.parts[0])
    while lab.over_http and not found.answered and found.last_event_id and len(found.parts) <= RETURNS:
        tail = await reopened(lab, lambda: session.resume(found.parts[0], found.last_event_id))
        found.parts.append(tail)
        await _read(lab, play, tail)
        if tail.reply.status in ABSENT:
            lab.inconclusive(Reason.FEATURE_ABSENT, "the server offers no GET streams", tail.sent, tail.end)
        if tail.reply.status not in (None, 200):
            lab.require(opened(tail))
    return found


async def _read(lab: McpLab, play: Play, part: Exchange) -> None:
    """Until its response has come and a little longer, or nothing more can be hoped for; then it is left."""
    await part.outcome(max(play.lasts, 0.0) * 1.5 + (lab.tempo.quiet if lab.over_http else lab.tempo.answer))
    await part.finished(lab.tempo.scaled(0.2))
    if part.ending is Ending.OPEN:
        await part.leave()


def _ordered(found: Delivery, whole: Sequence[Hashable]) -> list[Violation]:
    """In order, nothing twice, one response and nothing behind it: whatever was lost."""
    came = found.messages
    last = next((message for message in came if replay.progress(message) == "response"), None)
    late = came[came.index(last) + 1 :] if last else []
    judged = [
        replay.in_order(came, whole),
        replay.nothing_twice(came),
        expect.silent(late, "nothing of the call comes after its response"),
    ]
    return [violation for violation in judged if violation]


def _complete(found: Delivery, whole: Sequence[Hashable]) -> Violation | None:
    """Nothing is lost. That nothing more came is what shows it, so the end is evidence too."""
    missing = replay.complete((), found.messages, whole)
    return missing and replace(missing, records=(*missing.records, *found.end))
