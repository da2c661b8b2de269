"""A2A: networks that tear a request or hold it back."""

from __future__ import annotations

from seatrial import A2aLab, Isolation, Role, check

from .dripping import bears


@check(
    "a2a.replay.dripping-request",
    "A request that breaks off or comes slowly disturbs nobody",
    needs={Role.ECHO},
    faults=("slow_loris", "limit"),
    mutants=("agent.reads-one-by-one",),
    isolation=Isolation.PROCESS,
    patience=2.0,
)
async def an_agent_bears_dripping_requests(lab: A2aLab) -> None:
    """Requests are cut off at several places, and the body of one drips; others ask after each, and meanwhile."""
    await bears(lab, await lab.effects.plan(Role.ECHO))
