"""AG-UI: networks that tear a request or hold it back."""

from __future__ import annotations

from seatrial import AguiLab, Isolation, Role, check

from .dripping import bears


@check(
    "agui.replay.dripping-request",
    "A request that breaks off or comes slowly disturbs nobody",
    needs={Role.CHAT},
    faults=("slow_loris", "limit"),
    mutants=("front.reads-one-by-one",),
    isolation=Isolation.PROCESS,
    patience=2.0,
)
async def a_front_bears_dripping_requests(lab: AguiLab) -> None:
    """Requests are cut off at several places, and the body of one drips; others ask after each, and meanwhile."""
    await bears(lab, await lab.effects.plan(Role.CHAT))
