"""AG-UI: limits of time, of number and of what a lost client may cost. They are practice: all is INFO."""

from __future__ import annotations

import anyio
from seatrial import AguiLab, Answer, Ending, Harm, Isolation, Refusal, Role, check, expect

from ..threads import DELTAS, concluded
from .leaving import SECONDS

LONGEST = 60.0
"""Seconds that a run may wait for a model that never answers, where no limit is stated."""
CROWD = 80
"""Runs at a time: more than a server should take without a thought."""
BUSY = (429, 503)
LOST = 50
"""Clients that leave, ten at a time."""


@check(
    "agui.cancel.hard-timeout",
    "A run whose model never answers ends by itself",
    needs={Role.MODEL_HANG},
    mutants=("model.waited-for-for-ever",),
    isolation=Isolation.SESSION,
)
async def a_run_without_a_model_ends(lab: AguiLab) -> None:
    """The model takes the request and says nothing. Within the time that the stimulus states (`lasts`), else within a
    minute, the run should end in RUN_ERROR or as cancelled."""
    play = await lab.effects.plan(Role.MODEL_HANG)
    async with lab.session() as session:
        run = await session.play(play)
        outcome = await run.conclude(play.lasts + lab.tempo.answer if play.lasts > 0 else lab.tempo.scaled(LONGEST))
        await run.leave()
    cancelled = (run.outcome or {}).get("type") == "cancelled"
    holds = cancelled or (isinstance(outcome, Refusal) and run.terminal is not None)
    lab.expect(expect.that(holds, "RUN_ERROR, or the outcome cancelled, within the limit", outcome, outcome))


@check(
    "agui.cancel.inflight-cap",
    "Too many runs are refused or queued",
    needs={Role.SLOW},
    mutants=("runs.without-cap", "runs.crowd-crashes"),
    isolation=Isolation.PROCESS,
    harm=Harm.LOAD,
    limits=True,
)
async def too_many_runs_are_refused_or_queued(lab: AguiLab) -> None:
    """80 slow runs are asked for at once. Halfway through the first of them not all should be at work, and those that
    are refused are refused in order: status 429 or 503, or RUN_ERROR."""
    begun = anyio.current_time()
    async with lab.session() as session:
        plays = [await lab.effects.plan(Role.SLOW, seconds=SECONDS) for _ in range(CROWD)]
        runs = [await session.play(play) for play in plays]
        await lab.until(begun + plays[0].lasts * 0.75)
        working = [run for run in runs if run.of(*DELTAS)]
        refused = [run for run in runs if run.exchange.ending is not Ending.OPEN]
    what = f"{len(working)} of {CROWD} runs were at work at a time"
    lab.expect(
        expect.that(len(working) < CROWD, "a limit to the runs at a time", what, working[0].sent if working else None)
    )
    for run in refused:
        told = run.status if run.terminal is None else run.terminal.type
        holds = told in BUSY or told in ("RUN_ERROR", "RUN_FINISHED")
        lab.expect(expect.that(holds, "status 429 or 503, or RUN_ERROR", f"{told}, {run.exchange.ending}", run.sent))


@check(
    "agui.cancel.resources-released",
    "Lost clients release what they held",
    needs={Role.SLOW, Role.CHAT},
    mutants=("leave.leaks-slots",),
    isolation=Isolation.PROCESS,
    harm=Harm.LOAD,
    limits=True,
)
async def lost_clients_release_what_they_held(lab: AguiLab) -> None:
    """Fifty slow runs are begun and left, ten at a time. Once they would be over, a plain run and a slow one must come
    to their end in about the usual time."""
    async with lab.session() as session:
        for _ in range(LOST // 10):
            runs = [await session.play(await lab.effects.plan(Role.SLOW, seconds=SECONDS)) for _ in range(10)]
            await lab.quiet(0.3)
            for run in runs:
                await run.leave()
        for role in (Role.CHAT, Role.SLOW):
            play = await lab.effects.plan(role, seconds=1.0)
            outcome = await concluded(lab, await session.play(play), play)
            lab.expect(
                expect.that(isinstance(outcome, Answer), f"a run is served after {LOST} lost clients", outcome, outcome)
            )
