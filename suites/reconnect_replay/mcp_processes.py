"""MCP: how a process over stdio ends, begins again, and bears a pipe that nobody reads."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
from seatrial import Answer, Exchange, Feature, Isolation, McpLab, Outcome, Reason, Role, Session, check, expect
from seatrial.faults import messages, stall

from ..plays import underway

PROMPTLY = 2.0
"""Seconds in which an idle process exits."""
AT_LAST = 5.0
"""Seconds in which a process exits although a call runs."""
VOLUME = 2_000_000
"""Bytes of output that no pipe holds."""
TEXT = "x" * 20_000
MOST = 300
"""Requests that are sent for that volume at most."""

PROCESS = {Feature.PROCESS}


@asynccontextmanager
async def _process(lab: McpLab) -> AsyncIterator[tuple[Session, float]]:
    """A process with a session begun, and the seconds that its start took: the measure of how fast its machine is."""
    begun = anyio.current_time()
    async with lab.session() as session:
        yield session, anyio.current_time() - begun


async def _exits(lab: McpLab, session: Session, seconds: float, cause: int) -> int | None:
    """The exit code; a process that stays for longer is the violation."""
    code = await session.stdio.wait_exit(seconds)
    lab.expect(expect.that(code is not None, f"it exits within {seconds:.0f} s", "it still runs", cause))
    return code


@check(
    "mcp.rec.stdio-eof-exit",
    "A stdio server exits when its input is closed",
    needs=PROCESS,
    faults=("stdin_eof",),
    mutants=("process.ignores-eof", "process.exit-code"),
    isolation=Isolation.PROCESS,
)
async def process_ends_with_its_input(lab: McpLab) -> None:
    """Standard input is closed when nothing runs. It gets two seconds, or as long as its start took."""
    async with _process(lab) as (session, start):
        closed = await session.stdio.close_stdin()
        code = await _exits(lab, session, max(lab.tempo.scaled(PROMPTLY), start), closed)
        lab.expect(expect.that(code in (0, None), "exit code 0", f"exit code {code}", closed))


@check(
    "mcp.rec.stdio-eof-inflight",
    "A stdio server exits when its input is closed although a call is running",
    needs={Feature.PROCESS, Role.SLOW},
    faults=("stdin_eof",),
    mutants=("process.waits-for-calls",),
    isolation=Isolation.PROCESS,
)
async def process_ends_in_the_middle_of_a_call(lab: McpLab) -> None:
    """Standard input is closed while a slow call works that nobody waits for any more."""
    play = await lab.effects.plan(Role.SLOW, seconds=30.0)
    async with _process(lab) as (session, start):
        exchange = await session.start(play, token="slow")
        await underway(lab, exchange)
        if exchange.responses:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the slow call was over at once", exchange.sent)
        closed = await session.stdio.close_stdin()
        code = await _exits(lab, session, max(lab.tempo.scaled(AT_LAST), start), closed)
        lab.note(f"exit code {code}", closed)


@check(
    "mcp.rec.stdio-term",
    "A stdio server exits on SIGTERM",
    needs=PROCESS,
    faults=("sigterm",),
    mutants=("process.ignores-term",),
    isolation=Isolation.PROCESS,
)
async def process_ends_on_sigterm(lab: McpLab) -> None:
    """SIGTERM when nothing runs. It gets two seconds, or as long as its start took."""
    async with _process(lab) as (session, start):
        sent = session.stdio.signal(signal.SIGTERM)
        await _exits(lab, session, max(lab.tempo.scaled(PROMPTLY), start), sent)


@check(
    "mcp.rec.stdio-restart",
    "After a crash the client can start again from nothing",
    needs=PROCESS,
    faults=("sigkill",),
    mutants=("process.locked-after-crash",),
    isolation=Isolation.PROCESS,
)
async def new_process_replaces_a_killed_one(lab: McpLab) -> None:
    """SIGKILL, in the middle of a call where one can be played; then a new process is asked the same."""
    async with lab.session() as session:
        if lab.effects.has(Role.SLOW):
            exchange = await session.start(await lab.effects.plan(Role.SLOW, seconds=5.0), token="slow")
            await underway(lab, exchange)
        killed = session.stdio.signal(signal.SIGKILL)
        if await session.stdio.wait_exit(lab.tempo.answer) is None:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the process could not be killed", killed)
    async with lab.session(opened=False) as session:
        lab.require(expect.answered(await session.open(), "a new process serves"))
        lab.expect(expect.answered(await session.fence()))
        if lab.effects.has(Role.CALL):
            lab.expect(expect.answered(await session.perform(await lab.effects.plan(Role.CALL)), "a call succeeds"))


async def _talkative(lab: McpLab) -> tuple[str, dict[str, Any] | None]:
    """A request whose answer is long."""
    if not lab.effects.has(Role.ECHO):
        return "tools/list", None
    play = await lab.effects.plan(Role.ECHO, text=TEXT)
    return play.method, play.params


@check(
    "mcp.rec.stdio-backpressure",
    "A full pipe does not deadlock the server",
    needs=PROCESS,
    faults=("full_pipe",),
    mutants=("process.full-pipe-drops",),
    isolation=Isolation.PROCESS,
)
async def full_pipe_is_borne(lab: McpLab) -> None:
    """Nobody reads standard output for three seconds, while two megabytes of answers are asked for."""
    method, params = await _talkative(lab)
    async with lab.session() as session:
        sample = lab.need(await session.request(method, params))
    number = min(MOST, VOLUME // len(json.dumps(sample.result)) + 1)
    async with lab.session(stall(after=messages(1), seconds=lab.tempo.scaled(3.0))) as session:
        exchanges = [await session.begin(method, params) for _ in range(number)]
        lost = await _first_lost(exchanges, lab.tempo.scaled(3.0) + lab.tempo.answer)
        told = f"of {number} requests, {sum(not exchange.responses for exchange in exchanges)} are not answered"
        lab.expect(expect.that(lost is None, "all are answered once reading goes on", told, lost))


async def _first_lost(exchanges: Sequence[Exchange], within: float) -> Outcome | None:
    """The first outcome that is no answer, each waited for so many seconds after the one before."""
    for exchange in exchanges:
        outcome = await exchange.outcome(within)
        if not isinstance(outcome, Answer):
            return outcome
    return None
