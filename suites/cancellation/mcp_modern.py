"""MCP from 2026-07-28 on: closing a stream is what cancels over HTTP, and subscriptions end by cancellation."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial import (
    Departure,
    Exchange,
    Feature,
    Isolation,
    McpLab,
    Message,
    Reason,
    Role,
    Session,
    check,
    expect,
    is_response,
)
from seatrial.faults import latency

from ..subscriptions import TOOLS, TOOLS_CHANGED, acknowledgement, opened, subscribed
from .running import Run, begin, control, sight, start, stopped

DELAYS = (0.0, 0.05, 0.2)
"""Seconds between the end of a request and the close of its connection: before anything can have come back."""


async def _left(lab: McpLab, session: Session, how: Departure) -> Run:
    """A call whose stream is left once it runs."""
    run = await start(lab, session, watched=True)
    await run.exchange.leave(how)
    return run


async def _stops(lab: McpLab, session: Session, runs: Sequence[Run], what: str) -> None:
    """Each of these calls was cancelled: the witness must miss its end. Inconclusive when none was seen to begin."""
    yardstick = await control(lab)
    sightings = [await sight(lab, session, run, yardstick) for run in runs]
    for sighting in sightings:
        lab.expect(stopped(sighting, what))
    if not any(sighting.began for sighting in sightings):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the witness never saw the call begin", *sightings[0].records)


@check(
    "mcp.can.close-is-cancel",
    "Closing the response stream cancels the request",
    needs={Role.SLOW, Role.WITNESS},
    mutants=("cancel.close-ignored",),
    isolation=Isolation.SESSION,
)
async def closing_the_stream_cancels(lab: McpLab) -> None:
    """The stream of a slow call is closed after two progress reports, or after half a second where it reports none.
    The witness, read when the call would long be over, must miss its end."""
    async with lab.session() as session:
        run = await _left(lab, session, Departure.FIN)
        await _stops(lab, session, [run], "the work of a call whose stream was closed stops")


@check(
    "mcp.can.close-before-headers",
    "Closing before the first response byte cancels the request",
    needs={Role.SLOW, Role.WITNESS},
    mutants=("cancel.close-unseen-before-headers", "cancel.close-ignored"),
    isolation=Isolation.SESSION,
    patience=5.0,
)
async def closing_before_the_head_cancels(lab: McpLab) -> None:
    """Three slow calls that report nothing are left 0, 50 and 200 ms after their request was sent. The witness must
    see one of them begin, and none of them end."""
    async with lab.session() as session:
        runs: list[Run] = []
        for delay in DELAYS:
            run = await begin(lab, session, watched=True, quietly=True)
            await run.exchange.dispatched.wait()
            await lab.until(run.begun + delay)
            await run.exchange.leave(Departure.FIN)
            runs.append(run)
        await _stops(lab, session, runs, "the work of a call that was left before its answer began stops")


@check(
    "mcp.can.rst-vs-fin",
    "A reset and an orderly close are treated alike",
    needs={Role.SLOW, Role.WITNESS},
    mutants=("cancel.close-ignored", "cancel.reset-unseen"),
    isolation=Isolation.SESSION,
)
async def a_reset_cancels_as_a_close_does(lab: McpLab) -> None:
    """One slow call is left by FIN and one by RST. The witness must miss the end of both."""
    async with lab.session() as session:
        runs = [await _left(lab, session, how) for how in (Departure.FIN, Departure.RST)]
        await _stops(lab, session, runs, "the work of a call stops, however its connection ended")


@check(
    "mcp.can.behind-proxy",
    "A close behind a proxy is still noticed",
    needs={Role.SLOW, Role.WITNESS},
    faults=("latency",),
    mutants=("cancel.close-noticed-late",),
    isolation=Isolation.SESSION,
)
async def a_close_behind_a_proxy_cancels(lab: McpLab) -> None:
    """The call goes through a relay that delays both directions by a fifth of a second, and its stream is closed. The
    witness must miss its end."""
    async with lab.session(latency(on="tools/call", seconds=0.2)) as session:
        run = await _left(lab, session, Departure.FIN)
        await _stops(lab, session, [run], "the work of a call that was closed behind a proxy stops")


@check(
    "mcp.can.close-half",
    "A client that has only finished sending is still answered",
    needs={Role.SLOW},
    mutants=("cancel.by-half-close",),
    isolation=Isolation.SESSION,
)
async def a_half_close_is_no_cancellation(lab: McpLab) -> None:
    """The client ends its sending side during a slow call, and goes on reading. The call must be answered."""
    async with lab.session() as session:
        run = await start(lab, session)
        await run.exchange.leave(Departure.HALF)
        outcome = await run.exchange.outcome(2 * run.play.lasts + session.carrier_patience)
        lab.expect(expect.answered(outcome, "the call is answered to a client that still reads"))


async def _resubscribed(lab: McpLab, session: Session) -> Exchange:
    """One more subscription after others were closed: it must be acknowledged."""
    subscription = await opened(session, TOOLS)
    acknowledged = acknowledgement(subscription) is not None
    outcome = await subscription.outcome(0.0)
    lab.require(expect.that(acknowledged, "a new subscription is acknowledged", outcome, outcome))
    return subscription


async def _told(exchange: Exchange) -> Message | None:
    """The first change that a subscription tells of."""
    return await exchange.message(lambda message: message.method == TOOLS_CHANGED)


@check(
    "mcp.can.listen-close-frees",
    "Closing a subscription ends it",
    needs={Role.MUTATE_TOOLS, Feature.TOOLS_LIST_CHANGED},
    mutants=("listen.dead-stream-fails-change", "listen.never-freed"),
    isolation=Isolation.SESSION,
)
async def a_closed_subscription_ends(lab: McpLab) -> None:
    """Twenty subscriptions are opened and closed. Then the tool list is changed, which must succeed; one more
    subscription must be acknowledged and be told of one more change."""
    change = await lab.effects.plan(Role.MUTATE_TOOLS)
    async with lab.session() as session:
        await (await subscribed(lab, session, TOOLS)).leave()
        for _ in range(20):
            await (await _resubscribed(lab, session)).leave()
        lab.expect(expect.answered(await session.perform(change), "a change succeeds although subscribers are gone"))
        again = await _resubscribed(lab, session)
        lab.expect(expect.answered(await session.perform(change), "a change succeeds"))
        told = await _told(again)
        lab.expect(expect.that(told is not None, "the new subscription is told of the change", "nothing", again.sent))


@check(
    "mcp.can.listen-cancel-stdio",
    "Cancelling a subscription over stdio ends it",
    needs={Role.MUTATE_TOOLS, Feature.TOOLS_LIST_CHANGED},
    mutants=("listen.survives-cancel",),
    isolation=Isolation.SESSION,
)
async def a_cancelled_subscription_ends(lab: McpLab) -> None:
    """Two subscriptions are open and one is cancelled. After a change, of which the other one is told, nothing may
    have come with the id of the cancelled one."""
    change = await lab.effects.plan(Role.MUTATE_TOOLS)
    async with lab.session() as session:
        ended, other = await subscribed(lab, session, TOOLS), await subscribed(lab, session, TOOLS)
        await session.cancel(ended)
        lab.need(await session.fence())
        before = len([message for message in ended.messages if not is_response(message)])
        lab.need(await session.perform(change), "the change")
        if await _told(other) is None:
            lab.inconclusive(Reason.STIMULUS_FAILED, "no subscription was told of the change", other.sent)
        await lab.quiet(0.5)
    late = [message for message in ended.messages if not is_response(message)][before:]
    lab.expect(expect.silent(late, "nothing more with the id of a cancelled subscription"))
    # One page reads as if an ended subscription were answered, another forbids every further message.
    answers = expect.silent(ended.responses, "no response to a cancelled subscription")
    lab.expect(expect.that(answers is None, "no response to a cancelled subscription", "a response", soft=True))
