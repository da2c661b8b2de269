"""AG-UI: servers that stand still within a run, or start again."""

from __future__ import annotations

from seatrial import AguiLab, Answer, Feature, Isolation, Reason, Role, check, expect
from seatrial.faults import State, events, pause, restart

from ..threads import DELTAS, patience
from .agui import next_run

STANDSTILL = 2.0
"""Seconds for which a server stands still."""


@check(
    "agui.replay.pause-borne",
    "A run loses nothing when its server stands still for a while",
    needs={Role.SLOW, Feature.PROCESS},
    faults=("pause",),
    mutants=("pause.short-write-timeout.agui",),
    isolation=Isolation.PROCESS,
    patience=STANDSTILL,
)
async def a_standstill_loses_nothing(lab: AguiLab) -> None:
    """The process is stopped for two seconds after three events of a slow run, and goes on: the run must come to its
    RUN_FINISHED, with as many pieces of text as one has that nothing disturbed."""
    play = await lab.effects.plan(Role.SLOW, seconds=1.0)
    still = lab.tempo.scaled(STANDSTILL)
    async with lab.session() as session:
        control = await session.perform(play)
    if not control.finished_ok:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the slow run did not finish", control.sent)
    async with lab.session(pause(on="POST", after=events(3), seconds=still)) as session:
        run = await session.play(play)
        outcome = await run.conclude(still + patience(lab, play))
    lab.require(expect.that(isinstance(outcome, Answer), "RUN_FINISHED", outcome, outcome))
    pieces, usual = (sum(kind in DELTAS for kind in one.types) for one in (run, control))
    lab.expect(expect.that(pieces >= usual / 2, "a text as of any run", f"{pieces} pieces of {usual}", outcome))


@check(
    "agui.replay.restart-served",
    "After a restart a new run on the thread of a lost one is served",
    needs={Role.SLOW, Role.CHAT, Feature.PROCESS},
    faults=("restart",),
    mutants=("outage.lock-of-the-dead",),
    isolation=Isolation.PROCESS,
)
async def a_thread_outlives_its_server(lab: AguiLab) -> None:
    """The server is killed within a slow run and started again on its port; another time it is told to end (SIGTERM),
    and may save what it knows. Each time a new run on the thread must end in RUN_FINISHED."""
    for state in State:
        play = await lab.effects.plan(Role.SLOW, seconds=5.0)
        async with lab.session(restart(on="POST", after=events(3), state=state)) as session:
            lost = await session.play(play)
            await lost.ended(patience(lab, play))
            _, outcome = await next_run(lab, session, lost)
        what = f"a new run is served after a restart with its state {state}"
        lab.expect(expect.that(isinstance(outcome, Answer), what, outcome, outcome))
