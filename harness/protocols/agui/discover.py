"""Find out whether a target speaks AG-UI and which column it is of, and say in one sentence why it is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...claims import Claims, Spoken
from ...model import Role
from ..driver import Inquiry, Opener
from ..outcome import Answer, Lost, Outcome, Refusal
from .run import Run, RunEvent
from .session import Session
from .versions import EVENT_STREAM, LATEST_MILESTONE, SSE, V0, V1, VERSIONS, column_of

FIRST_EVENTS = ("RUN_STARTED", "RUN_ERROR")
"""A stream of AG-UI begins with one of them (events/lifecycle#the-run); that it begins so is judged elsewhere."""


async def discover(asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
    """What is spoken, found out by running the agent, and the outcomes of the runs that were none.

    Versions that the owner states are taken at their word. Without them the server's declaration decides; the input of
    1.0 is tried first, then that of 0.x, which an old server may want.
    """
    if SSE not in asked.bindings:
        return Claims(), []
    stated = set(asked.versions) != set(VERSIONS)
    spoken: dict[str, Spoken] = {}
    refused: dict[tuple[str, str], int] = {}
    failures: list[Outcome] = []
    for version in asked.versions if stated else (V1, V0):
        async with opener(version, SSE) as session:
            run, outcome = await _tried(session, asked)
            column = _column(run, version if stated else "")
            if column:
                spoken[column] = await _spoken(column, session, run, asked)
                others = {(other, SSE): spoken[column].record for other in VERSIONS if other != column}
                refused = refused if stated else others
            else:
                failures.append(outcome)
                refused[version, SSE] = outcome.records[-1]
        if spoken and not stated:
            break
    return Claims(tuple(spoken.values()), refused), failures


async def _tried(session: Session, asked: Inquiry) -> tuple[Run, Outcome]:
    """One run with a friendly prompt, to its end; one that does not end in time is left."""
    chat = asked.stimuli.get(Role.CHAT)
    friendly = chat is not None and chat.verb == "prompt" and chat.works_on(SSE)
    prompt = chat.fill(key=session.fresh()).name if chat and friendly else "hello"
    run = await session.run(prompt)
    outcome = await run.conclude(4 * session.patience)
    await run.leave()
    return run, outcome


def _beginning(run: Run) -> RunEvent | None:
    """The first of the events without which a stream is none of AG-UI."""
    return next(iter(run.of(*FIRST_EVENTS)), None)


def _column(run: Run, stated: str) -> str | None:
    """The column that a run is of; None where it is no AG-UI that is spoken here."""
    if _beginning(run) is None:
        return None
    return stated or column_of(_declared(run))


def _declared(run: Run) -> Any:
    return run.started.payload.get("protocolVersion") if run.started else None


async def _spoken(column: str, session: Session, run: Run, asked: Inquiry) -> Spoken:
    shown = run.started or _beginning(run)
    server = {"declared": _declared(run), "capabilities": await _capabilities(session, asked.capabilities_url)}
    edition = (asked.milestone or LATEST_MILESTONE) if column == V0 else ""
    return Spoken(column, SSE, server, shown.record if shown else run.sent, edition=edition)


async def _capabilities(session: Session, url: str) -> Mapping[str, Any]:
    """What the endpoint declares where its owner says that it does; how to get it, AG-UI leaves open."""
    outcome = await session.get(url).outcome() if url else None
    return outcome.members if isinstance(outcome, Answer) else {}


def reason(failures: Sequence[Outcome]) -> str:
    """Why no version is spoken there, as the rest of a sentence that begins with the address."""
    if not failures:
        return "was not asked: AG-UI is spoken over HTTP with server-sent events only"
    return _told(next((f for f in failures if isinstance(f, Lost)), None) or failures[0])


def _told(outcome: Outcome) -> str:
    status, media = outcome.reply.status, outcome.reply.media_type
    if status is None:
        why = outcome.why if isinstance(outcome, Lost) else "no response came"
        return f"gives no AG-UI answer: {why}"
    if status in (401, 403):
        return f"answers {status}: it wants credentials; give them with --header or headers in seatrial.toml"
    if media == "text/html":
        return f"serves HTML (status {status}), not AG-UI; give the address of the AG-UI endpoint"
    if isinstance(outcome, Refusal) and isinstance(outcome.data, dict) and "jsonrpc" in outcome.data:
        return "answers with a JSON-RPC error, which is not AG-UI; is it an MCP or A2A server?"
    if status >= 300:
        return f"answers an AG-UI run with HTTP {status}; is this the address of the AG-UI endpoint?"
    if media != EVENT_STREAM:
        return f"answers an AG-UI run with {media or 'a body of no type'} instead of an event stream"
    if isinstance(outcome, Lost):
        return f"gives an event stream without a RUN_STARTED: {outcome.why}"
    return "answers, but with no AG-UI version that Seatrial knows"
