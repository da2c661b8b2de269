"""What a server says unasked: the channels to listen on, and the plays that make it speak."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from seatrial import MODERN, Answer, Exchange, McpLab, Message, Play, Reason, Role, Session

from ..plays import patience

PROGRESS = "notifications/progress"
LOG = "notifications/message"
UPDATED = "notifications/resources/updated"


async def standalone(session: Session) -> Exchange | None:
    """The stream of a GET, for what belongs to no request; None where the server offers no (further) one."""
    stream = session.open_stream()
    if await stream.status() != 200:
        return None
    await session.fence()
    return stream


@asynccontextmanager
async def attentive(lab: McpLab, **rig: Any) -> AsyncIterator[Session]:
    """A session that hears everything there is to hear: in the older era over HTTP it has a GET stream open."""
    async with lab.session(**rig) as session:
        if lab.over_http and lab.version < MODERN:
            await standalone(session)
        yield session


async def performed(lab: McpLab, session: Session, play: Play, *, token: Any = None, id: Any = None) -> Exchange:
    """A play that has been answered. Raises Inconclusive when it was not."""
    exchange = await session.start(play, token=token, **({} if id is None else {"id": id}))
    await answered(lab, exchange, play)
    return exchange


async def answered(lab: McpLab, exchange: Exchange, play: Play) -> Answer:
    return lab.need(await exchange.outcome(patience(lab, play)), f"the stimulus {play.role}")


async def settled(lab: McpLab, session: Session, play: Play | None = None) -> None:
    """Wait until what a play set off has been said: a fence, and a quiet while (longer where it says so itself)."""
    await session.fence()
    await lab.quiet(0.5 + (play.gap if play and play.gap > 1 else 0.0))


def everything(session: Session, since: int = 0) -> list[Message]:
    """All messages of a session in the order of arrival, on whatever stream."""
    return [message for _, message in session.received[since:]]


def progress_for(session: Session, token: Any) -> list[tuple[Exchange, Message]]:
    """The reports that name a token, each with the stream that it came on."""
    return [(x, m) for x, m in session.received if m.method == PROGRESS and m.params.get("progressToken") == token]


def must_report(lab: McpLab, messages: Iterable[Message], *evidence: int, least: int = 1) -> list[Message]:
    """The progress among some messages. Raises Inconclusive when there is too little of it to be judged."""
    found = [message for message in messages if message.method == PROGRESS]
    if len(found) < least:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"only {len(found)} progress notifications came", *evidence)
    return found


def playable(lab: McpLab, *roles: Role) -> Sequence[Role]:
    """Those of some roles that this target can play. Raises Inconclusive when it can play none."""
    found = [role for role in roles if lab.effects.has(role)]
    if not found:
        names = ", ".join(role.value for role in roles)
        lab.inconclusive(Reason.NO_STIMULUS, f"no stimulus is configured for any of the roles {names}")
    return found
