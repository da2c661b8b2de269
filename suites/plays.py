"""Stimuli that take their time: played, seen to run, and waited for."""

from __future__ import annotations

from seatrial import Exchange, McpLab, Play, Role

STARTING = 30.0
"""Seconds that a server may take to be there again, while a request waits for it."""


async def reports(lab: McpLab, count: int = 5, gap: float = 0.1) -> Play:
    """A call that reports its progress so many times, where the number can be asked for."""
    return await lab.effects.plan(Role.PROGRESS, count=count, gap=gap, seconds=count * gap)


async def underway(lab: McpLab, exchange: Exchange) -> None:
    """Wait until a slow call reports progress, or for a while where it reports none."""
    if lab.effects.stimulus(Role.SLOW).progress:
        await exchange.progressed(2, lab.tempo.scaled(1.0))
    else:
        await lab.quiet(0.5)


def patience(lab: McpLab, play: Play) -> float:
    """Seconds within which a play is surely over."""
    return max(play.lasts, 0.0) * 1.5 + lab.tempo.answer
