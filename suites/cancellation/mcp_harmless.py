"""MCP: cancellations that have nothing to cancel, and must therefore do nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import anyio
from seatrial import (
    NO_ID,
    Accepted,
    Exchange,
    Harm,
    Isolation,
    McpLab,
    Refusal,
    Role,
    Session,
    Violation,
    check,
    expect,
    is_response,
)

from .running import begin, control_duration, responses, start

UNKNOWN: tuple[Any, ...] = (987654321, 0, -1, "never-used", "", "987654321")

MALFORMED: tuple[Any, ...] = (
    NO_ID,
    {},
    {"requestId": None},
    {"requestId": {}},
    {"requestId": []},
    {"requestId": True},
    {"requestId": {"requestId": 7001}},
    {"requestId": [7001]},
    {"requestId": "never-used", "reason": {"text": 1}},
    [7001],
)
"""Parameters that are none; NO_ID stands for no parameters at all."""

REASONS = (
    "one line\nand another\r\n",
    '"}\n{"jsonrpc": "2.0", "id": 1, "result": {}}\n',
    "\x1b[31mred\x07",
    "r" * 10240,
)


async def _cancellations(session: Session, params: Iterable[Any]) -> list[Exchange]:
    """Send a cancellation with each of these parameters as it is, and wait until it was taken."""
    sent: list[Exchange] = []
    for value in params:
        body = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        sent.append(await session.send(body if value is NO_ID else {**body, "params": value}))
    if session.binding != "stdio":
        for exchange in sent:
            await exchange.finished()
    return sent


async def _named(session: Session, ids: Iterable[Any]) -> list[Exchange]:
    return await _cancellations(session, [{"requestId": id, "reason": "seatrial"} for id in ids])


async def _harmless(
    lab: McpLab, session: Session, sent: Sequence[Exchange], *, refusable: bool = False
) -> list[Violation | None]:
    """What is wrong with the aftermath of cancellations that were to be ignored: an answer to one, or none to the
    next request. `refusable`: over HTTP a 4xx says well enough that nothing was done."""
    found = [expect.answered(await session.fence(), "the next request is answered")]
    if lab.over_http:
        return found + [await _answered(exchange, refusable) for exchange in sent]
    stray = [m for x, m in session.received if x is session.stdio.inbox and is_response(m)]
    return [*found, expect.silent(stray, "a notification gets no answer")]


async def _answered(exchange: Exchange, refusable: bool) -> Violation | None:
    """HTTP has to say something; 202 says that nothing else will come."""
    outcome = await exchange.outcome()
    if isinstance(outcome, Accepted):
        return None
    refused = isinstance(outcome, Refusal) and 400 <= (outcome.reply.status or 0) < 500
    what = "HTTP status 202 and no answer to a notification that is to be ignored"
    return expect.that(refused and refusable, what, outcome, outcome, soft=refused)


def _report(lab: McpLab, found: Iterable[Violation | None]) -> None:
    lab.expect([violation for violation in found if violation is not None])


def _refusable(lab: McpLab) -> bool:
    """From 2026-07-28 on no notification is meant to be posted: a refusal is as good as silence."""
    return lab.over_http and lab.version >= "2026-07-28"


@check(
    "mcp.can.unknown-id",
    "A cancellation of an unknown request is ignored",
    faults=("unknown_id",),
    mutants=("cancel.unknown-refused", "cancel.unknown-answered"),
    isolation=Isolation.SESSION,
)
async def unknown_ids_are_ignored(lab: McpLab) -> None:
    """Ids that were never used are cancelled: numbers, 0, a negative one, texts. Nothing may answer, and the next
    request must be served."""
    async with lab.session() as session:
        sent = await _named(session, UNKNOWN)
        _report(lab, await _harmless(lab, session, sent, refusable=_refusable(lab)))


@check(
    "mcp.can.completed-id",
    "A cancellation of a completed request is ignored",
    mutants=("cancel.answers-again", "cancel.unknown-refused"),
    isolation=Isolation.SESSION,
)
async def completed_requests_stay_completed(lab: McpLab) -> None:
    """A plain request, and a quick call where there is one, are cancelled three times after they were answered.
    No second response may come, and the next request must be served."""
    async with lab.session() as session:
        done = [await session.begin(session.cheap)]
        if lab.effects.has(Role.QUICK):
            done.append(await session.start(await lab.effects.plan(Role.QUICK)))
        for exchange in done:
            lab.need(await exchange.outcome(), "the request that is to be completed")
        sent = await _named(session, [exchange.request_id for exchange in done] * 3)
        _report(lab, await _harmless(lab, session, sent, refusable=_refusable(lab)))
        for exchange in done:
            lab.expect(expect.silent(responses(session, exchange)[1:], "no second response to a completed request"))


@check(
    "mcp.can.malformed",
    "A malformed cancellation is ignored",
    mutants=("cancel.malformed-fails", "cancel.malformed-stops-all", "cancel.malformed-ends-process"),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def malformed_cancellations_are_ignored(lab: McpLab) -> None:
    """Cancellations without parameters, without an id, with null, an object, a list or a boolean for one. Nothing may
    answer, the next request must be served, and a call that runs meanwhile, where there is one, must go on."""
    async with lab.session() as session:
        run = await start(lab, session, id=7001) if lab.effects.has(Role.SLOW) else None
        sent = await _cancellations(session, MALFORMED)
        _report(lab, await _harmless(lab, session, sent, refusable=True))
        if run:
            outcome = await run.exchange.outcome(run.play.lasts + session.carrier_patience)
            lab.expect(expect.answered(outcome, "a running call is not touched by a cancellation that names none"))


@check(
    "mcp.can.burst",
    "A burst of cancellations does no harm",
    mutants=("cancel.burst-wedges", "cancel.burst-delays"),
    isolation=Isolation.SESSION,
    harm=Harm.LOAD,
)
async def a_burst_does_no_harm(lab: McpLab) -> None:
    """Two hundred cancellations of random ids are sent as fast as they are taken. A plain request must be answered
    after them about as soon as before."""
    async with lab.session() as session:
        before = await _latency(session)
        sent: list[Exchange] = []
        for _ in range(10):
            sent += await _named(session, [_random_id(lab, number) for number in range(20)])
        await session.fence()  # what the way to the server still holds is not the server's delay
        after = await _latency(session)
        bound = 2 * before + lab.tempo.scaled(1.0)
        told = f"{after:.3f} s after the burst, {before:.3f} s before"
        _report(lab, await _harmless(lab, session, sent, refusable=_refusable(lab)))
        lab.expect(expect.that(after <= bound, "a plain request takes no longer than before", told, sent[-1].sent))


def _random_id(lab: McpLab, number: int) -> Any:
    key = lab.effects.fresh_key()
    return key if number % 2 else int(key[:8], 16) + 10**6


async def _latency(session: Session) -> float:
    """Seconds that a plain request takes; the patience when it is not answered."""
    begun = anyio.current_time()
    await session.fence()
    return anyio.current_time() - begun


@check(
    "mcp.can.reason-ignored",
    "The reason of a cancellation has no side effects",
    mutants=("cancel.prints-reason", "cancel.long-reason-refused"),
    isolation=Isolation.SESSION,
)
async def the_reason_has_no_side_effects(lab: McpLab) -> None:
    """Cancellations with reasons of several lines, of 10 kB, with control characters, with a whole JSON message in
    them; of running calls where there are any. The server must go on, and over stdio print nothing of them."""
    async with lab.session() as session:
        cancelled = [await _cancellable(lab, session) for _ in REASONS]
        await lab.quiet(0.2)
        params = [{"requestId": id, "reason": reason} for id, reason in zip(cancelled, REASONS, strict=True)]
        sent = await _cancellations(session, params)
        _report(lab, await _harmless(lab, session, sent, refusable=_refusable(lab)))
        if not lab.over_http:
            printed = session.stdio.foreign
            lab.expect(
                expect.that(
                    not printed, "standard output holds messages only", printed[:3], *(number for number, _ in printed)
                )
            )


async def _cancellable(lab: McpLab, session: Session) -> Any:
    """The id of a running call, or one that was never used."""
    if lab.effects.has(Role.SLOW):
        return (await begin(lab, session, quietly=True)).exchange.request_id
    return lab.effects.fresh_key()


@check(
    "mcp.can.initialize-uncancellable",
    "A cancellation of initialize has no effect",
    mutants=("cancel.undoes-initialize",),
    isolation=Isolation.SESSION,
)
async def initialize_cannot_be_cancelled(lab: McpLab) -> None:
    """The id of initialize is cancelled before and after notifications/initialized. The session must work."""
    async with lab.session(opened=False) as session:
        answer = lab.need(await session.initialize(announce=False), "initialize")
        id = answer.message.payload.get("id")
        sent = await _named(session, [id])
        await session.announce()
        sent += await _named(session, [id])
        _report(lab, await _harmless(lab, session, sent))


@check(
    "mcp.can.post-notification-accepted",
    "A cancel notification over HTTP cancels no other request",
    needs={Role.SLOW},
    mutants=("cancel.by-posted-id",),
    isolation=Isolation.SESSION,
)
async def posted_cancellations_cancel_nothing(lab: McpLab) -> None:
    """notifications/cancelled with the id of a running call is posted on another connection. It is taken or refused,
    and the call goes on: its own stream is what would cancel it."""
    async with lab.session() as session:
        run = await start(lab, session)
        _report(lab, await _harmless(lab, session, await _named(session, [run.exchange.request_id]), refusable=True))
        outcome = await run.exchange.outcome(run.play.lasts + session.carrier_patience)
        lab.expect(expect.answered(outcome, "the call is answered"))


OFFSETS = tuple((number - 14.5) / 200 for number in range(30))
"""Seconds from the end of a call to its cancellation: 30 of them, 5 ms apart."""


@check(
    "mcp.can.race",
    "A cancellation that crosses the response does no harm",
    needs={Role.SLOW},
    faults=("cancel_race",),
    mutants=("cancel.late-ends-process", "cancel.answers-again"),
    isolation=Isolation.SESSION,
    harm=Harm.LOAD,
    patience=4.0,
)
async def cancellations_may_cross_the_response(lab: McpLab) -> None:
    """Thirty short calls, ten at a time, are cancelled shortly before, at and after the time at which a call left
    alone ends. Each may get one response or none; no stray error may come, and the server must go on to serve."""
    duration = await control_duration(lab, seconds=0.5)
    async with lab.session() as session:
        sent: list[Exchange] = []
        for first in range(3):
            sent += await _race(lab, session, duration, OFFSETS[first::3])
        _report(lab, await _harmless(lab, session, sent))


async def _race(lab: McpLab, session: Session, duration: float, offsets: Sequence[float]) -> list[Exchange]:
    """One wave of calls. The cancellations that were sent for them."""
    runs = [await begin(lab, session, seconds=0.5) for _ in offsets]
    sent: list[Exchange | None] = []
    for run, offset in zip(runs, offsets, strict=True):
        await lab.until(run.begun + duration + offset)
        sent.append(await session.cancel(run.exchange))
    await lab.quiet(0.5)
    for run in runs:
        lab.expect(expect.silent(responses(session, run.exchange)[1:], "one response at most"))
    return [exchange for exchange in sent if exchange]
