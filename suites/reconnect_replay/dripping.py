"""Requests that come slowly or not as a whole, and what they may not disturb."""

from __future__ import annotations

from typing import Any

from seatrial import Lab, Play, expect
from seatrial.faults import UP, Part, limit, slow_loris

CUTS = (1, 40, 120)
"""Bytes after which a request ends, all inside its head."""


async def bears(lab: Lab[Any], play: Play) -> None:
    """Expects that others are served after requests that broke off, and while the body of one drips."""
    async with lab.session() as bystander:
        for size in CUTS:
            async with lab.session(limit(size, direction=UP), resuming=bystander) as session:
                await (await session.start(play)).finished(lab.tempo.answer)
            await _served(lab, bystander)
        drip = slow_loris(part=Part.BODY, rate=10.0)
        async with lab.session(drip, resuming=bystander) as dripping:
            await dripping.start(play)
            await lab.fires(drip)
            await _served(lab, bystander)


async def _served(lab: Lab[Any], bystander: Any) -> None:
    """A client that was there before is served, and so is one that comes new."""
    lab.require(expect.answered(await bystander.fence(), "another client is served"))
    async with lab.session(resuming=bystander) as fresh:
        lab.require(expect.answered(await fresh.fence(), "a new client is served"))
