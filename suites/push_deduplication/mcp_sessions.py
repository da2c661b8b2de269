"""MCP: sessions side by side (Streamable HTTP, 2025-03-26 to 2025-11-25)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from seatrial import Exchange, Feature, Isolation, McpLab, Message, Play, Role, Session, Violation, check, expect

from ..plays import reports
from .changing import mark, subscribe, watchable
from .hearing import LOG, PROGRESS, UPDATED, attentive, performed, settled


@dataclass(frozen=True, slots=True)
class Client:
    """What one of the two clients sends: a call that takes time, and calls whose answers tell themselves apart."""

    token: str
    work: Play | None
    texts: Sequence[str]
    echoes: Sequence[Play]


ECHOES = 5


@check(
    "mcp.dup.session-isolation",
    "A session receives no message that belongs to another session",
    needs={Feature.SESSIONS},
    mutants=("sessions.one-subscription-for-all", "sessions.answers-mixed", "sessions.progress-astray"),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def sessions_do_not_mix(lab: McpLab) -> None:
    """Two sessions use the same request ids at the same time: each gets its own answer, and no progress or log of
    the other. A resource that only one has subscribed to changes: the other hears nothing of it."""
    clients = [await _client(lab, name) for name in ("first", "second")]
    logs = await lab.effects.plan(Role.LOGS) if lab.effects.has(Role.LOGS) else None
    async with attentive(lab) as first, attentive(lab) as second:
        async with anyio.create_task_group() as tasks:
            for session, client in zip((first, second), clients, strict=True):
                tasks.start_soon(_converse, lab, session, client)
        if logs:
            await performed(lab, first, logs)
            await settled(lab, second)
            lab.expect(expect.silent(_logs_astray(first, second), "no log of another session's call"))
        if lab.effects.has(Role.MUTATE_RESOURCE) and lab.declares(Feature.SUBSCRIBE):
            lab.expect(await _updates_astray(lab, first, second))


async def _client(lab: McpLab, name: str) -> Client:
    texts = [f"{name}-{number}" for number in range(ECHOES)] if _echoes_text(lab) else []
    echoes = [await lab.effects.plan(Role.ECHO, text=text) for text in texts]
    return Client(f"of-{name}", await reports(lab) if lab.effects.has(Role.PROGRESS) else None, texts, echoes)


def _echoes_text(lab: McpLab) -> bool:
    return lab.effects.has(Role.ECHO) and "text" in lab.effects.stimulus(Role.ECHO).placeholders


async def _converse(lab: McpLab, session: Session, client: Client) -> None:
    """Send what a client sends, under ids that the other client uses too, and judge what it hears."""
    work = await session.start(client.work, token=client.token, id=5000) if client.work else None
    for number, (text, play) in enumerate(zip(client.texts, client.echoes, strict=True)):
        lab.expect(await _own(await session.start(play, id=5001 + number), text))
    lab.expect(await _own(await session.begin(session.cheap, id=5100), ""))
    if work and client.work:
        outcome = await work.outcome(max(client.work.lasts, 0) * 2 + lab.tempo.answer)
        lab.expect(expect.responded(outcome, "each session gets its own answer"))
    await settled(lab, session)
    astray = [message for message in session.heard(PROGRESS) if message.params.get("progressToken") != client.token]
    lab.expect(expect.silent(astray, "no progress of another session's call"))


async def _own(exchange: Exchange, text: str) -> Violation | None:
    """One response came, and it is the answer to this very call."""
    outcome = await exchange.outcome()
    if found := expect.responded(outcome, "each session gets its own answer"):
        return found
    mine = text in json.dumps([message.payload for message in exchange.responses])
    return expect.that(mine and len(exchange.responses) == 1, f"one answer, with {text!r} in it", outcome, outcome)


def _logs_astray(speaker: Session, other: Session) -> list[Message]:
    """The log messages of a session that another one, which logged nothing, heard too."""
    own = [message.payload for message in speaker.heard(LOG)]
    return [message for message in other.heard(LOG) if message.payload in own]


async def _updates_astray(lab: McpLab, subscriber: Session, other: Session) -> Violation | None:
    play = await lab.effects.plan(Role.MUTATE_RESOURCE)
    await subscribe(lab, subscriber, await watchable(lab, subscriber))
    since = mark(other)
    await performed(lab, other, play)
    await settled(lab, other, play)
    return expect.silent(since.heard(UPDATED), "no update for a session that has subscribed to nothing")
