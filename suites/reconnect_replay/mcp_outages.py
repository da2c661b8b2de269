"""MCP: servers that stand still, start again, or give way to another; and foreign lines on their output."""

from __future__ import annotations

from seatrial import (
    Answer,
    Exchange,
    Feature,
    Isolation,
    McpLab,
    Outcome,
    Reason,
    Refusal,
    Role,
    Session,
    Violation,
    check,
    expect,
)
from seatrial.faults import State, failover, messages, pause, request, restart, sigstop, stdout_garbage

from ..plays import STARTING, patience, underway

STANDSTILL = 2.0
"""Seconds for which a server stands still."""
CALLS = 3
LISTING = "tools/list"
GARBAGE = "Debugger listening on ws://127.0.0.1:9229"


@check(
    "mcp.rec.pause-borne",
    "A server that stood still for a while answers what it was asked",
    needs={Feature.PROCESS, Role.SLOW},
    faults=("pause", "sigstop"),
    mutants=("pause.short-write-timeout",),
    isolation=Isolation.PROCESS,
    patience=STANDSTILL,
)
async def a_standstill_loses_nothing(lab: McpLab) -> None:
    """A slow call works while the process is stopped for two seconds, and two more are sent to it. When it goes on,
    each is answered, and once."""
    play = await lab.effects.plan(Role.SLOW, seconds=1.0)
    still = lab.tempo.scaled(STANDSTILL)
    over_http = pause(on=play.method, after=request(2), seconds=still)
    on_pipes = sigstop(after=messages(2, play.method), seconds=still)
    async with lab.session(over_http if lab.over_http else on_pipes) as session:
        first = await session.start(play, token="first")
        await underway(lab, first)
        if first.responses:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the slow call was over at once", first.sent)
        begun = [first, *[await session.start(play) for _ in range(CALLS - 1)]]
        for exchange in begun:
            lab.expect(expect.answered(await exchange.outcome(still + patience(lab, play)), "each call is answered"))
        lab.expect(expect.answered(await session.fence(), "the session goes on"))
        for exchange in begun:
            lab.expect(_once(exchange))


def _once(exchange: Exchange) -> Violation | None:
    answers = [message.record for message in exchange.responses]
    return expect.that(len(answers) < 2, "a call is answered once", f"{len(answers)} answers", *answers)


def _served(lab: McpLab, outcome: Outcome, when: str) -> Violation | None:
    """Answered; before 2026-07-28 the session may be unknown there, which 404 says."""
    unknown = isinstance(outcome, Refusal) and outcome.reply.status == 404 and lab.declares(Feature.SESSIONS)
    return expect.that(isinstance(outcome, Answer) or unknown, f"served{when}, or told to begin anew", outcome, outcome)


async def _goes_on(lab: McpLab, session: Session, when: str) -> None:
    """A listing in the session, during which something happens to the server; then a new session on the same way."""
    lab.expect(_served(lab, await session.request(LISTING, within=lab.tempo.scaled(STARTING)), when))
    if session.session_id:
        session.session_id = None
    lab.expect(expect.answered(await session.open(), f"a new session can be begun{when}"))
    lab.expect(expect.answered(await session.request(LISTING), f"the new session works{when}"))


@check(
    "mcp.rec.restart-served",
    "A server that was started again serves its clients",
    needs={Feature.PROCESS, Feature.TOOLS},
    faults=("restart",),
    mutants=("outage.owner-is-asked", "outage.sessions-without-streams"),
    isolation=Isolation.PROCESS,
)
async def a_restart_is_survived(lab: McpLab) -> None:
    """The server is killed and started again on its port before a request of a session; another time it is told to
    end (SIGTERM), and may save what it knows. The request is answered or refused with 404; then a session is begun."""
    for state in State:
        async with lab.session(restart(on=LISTING, state=state)) as session:
            await _goes_on(lab, session, f" after a restart with its state {state}")


@check(
    "mcp.rec.failover-served",
    "Another replica serves the clients of one that was lost",
    needs={Feature.PROCESS, Feature.TOOLS},
    faults=("failover",),
    mutants=("outage.owner-is-asked",),
    isolation=Isolation.PROCESS,
)
async def another_replica_takes_over(lab: McpLab) -> None:
    """One of two servers serves a session alone, and is killed before a request. The other answers it, or refuses it
    with 404 as of a session that it does not know; then a session is begun there."""
    async with lab.session(failover(on=LISTING)) as session:
        await _goes_on(lab, session, " by another replica")


@check(
    "mcp.rec.stdio-garbage",
    "A foreign line on standard output ends no session",
    needs={Feature.PROCESS, Role.SLOW},
    faults=("stdout_garbage",),
    mutants=("stdio.one-at-a-time",),
    isolation=Isolation.PROCESS,
)
async def a_foreign_line_ends_no_session(lab: McpLab) -> None:
    """A line that is no message comes before the answer to a slow call. A client that wonders whether the other end
    is still there asks it something at once: that is answered while the call works, and the call after it."""
    play = await lab.effects.plan(Role.SLOW, seconds=1.0)
    async with lab.session(stdout_garbage(after=messages(1), text=GARBAGE)) as session:
        slow = await session.start(play)
        for _ in range(2):  # Where both come at once, the first question may be looked at before the call is.
            wondering = await session.begin(session.cheap)
            lab.expect(expect.answered(await wondering.outcome(), "the client's question is answered"))
        early = not slow.responses
        lab.expect(expect.answered(await slow.outcome(patience(lab, play)), "the call is answered"))
        lab.expect(expect.that(early, "the question is answered while the call works", "after it", slow.sent))
        lab.expect(_once(slow))
