"""MCP: what is sent again: requests, by their ids or by a proxy, and events, by their ids."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
from seatrial import (
    Answer,
    Control,
    Exchange,
    Isolation,
    Lost,
    McpLab,
    Outcome,
    Play,
    Reason,
    Role,
    Session,
    Sighting,
    Violation,
    check,
    expect,
)
from seatrial.faults import RESET, Fault, drop_response, replay_request
from seatrial.judge import dedup, replay

from ..gateways import MANGLED
from ..plays import reports
from ..reconnect_replay.resuming import own, severed, tail_of
from .hearing import answered, attentive

SECONDS = 1.0


# Requests


@check(
    "mcp.dup.duplicate-inflight-id",
    "Two requests in flight with one id do not starve each other",
    needs={Role.SLOW},
    mutants=("duplicate.starves-the-first", "duplicate.starves-both"),
    isolation=Isolation.SESSION,
    patience=7.0,
)
async def equal_ids_do_not_starve_each_other(lab: McpLab) -> None:
    """While a slow call runs, a quick one is sent with its id; and beside another, a second slow one. Both may be
    answered, or the second refused: the first must not remain without its answer."""
    quick = await lab.effects.plan(Role.QUICK) if lab.effects.has(Role.QUICK) else None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_twice, lab, quick, 4242)
        tasks.start_soon(_twice, lab, None, "in-flight")


async def _twice(lab: McpLab, second: Play | None, id: Any) -> None:
    """Two calls under one id, in a session of their own. `second` None: a slow one like the first."""
    first = await lab.effects.plan(Role.SLOW, seconds=SECONDS)
    second = second or await lab.effects.plan(Role.SLOW, seconds=SECONDS)
    async with lab.session() as session:
        known = await session.perform(second) if second.role == Role.QUICK else None
        running = await session.start(first, id=id)
        await lab.quiet(0.3)
        if running.responses:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the slow call was over at once", running.sent)
        repeated = await session.start(second, id=id)
        outcome = await running.outcome(2 * first.lasts + session.carrier_patience)
        other = await repeated.outcome()
    if not lab.over_http:
        outcome = _unless_of_the_second(outcome, other, known)
    lab.expect(expect.responded(outcome, f"the first request with id {id!r} is answered"))
    lab.note(f"the second request with id {id!r} got: {expect.shown(other)}", other)


def _unless_of_the_second(first: Outcome, second: Outcome, known: Outcome | None) -> Outcome:
    """Over stdio nothing but its content tells to which of two requests a response belongs: a lone one that equals
    what the second request is known to be answered with is not the answer to the first."""
    if not (isinstance(first, Answer) and isinstance(known, Answer) and isinstance(second, Lost)):
        return first
    stolen = first.result == known.result
    return Lost(second.ending, "only the second request was answered", first.records) if stolen else first


@check(
    "mcp.dup.client-retry-side-effects",
    "A repeated request is executed no more often than it was sent",
    needs={Role.SLOW, Role.WITNESS},
    faults=("replay_request", "drop_response"),
    mutants=("retry.executes-again", "retry.answers-without-executing"),
    isolation=Isolation.SESSION,
    patience=7.0,
)
async def repeated_requests_are_counted(lab: McpLab) -> None:
    """A call is delivered three times by a proxy; another is answered into a lost connection, and sent again by us with
    the same id. The witness counts the executions: from one (the server knew the request) to one per delivery."""
    control = await lab.effects.control(Role.SLOW, seconds=SECONDS)
    if not control.last:
        lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of a call that was left alone")
    await _replayed(lab, control)
    await _sent_again(lab, control)


async def _replayed(lab: McpLab, control: Control) -> None:
    play = await lab.effects.plan(Role.SLOW, seconds=SECONDS)
    async with lab.session(replay_request(on="tools/call", copies=2)) as session:
        before, begun = await lab.effects.baseline(play, session), anyio.current_time()
        exchange = await session.start(play)
        outcome = await exchange.outcome(_patience(lab, control, 3))
        lab.expect(expect.responded(outcome, "a replayed request is answered"))
        sighting = await lab.effects.sight(play, control, session, before, begun)
    lab.expect(_executed(lab, sighting, deliveries=3))


async def _sent_again(lab: McpLab, control: Control) -> None:
    play = await lab.effects.plan(Role.SLOW, seconds=SECONDS)
    async with lab.session(drop_response(on="tools/call", how=RESET)) as session:
        before, begun = await lab.effects.baseline(play, session), anyio.current_time()
        lost = await session.start(play, id="sent-twice")
        await lost.outcome(_patience(lab, control, 2))
        again = await session.start(play, id="sent-twice")
        outcome = await again.outcome(_patience(lab, control, 2))
        lab.expect(expect.responded(outcome, "the repeated request is answered"))
        sighting = await lab.effects.sight(play, control, session, before, begun)
    lab.expect(_executed(lab, sighting, deliveries=2))


@check(
    "mcp.dup.mangled-answer-once",
    "A call whose answer was mangled on its way was executed once",
    needs={Role.SLOW, Role.WITNESS},
    faults=tuple(fault.name for fault in MANGLED),
    mutants=("retry.executes-again", "retry.answers-without-executing"),
    isolation=Isolation.SESSION,
    patience=7.0,
)
async def calls_with_mangled_answers_are_executed_once(lab: McpLab) -> None:
    """The answer to a call comes twice, behind an interim response, cut short, as gzip without its end, and with
    a byte spoilt. Whatever the client makes of it, the witness shows that the call was executed once."""
    control = await lab.effects.control(Role.SLOW, seconds=SECONDS)
    if not control.last:
        lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of a call that was left alone")
    async with anyio.create_task_group() as tasks:
        for fault in MANGLED:
            tasks.start_soon(_mangled, lab, control, replace(fault, on="tools/call"))


async def _mangled(lab: McpLab, control: Control, fault: Fault) -> None:
    play = await lab.effects.plan(Role.SLOW, seconds=SECONDS)
    async with lab.session(fault) as session:
        before, begun = await lab.effects.baseline(play, session), anyio.current_time()
        exchange = await session.start(play)
        await exchange.outcome(_patience(lab, control, 1))
        sighting = await lab.effects.sight(play, control, session, before, begun)
    lab.expect(_executed(lab, sighting, deliveries=1))


def _patience(lab: McpLab, control: Control, times: int) -> float:
    return control.duration * times * 1.5 + lab.tempo.answer


def _executed(lab: McpLab, sighting: Sighting, deliveries: int) -> Violation | None:
    """How often a call ran to its end, by what the witness shows last of it."""
    times = sighting.seen.count(sighting.control.last)
    lab.note(f"executed {times} times for {deliveries} deliveries", *sighting.records)
    wanted = f"between 1 and {deliveries} executions for {deliveries} deliveries"
    return expect.that(1 <= times <= deliveries, wanted, f"{times}: {sighting}", *sighting.records)


REPEATABLE = (Role.CALL, Role.QUICK, Role.ECHO, Role.STRUCTURED, Role.PROMPT, Role.RESOURCE)


@check(
    "mcp.dup.repeated-call",
    "A call that succeeded succeeds again with the same arguments",
    mutants=("repeat.registers-twice", "repeat.breaks"),
    isolation=Isolation.SESSION,
)
async def calls_can_be_repeated(lab: McpLab) -> None:
    """Every call that the target's owner calls safe is sent twice in one session."""
    plays = [await lab.effects.plan(role) for role in REPEATABLE if lab.effects.has(role)]
    if not plays:
        lab.inconclusive(Reason.NO_STIMULUS, "no stimulus is configured that may be repeated")
    async with lab.session() as session:
        for play in {(p.method, expect.shown(p.params)): p for p in plays}.values():
            first, second = await session.perform(play), await session.perform(play)
            if _succeeded(first):
                wanted = "the second call succeeds like the first"
                lab.expect(expect.that(_succeeded(second), wanted, second, first, second))
            else:
                lab.note(f"the call of the role {play.role} does not succeed at all", first)
    if not lab.ledger.exercised:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no call succeeded")


