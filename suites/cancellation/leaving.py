"""AG-UI runs that are watched: played, left by their client, and judged by what the witness shows of them."""

from __future__ import annotations

from dataclasses import dataclass

import anyio
from seatrial import (
    AguiLab,
    AguiSession,
    Control,
    Departure,
    Play,
    Reading,
    Reason,
    Role,
    Run,
    Sighting,
    Violation,
    expect,
)

SECONDS = 3.0
"""How long the slow run and the tool work, where they can be asked for."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A run that has been asked for. `before` is what an unkeyed witness showed first, `begun` a time of the run."""

    play: Play
    run: Run
    before: Reading
    begun: float


async def begin(lab: AguiLab, session: AguiSession, role: Role = Role.SLOW) -> Watched:
    """Ask for a run that takes its time."""
    play = await lab.effects.plan(role, seconds=SECONDS)
    before = await lab.effects.baseline(play, session)
    begun = anyio.current_time()
    return Watched(play, await session.play(play), before, begun)


async def control(lab: AguiLab, role: Role = Role.SLOW) -> Control:
    """The same run left alone. Raises Inconclusive when it is over at once, or when the witness shows nothing of it."""
    found = await lab.effects.control(role, seconds=SECONDS)
    if found.duration < SECONDS / 5:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the stimulus {role.value} is over before its client could leave")
    if not found.last:
        lab.inconclusive(Reason.NO_WITNESS, f"the witness shows nothing of the stimulus {role.value} left alone")
    return found


async def sight(lab: AguiLab, session: AguiSession, watched: Watched, yardstick: Control) -> Sighting:
    """What the witness shows of a run once it would be over."""
    return await lab.effects.sight(watched.play, yardstick, session, watched.before, watched.begun)


async def abandoned(
    lab: AguiLab, session: AguiSession, watched: Watched, how: Departure, yardstick: Control
) -> Sighting:
    """What the witness shows of a run that is left now."""
    await watched.run.leave(how)
    return await sight(lab, session, watched, yardstick)


def stopped(sighting: Sighting, what: str) -> Violation | None:
    """Was the work given up before its end?"""
    return expect.that(not sighting.finished, f"{what} before its end", str(sighting), *sighting.records)


def must_have_begun(lab: AguiLab, *sightings: Sighting) -> None:
    """Work that nobody saw begin cannot be seen to stop."""
    if not any(sighting.began for sighting in sightings):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the witness never saw the run begin", *sightings[0].records)
