"""MCP: what a cancellation does to the call that it names, and to no other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seatrial import AUTO, Feature, Harm, Isolation, McpLab, Reason, Role, Session, check, expect

from .running import Run, begin, control, outlast, responses, sight, start, stopped

IDS: tuple[Any, ...] = (AUTO, 0, "cancel-me")
"""Request ids that a server may fail to recognise: 0 is no missing id, and a string is no number."""


@check(
    "mcp.can.stops-work",
    "A cancelled request stops its work",
    needs={Role.SLOW, Role.WITNESS},
    mutants=("cancel.swallowed", "cancel.ignored", "cancel.zero-id-missed", "cancel.string-id-missed"),
    isolation=Isolation.SESSION,
    patience=7.0,
)
async def cancelled_work_stops(lab: McpLab) -> None:
    """Three slow calls (ids: a positive integer, 0, a string) are cancelled once they run. The witness is read when
    each would long be over, and must lack what an uncancelled call leaves last."""
    yardstick = await control(lab)
    async with lab.session() as session:
        runs = await _cancelled(lab, session, watched=True)
        sightings = [await sight(lab, session, run, yardstick) for run in runs]
    for run, sighting in zip(runs, sightings, strict=True):
        lab.expect(stopped(sighting, f"the work of request {run.exchange.request_id!r} stops"))
    if not any(sighting.began for sighting in sightings):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the witness never saw a cancelled call begin", *sightings[0].records)


async def _cancelled(lab: McpLab, session: Session, *, ids: Sequence[Any] = IDS, watched: bool = False) -> list[Run]:
    """Slow calls with these ids, cancelled once all of them run."""
    runs = [await start(lab, session, id=id, watched=watched) for id in ids]
    for run in runs:
        await session.cancel(run.exchange)
    return runs


@check(
    "mcp.can.no-response",
    "A cancelled request gets no response",
    requirements=("mcp.can.no-response", "mcp.can.no-response.modern"),
    needs={Role.SLOW},
    mutants=("cancel.ignored", "cancel.ignored-and-late", "cancel.answers-with-error"),
    isolation=Isolation.SESSION,
    patience=4.0,
)
async def cancelled_request_gets_no_response(lab: McpLab) -> None:
    """Three slow calls (ids: a positive integer, 0, a string) are cancelled once they run. Until they would long be
    over, and as long as one still reports, nothing may come that carries the id of one of them."""
    async with lab.session() as session:
        runs = await _cancelled(lab, session)
        silent = await outlast(lab, *runs)
    for run in runs:
        what = f"no response to the cancelled request {run.exchange.request_id!r}"
        lab.expect(expect.silent(responses(session, run.exchange), what), "mcp.can.no-response")
    if not silent:
        lab.inconclusive(Reason.STIMULUS_FAILED, "a cancelled call still reports, and may yet be answered")


@check(
    "mcp.can.progress-stops",
    "Progress stops after a cancellation",
    requirements=("mcp.can.progress-stops", "mcp.can.progress-stops.modern"),
    needs={Role.SLOW},
    mutants=("cancel.still-reports",),
    isolation=Isolation.SESSION,
    patience=4.0,
)
async def progress_stops(lab: McpLab) -> None:
    """A slow call is cancelled after two progress reports. Once the server has taken the cancellation, at most one
    report may still arrive that was on its way."""
    if not lab.effects.stimulus(Role.SLOW).progress:
        lab.inconclusive(Reason.NO_STIMULUS, "the slow call of this target reports no progress")
    async with lab.session() as session:
        run = await start(lab, session)
        reported = len(run.exchange.progress)
        if not reported:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the slow call reported no progress", run.exchange.sent)
        await _taken(session, run)
        known = len(run.exchange.progress)
        await outlast(lab, run)
    late = run.exchange.progress[known + 1 :]
    lab.expect(expect.silent(late, "at most one report that was already on its way"), "mcp.can.progress-stops")


async def _taken(session: Session, run: Run) -> None:
    """Cancel a call, and wait until the server has taken the cancellation."""
    notification = await session.cancel(run.exchange)
    if session.binding == "stdio":
        await session.fence()
    elif notification:
        await notification.finished()


@check(
    "mcp.can.stream-ends",
    "The stream of a cancelled call ends",
    needs={Role.SLOW},
    mutants=("cancel.leaves-stream-open",),
    isolation=Isolation.SESSION,
)
async def the_stream_of_a_cancelled_call_ends(lab: McpLab) -> None:
    """A slow call is cancelled by a notification on another connection; its own stream should close within 2 s,
    though the call would have lasted longer."""
    async with lab.session() as session:
        run = await start(lab, session)
        await session.cancel(run.exchange)
        closed = await run.exchange.finished(lab.tempo.scaled(2.0))
    lab.expect(expect.that(closed, "the stream ends within 2 s", "it is still open", run.exchange.sent))


@check(
    "mcp.can.other-request-unaffected",
    "Other requests go on when one is cancelled",
    needs={Role.SLOW},
    mutants=("cancel.stops-all", "cancel.ends-process"),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def other_requests_go_on(lab: McpLab) -> None:
    """Two slow calls run and one is cancelled: the other must still be answered, and so must a plain request."""
    async with lab.session() as session:
        victim, other = await start(lab, session), await start(lab, session)
        await session.cancel(victim.exchange)
        outcome = await other.exchange.outcome(3 * other.play.lasts + 2 * session.carrier_patience)
        lab.expect(expect.answered(outcome, "the call that was not cancelled is answered"))
        lab.expect(expect.answered(await session.fence(), "the server goes on to serve"))


@check(
    "mcp.can.id-type-strict",
    '"42" and 42 are different request ids',
    needs={Role.SLOW},
    mutants=("cancel.loose-ids",),
    isolation=Isolation.SESSION,
)
async def ids_of_another_type_are_others(lab: McpLab) -> None:
    """Requests 42 and "43" run while "42" and 43 are cancelled: both must be answered."""
    async with lab.session() as session:
        runs = [await start(lab, session, id=id) for id in (42, "43")]
        for id in ("42", 43):
            await session.notify("notifications/cancelled", {"requestId": id})
        for run in runs:
            outcome = await run.exchange.outcome(run.play.lasts + session.carrier_patience)
            lab.expect(expect.answered(outcome, f"request {run.exchange.request_id!r} was not cancelled"))


@check(
    "mcp.can.other-session",
    "A cancellation reaches only requests of its own session",
    needs={Role.SLOW, Feature.SESSIONS},
    mutants=("cancel.across-sessions",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def other_sessions_are_out_of_reach(lab: McpLab) -> None:
    """Two sessions each run a call under the same id, and the first runs one more. The second session cancels both
    ids: both calls of the first must be answered."""
    async with lab.session() as first, lab.session() as second:
        runs = [await start(lab, first, id=id) for id in (7001, 7002)]
        own = await start(lab, second, id=7002)
        for run in runs:
            await second.cancel(run.exchange)
        for run in runs:
            outcome = await run.exchange.outcome(2 * run.play.lasts + first.carrier_patience)
            lab.expect(expect.answered(outcome, "a call of another session goes on"))
        lab.note(f"the session's own call of that id got {len(own.exchange.responses)} responses", own.exchange.sent)


@check(
    "mcp.can.frees-resources",
    "Cancelled requests release their resources",
    needs={Role.SLOW},
    mutants=("cancel.leaks-slots",),
    isolation=Isolation.SESSION,
    harm=Harm.LOAD,
)
async def cancelled_requests_release_their_resources(lab: McpLab) -> None:
    """Fifty slow calls are begun and cancelled, ten at a time. Then a plain request and one more slow call must be
    answered, the latter in about its usual time."""
    async with lab.session() as session:
        for _ in range(5):
            runs = [await begin(lab, session) for _ in range(10)]
            await lab.quiet(0.2)
            for run in runs:
                await session.cancel(run.exchange)
        lab.expect(expect.answered(await session.fence(), "a plain request is answered after fifty cancellations"))
        last = await begin(lab, session)
        outcome = await last.exchange.outcome(2 * last.play.lasts + session.carrier_patience)
        lab.expect(expect.answered(outcome, "a slow call finds a free place after fifty cancellations"))
