"""Calls that are running, so that something can be cancelled, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import anyio
from seatrial import (
    AUTO,
    NOTHING,
    Control,
    Exchange,
    McpLab,
    Message,
    Play,
    Reading,
    Reason,
    Role,
    Session,
    Sighting,
    Violation,
    expect,
    is_response,
    same_id,
)

from ..plays import underway

SECONDS = 2.0
"""How long the slow call works, where it can be asked for."""


@dataclass(frozen=True, slots=True)
class Run:
    """A slow call that has begun. `before` is what an unkeyed witness showed first, `begun` a time of the run."""

    play: Play
    exchange: Exchange
    before: Reading
    begun: float

    @property
    def over(self) -> float:
        """When it would long be over, had nobody interfered."""
        return self.begun + self.play.lasts * 1.25 + 1.0


async def begin(
    lab: McpLab,
    session: Session,
    *,
    id: Any = AUTO,
    seconds: float = SECONDS,
    watched: bool = False,
    quietly: bool = False,
) -> Run:
    """Begin a slow call. `watched`: the witness will be asked about it. `quietly`: it is to report no progress."""
    play = await lab.effects.plan(Role.SLOW, seconds=seconds)
    before = await lab.effects.baseline(play, session) if watched else NOTHING
    begun = anyio.current_time()
    exchange = await session.start(play, token=None if quietly else f"of-{play.key}", id=id)
    return Run(play, exchange, before, begun)


async def start(lab: McpLab, session: Session, *, id: Any = AUTO, watched: bool = False) -> Run:
    """Begin a slow call and wait until it reports progress, or for a while where it reports none.

    Raises Inconclusive when it is over before anybody could have cancelled it.
    """
    run = await begin(lab, session, id=id, watched=watched)
    await underway(lab, run.exchange)
    if run.exchange.responses:
        lab.inconclusive(
            Reason.STIMULUS_FAILED, "the slow call was over before it could be cancelled", *numbers(run.exchange)
        )
    return run


async def outlast(lab: McpLab, *runs: Run) -> bool:
    """Wait until all of these would be over, had nobody interfered, and none says anything any more.

    A busy server may be late with all that it does. False where one still speaks after three times as long.
    """
    for run in runs:
        await lab.until(run.over + lab.tempo.allowance)
    return all([await _falls_silent(lab, run) for run in runs])


async def _falls_silent(lab: McpLab, run: Run) -> bool:
    last, said = run.begun + 3 * (run.over - run.begun), -1
    while said < len(run.exchange.messages):
        if anyio.current_time() > last:
            return False
        said = len(run.exchange.messages)
        await lab.quiet(0.5)
    return True


async def control(lab: McpLab, seconds: float = SECONDS) -> Control:
    """The slow call left alone. Raises Inconclusive when the witness shows nothing of it."""
    found = await lab.effects.control(Role.SLOW, seconds=seconds)
    if not found.last:
        lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of a slow call that was left alone")
    return found


async def control_duration(lab: McpLab, seconds: float) -> float:
    """Seconds that a slow call takes when it is left alone."""
    return (await lab.effects.control(Role.SLOW, seconds=seconds)).duration


async def sight(lab: McpLab, session: Session, run: Run, yardstick: Control) -> Sighting:
    """What the witness shows of a call once it would be over."""
    return await lab.effects.sight(run.play, yardstick, session, run.before, run.begun)


def stopped(sighting: Sighting, what: str) -> Violation | None:
    """Was the work given up before its end?"""
    return expect.that(not sighting.finished, f"{what} before its end", str(sighting), *sighting.records)


def responses(session: Session, exchange: Exchange) -> list[Message]:
    """Every response with the id of a request, wherever in the session it came."""
    return [m for _, m in session.received if is_response(m) and same_id(m.payload.get("id"), exchange.request_id)]


def numbers(exchange: Exchange) -> Iterator[int]:
    """The records of an exchange that matter: what was sent and its responses."""
    yield exchange.sent
    yield from (message.record for message in exchange.responses)
