"""A2A: the card of a run, and whether an interface that it declares speaks its binding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial import (
    HTTP_JSON,
    NOWHERE,
    A2aLab,
    A2aSession,
    Answer,
    Interface,
    Outcome,
    Refusal,
    Violation,
    expect,
    followed,
    interfaces,
)
from seatrial.judge.a2a import refused

Card = Mapping[str, Any]

NO_ROUTE = (404, 405, 501)
"""HTTP statuses that say that a path is not served."""


def card_of(lab: A2aLab) -> Card:
    """The card as it was read when the run began."""
    found: Card = lab.claimed["card"]
    return found


def reachable(lab: A2aLab, session: A2aSession, version: str = "") -> list[Interface]:
    """The interfaces of this binding that may be followed from here, of one version or of this column's."""
    wanted = (version or lab.version, lab.binding)
    declared = [i for i in interfaces(card_of(lab)) if (i.version, i.binding) == wanted]
    return [i for i in declared if followed(i.url, session.http.url)]


async def speaks(lab: A2aLab, session: A2aSession) -> Iterator[Violation]:
    """Where the session's interface is, its binding is spoken: a task that does not exist is refused as such, and
    over HTTP+JSON the path of messages is served."""
    outcome = await session.get(NOWHERE)
    found = [refused(lab.spoken, outcome, "TaskNotFound"), _is_json(outcome)]
    if lab.binding == HTTP_JSON:
        empty = await session.call("SendMessage", {})
        served = isinstance(empty, Answer | Refusal) and empty.reply.status not in NO_ROUTE
        found.append(expect.that(served, f"messages are taken at {session.url}", empty, empty))
    return filter(None, found)


def _is_json(outcome: Outcome) -> Violation | None:
    if not isinstance(outcome, Refusal):
        return None
    told = f"a body of type {outcome.reply.media_type or 'none'}: {outcome.reply.body[:80]!r}"
    return expect.that(outcome.message is not None, "an error in JSON, in the shape of the binding", told, outcome)
