"""A suite with one check of every verdict, whatever the target does."""

from __future__ import annotations

from seatrial import Level, McpLab, Reason, Requirement, Suite, check, expect
from seatrial import suite as made

BROKEN = expect.that(False, "something holds", "nothing \x1b[31mdoes \u202e")


def row(name: str, level: Level) -> Requirement:
    return Requirement(
        id=f"house.{name}",
        suite="house",
        protocol="mcp",
        level=level,
        versions=("2025-11-25",),
        bindings=("streamable-http",),
        spec="",
        title=f"The rule of {name}.",
    )


@check("house.holds", "It holds")
async def holds(lab: McpLab) -> None:
    """Nothing is sent."""
    lab.expect(None)


@check("house.must", "A MUST that does not hold")
async def must(lab: McpLab) -> None:
    """Nothing is sent."""
    lab.expect(BROKEN)


@check("house.should", "A SHOULD that does not hold")
async def should(lab: McpLab) -> None:
    """Nothing is sent."""
    lab.expect(BROKEN)


@check("house.may", "A MAY that does not hold")
async def may(lab: McpLab) -> None:
    """Nothing is sent."""
    lab.expect(BROKEN)


@check("house.unjudged", "It cannot be judged")
async def unjudged(lab: McpLab) -> None:
    """Nothing is sent."""
    lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus failed with \x1b[31mred")


@check("house.absent", "It is not claimed")
async def absent(lab: McpLab) -> None:
    """Nothing is sent."""
    lab.not_applicable("the target does not claim it")


@check("house.crash", "The check itself is wrong")
async def crash(lab: McpLab) -> None:
    """Nothing is sent."""
    raise ZeroDivisionError("our own mistake")


def suite() -> Suite:
    levels = {"should": Level.SHOULD, "may": Level.MAY}
    names = ("holds", "must", "should", "may", "unjudged", "absent", "crash")
    rows = [row(name, levels.get(name, Level.MUST)) for name in names]
    return made("house", [holds, must, should, may, unjudged, absent, crash], rows)