def _succeeded(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) and isinstance(outcome.result, dict) and not outcome.failed


# Events


async def _streams(lab: McpLab, session: Session, number: int = 3) -> list[Exchange]:
    """Calls that report their progress, played at once, whose events carry ids. NOT_APPLICABLE without ids."""
    plays = [await reports(lab, count=3) for _ in range(number)]
    calls = [await session.start(play, token=f"of-{play.key}") for play in plays]
    for call, play in zip(calls, plays, strict=True):
        await answered(lab, call, play)
        await call.finished(lab.tempo.quiet)
    if not any(event.id for call in calls for event in call.events):
        lab.not_applicable("no event of its streams carries an id", *(call.sent for call in calls))
    return calls


@check(
    "mcp.dup.event-ids-unique",
    "Event ids are unique within a session",
    needs={Role.PROGRESS},
    mutants=("events.counted-per-stream", "events.id-of-the-stream"),
    isolation=Isolation.SESSION,
)
async def event_ids_are_unique(lab: McpLab) -> None:
    """The ids of all streams of a session: three calls at once, three more, and a GET stream where there is one."""
    async with attentive(lab) as session:
        await _streams(lab, session)
        if lab.effects.has(Role.MUTATE_TOOLS):
            await session.perform(await lab.effects.plan(Role.MUTATE_TOOLS))
        await _streams(lab, session)
        await lab.quiet(0.5)
    lab.expect(dedup.event_ids_unique({lab.case.id: lab.recorder.records}, lab.spoken).violations)


@check(
    "mcp.dup.event-id-names-stream",
    "Event ids tell the streams of a session apart",
    needs={Role.PROGRESS},
    mutants=("events.counted-per-stream",),
    isolation=Isolation.SESSION,
)
async def event_ids_tell_streams_apart(lab: McpLab) -> None:
    """The ids of three streams are compared: an id that two streams use leads to neither. What the ids of one stream
    have in common is recorded."""
    async with lab.session() as session:
        calls = await _streams(lab, session)
    ids = [{event.id for event in call.events if event.id} for call in calls]
    shared = sorted(set.intersection(*map(set, ids[:2])) | set.intersection(*map(set, ids[1:])))
    records = (event.record for call in calls for event in call.events if event.id in shared)
    lab.expect(expect.that(not shared, "no id on two streams", shared, *records))
    lab.note(f"event ids of one stream: {expect.shown(sorted(ids[0]))}", calls[0].sent)


@check(
    "mcp.dup.replay-excludes-seen",
    "A resumed stream repeats nothing that was already delivered",
    needs={Role.PROGRESS},
    faults=("cut_after_events",),
    mutants=("events.replay-includes-last", "events.replay-twice"),
    isolation=Isolation.SESSION,
    patience=3.0,
)
async def replays_repeat_nothing(lab: McpLab) -> None:
    """The stream of a call is reset after each of its first three events and, when the call has said more, resumed
    with the last id that came."""
    for after in (1, 2, 3):
        async with severed(lab, await reports(lab, count=6), after) as lost:
            await lab.quiet(0.25)
            tail = await tail_of(lab, lost)
            lab.expect(replay.nothing_twice(own(lost.head), own(tail)))
