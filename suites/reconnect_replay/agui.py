"""AG-UI: after a run that broke there is no resumption, but a new run of the thread."""

from __future__ import annotations

import signal
from itertools import cycle
from typing import Any

import anyio
from seatrial import (
    AguiLab,
    AguiSession,
    Answer,
    Feature,
    Isolation,
    Outcome,
    Role,
    Run,
    Violation,
    check,
    expect,
)
from seatrial.faults import RESET

from ..threads import DELTAS, patience, played, underway
from .breaking import HOWS, broken

POSITIONS = (1, 2, 4, 7)
"""After how many events of a slow run it is cut."""
BREAKS = 5
"""How often a thread is broken."""


async def next_run(lab: AguiLab, session: AguiSession, lost: Run, **wishes: Any) -> tuple[Run, Outcome]:
    """A new run on the thread of a broken one, with the messages that its client has."""
    play = await lab.effects.plan(Role.CHAT)
    run = await session.play(play, thread=lost.thread, messages=lost.messages(), **wishes)
    return run, await run.conclude(patience(lab, play))


async def run_once_free(
    lab: AguiLab, session: AguiSession, lost: Run, over: float, **wishes: Any
) -> tuple[Run, Outcome]:
    """The next run of a thread; one that is refused while the lost run may hold the thread is tried once more.

    `over`: when the lost run has surely come to its own end.
    """
    run, outcome = await next_run(lab, session, lost, **wishes)
    if isinstance(outcome, Answer):
        return run, outcome
    await lab.until(over + lab.tempo.quiet)
    return await next_run(lab, session, lost, **wishes)


@check(
    "agui.replay.no-implicit-resume",
    "Last-Event-ID does not resume a run",
    needs={Role.SLOW, Role.CHAT},
    faults=("cut_after_events",),
    mutants=("replay.by-header", "replay.header-refused"),
    isolation=Isolation.SESSION,
)
async def the_header_resumes_nothing(lab: AguiLab) -> None:
    """A slow run is cut after four events. A new run on its thread carries Last-Event-ID: its stream must begin with
    RUN_STARTED, name the new run, and come to its end; a thread that is still held by the lost run is given time."""
    play = await lab.effects.plan(Role.SLOW, seconds=2.0)
    begun = anyio.current_time()
    lost = await broken(lab, play, 4, RESET)
    async with lab.session() as session:
        for ident in dict.fromkeys((lost.exchange.last_event_id or "4", "1")):
            header = {"Last-Event-ID": ident}
            run, outcome = await run_once_free(lab, session, lost, begun + play.lasts * 1.5, headers=header)
            lab.expect(from_the_beginning(run, outcome))


def from_the_beginning(run: Run, outcome: Outcome) -> Violation | None:
    """Is it a whole stream of the run that was asked for?"""
    begins = run.types[:1] == ["RUN_STARTED"]
    named = run.started is not None and run.started.text("runId") == run.run_id
    whole = begins and named and isinstance(outcome, Answer)
    return expect.that(whole, "a full stream of the new run", " ".join(run.types) or outcome, outcome)


@check(
    "agui.replay.truncation-visible",
    "A run that broke with its server is visible as broken",
    needs={Role.SLOW, Feature.PROCESS},
    faults=("sigterm",),
    mutants=("replay.finishes-at-shutdown",),
    isolation=Isolation.PROCESS,
)
async def a_broken_run_is_not_finished(lab: AguiLab) -> None:
    """The server is told to end (SIGTERM) within a slow run. The stream may break, tell an error or a cancelled
    outcome, or go on for as long as the run lasts; it must not finish before as if all were said."""
    play = await lab.effects.plan(Role.SLOW, seconds=5.0)
    async with lab.session() as session:
        begun = anyio.current_time()
        run = await underway(lab, await session.play(play), 3, *DELTAS)
        assert lab.server is not None and lab.server.process is not None
        lab.server.process.send_signal(signal.SIGTERM)
        await run.ended(patience(lab, play))
        early = (run.exchange.ended or anyio.current_time()) - begun < play.lasts * 0.75
    invented = early and run.finished_ok and (run.outcome or {}).get("type") != "cancelled"
    last = run.terminal.record if run.terminal else run.exchange.end
    lab.expect(expect.that(not invented, "no RUN_FINISHED before all is said", run.outcome, run.sent, last))


@check(
    "agui.replay.rerun-new-run-ok",
    "After a broken run a new run on the thread is served",
    needs={Role.SLOW, Role.CHAT},
    faults=("cut",),
    mutants=("thread.busy-for-ever", "thread.partial-history-refused"),
    isolation=Isolation.SESSION,
)
async def a_new_run_is_served(lab: AguiLab) -> None:
    """Slow runs are cut after 1, 2, 4 and 7 events, by FIN and RST in turn. Each time a new run on the thread, with the
    messages that the client has until then, must end in RUN_FINISHED; one that is refused while the lost run may still
    be at work is tried once more."""
    for after, how in zip(POSITIONS, cycle(HOWS), strict=False):
        play = await lab.effects.plan(Role.SLOW, seconds=2.0)
        begun = anyio.current_time()
        lost = await broken(lab, play, after, how)
        async with lab.session() as session:
            _, outcome = await run_once_free(lab, session, lost, begun + play.lasts * 1.5)
        what = f"a new run is served after a cut behind {after} events"
        lab.expect(expect.that(isinstance(outcome, Answer), what, outcome, outcome))


@check(
    "agui.replay.thread-not-wedged",
    "Repeated breaks do not block a thread",
    needs={Role.SLOW, Role.CHAT},
    faults=("cut",),
    mutants=("thread.slow-to-notice", "thread.busy-for-ever"),
    isolation=Isolation.SESSION,
)
async def a_thread_bears_many_breaks(lab: AguiLab) -> None:
    """Five slow runs of one thread are cut after three events. Then an ordinary run of the thread should end within two
    seconds more than twice the time that one takes on a thread of its own."""
    async with lab.session() as session:
        begun = anyio.current_time()
        thread = (await played(lab, session, Role.CHAT)).thread
        usual = anyio.current_time() - begun
    for _ in range(BREAKS):
        play = await lab.effects.plan(Role.SLOW, seconds=5.0)
        lost = await broken(lab, play, 3, RESET, within=lab.tempo.scaled(2.0), thread=thread)
    async with lab.session() as session:
        begun = anyio.current_time()
        _, outcome = await next_run(lab, session, lost)
        took = anyio.current_time() - begun
    prompt = isinstance(outcome, Answer) and took <= 2 * usual + lab.tempo.scaled(2.0)
    lab.expect(
        expect.that(
            prompt, "an ordinary run, about as fast as ever", f"{expect.shown(outcome)} after {took:.1f} s", outcome
        )
    )
