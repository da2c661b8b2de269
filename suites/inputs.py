"""AG-UI: inputs of runs, good and odd, and what became of them: served, or refused before the run started."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seatrial import (
    AguiLab,
    AguiSession,
    Answer,
    Lost,
    Outcome,
    Play,
    Reading,
    Refusal,
    Role,
    Run,
    ToolCall,
    Violation,
    expect,
)

EVENT_STREAM = "text/event-stream"
CLIENT_ERROR = frozenset(range(400, 500))

CONFIRM = {
    "name": "confirm",
    "description": "Asks the user for a confirmation.",
    "parameters": {"type": "object", "properties": {"question": {"type": "string"}}},
}
"""A tool that the client offers."""

MARKER = "7f3a-marker"
"""A word that nobody says by chance."""


async def asked(lab: AguiLab, session: AguiSession, role: Role = Role.CHAT, **wishes: Any) -> Outcome:
    """How a run ends that plays a stimulus, whatever is wrong with its input. `wishes`: the keywords of a run."""
    play = await lab.effects.plan(role)
    return await end(lab, await session.play(play, **wishes))


async def told(lab: AguiLab, session: AguiSession, *parts: Any, **wishes: Any) -> Outcome:
    """How a run ends whose prompt has these content parts beside its text."""
    play = await lab.effects.plan(Role.CHAT)
    said = [{"type": "text", "text": play.params["prompt"]}, *parts]
    return await end(lab, await session.run(said, **wishes))


async def end(lab: AguiLab, run: Run) -> Outcome:
    """The end of a run that takes no time of its own, but may try a model again. One that hangs is left."""
    outcome = await run.conclude(3 * lab.tempo.answer)
    if isinstance(outcome, Lost):
        await run.leave()
    return outcome


def unanswered(run: Run) -> list[ToolCall]:
    """The calls of a run that it gave no result for."""
    answered = {result.text("toolCallId") for result in run.results}
    return [call for call in run.tool_calls if call.id not in answered]


def is_stream(run: Run) -> bool:
    """Is it answered with status 200 and an event stream that has events?"""
    return run.status == 200 and run.exchange.reply.media_type == EVENT_STREAM and bool(run.events)


async def seen(lab: AguiLab, session: AguiSession, play: Play) -> Reading | None:
    """What the witness shows of a play; None where there is none, or none that shows what the model was asked."""
    if not lab.effects.has(Role.WITNESS):
        return None
    reading = await lab.effects.reading(play.key, session)
    return reading if play.params["prompt"] in reading.text else None


def served(outcome: Outcome, what: str) -> Violation | None:
    """The run came to its RUN_FINISHED."""
    return expect.answered(outcome, f"{what} is served")


def refused(outcome: Outcome, what: str) -> Violation | None:
    """HTTP says no with a status of 4xx, and no stream of events begins (basic/transports/http-sse#errors)."""
    streams = outcome.reply.media_type == EVENT_STREAM
    right = isinstance(outcome, Refusal) and outcome.reply.status in CLIENT_ERROR and not streams
    return expect.that(right, f"{what} is refused with HTTP status 4xx, before the run starts", outcome, outcome)


def handled(outcome: Outcome, what: str) -> Violation | None:
    """Served, failed in the stream or refused: anything but a fault of the server and silence."""
    status = outcome.reply.status
    good = status is not None and status < 500 and isinstance(outcome, Answer | Refusal)
    return expect.that(good, f"{what} is served, refused or fails in the stream", outcome, outcome)


SHOWN = (
    *(Role.CHAT, Role.TOOL, Role.FRONT, Role.STATE, Role.REASON, Role.STEPS, Role.SUB, Role.ACTIVITY, Role.CHUNKS),
    Role.INTERRUPT,
)
"""Roles whose runs are short and show what a server can say."""


def playable(lab: AguiLab, roles: Iterable[Role] = SHOWN) -> list[Role]:
    """Those of the roles that the target's owner has mapped."""
    return [role for role in roles if lab.effects.has(role)]


async def shown(lab: AguiLab, session: AguiSession, role: Role, **wishes: Any) -> Run:
    """The run of such a role, to its end, whatever that is; for `front` a tool is offered."""
    play = await lab.effects.plan(role, seconds=0.2)
    offer = {"tools": [CONFIRM]} if role is Role.FRONT else {}
    run = await session.play(play, **{**offer, **wishes})
    await end(lab, run)
    return run
