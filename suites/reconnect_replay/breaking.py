"""AG-UI runs whose stream is cut, and the threads that they leave behind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from seatrial import AguiLab, Play, Role, Run
from seatrial.faults import FIN, RESET, How, cut, events

from ..threads import patience

HOWS = (FIN, RESET)
"""How streams are cut, in turn."""


async def broken(lab: AguiLab, play: Play, after: int, how: How, *, within: float | None = None, **wishes: Any) -> Run:
    """A run whose stream is cut after so many events, and is not resumed. It is left when that does not happen."""
    async with lab.session(cut(on="POST", after=events(after), how=how)) as session:
        run = await session.play(play, **wishes)
        await run.ended(patience(lab, play) if within is None else within)
    return run


async def whole(lab: AguiLab, role: Role, **plan: Any) -> tuple[Play, Run]:
    """The same run left alone: what there is to be cut."""
    play = await lab.effects.plan(role, **plan)
    async with lab.session() as session:
        return play, await session.perform(play)


def positions(length: int, most: int) -> Iterator[tuple[int, How]]:
    """After how many of so many events to cut, and how: every position, thinned out where they are too many."""
    step = max(1, -(-(length - 1) // most))
    return zip(range(1, length, step), cycle(HOWS))
