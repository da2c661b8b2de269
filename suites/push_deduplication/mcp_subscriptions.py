"""MCP: what subscriptions deliver, and what they do not (2026-07-28)."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from typing import Any

from seatrial import (
    Answer,
    Ending,
    Exchange,
    Feature,
    Isolation,
    McpLab,
    Message,
    Reason,
    Refusal,
    Role,
    Session,
    Violation,
    check,
    codes,
    expect,
    same_id,
)

from ..plays import reports
from ..subscriptions import (
    ACKNOWLEDGED,
    EVERY_LIST,
    TOOLS_CHANGED,
    acknowledged,
    acknowledgement,
    must_be_offered,
    opened,
    subscribed,
    tag,
)
from .changing import watchable
from .hearing import LOG, PROGRESS, UPDATED, answered, performed, playable, settled
from .mcp_logs import logging_call
from .subscribing import KINDS, carries, told, unasked


@check(
    "mcp.dup.listen-ack-first",
    "A subscription begins with its acknowledgement",
    mutants=("listen.unacknowledged", "listen.acknowledged-late", "listen.unknown"),
    isolation=Isolation.SESSION,
)
async def acknowledgement_comes_first(lab: McpLab) -> None:
    """Subscriptions are opened one after the other, while tools change where that can be played: the first message of
    each is the acknowledgement. A server without subscriptions is warned: they are part of the base protocol."""
    mutator = await lab.effects.plan(Role.MUTATE_TOOLS) if lab.effects.has(Role.MUTATE_TOOLS) else None
    async with lab.session() as session:
        for _ in range(3):
            subscription = await session.listen(EVERY_LIST)
            if mutator:
                await lab.quiet(0.05)
                await session.start(mutator)
            lab.expect(await _begun(await acknowledged(subscription)))
        await settled(lab, session)


async def _begun(subscription: Exchange) -> Violation | None:
    first = next(iter(subscription.messages), None)
    if first is not None and first.method == ACKNOWLEDGED:
        return None
    outcome = await subscription.outcome(0.0)
    missing = isinstance(outcome, Refusal) and outcome.code == codes.METHOD_NOT_FOUND
    actual, record = (first.payload, first.record) if first else (outcome, None)
    return expect.that(False, "the acknowledgement comes first", actual, outcome, record, soft=missing)


IDS: tuple[Any, ...] = ("s1", 7, "8", 0)


@check(
    "mcp.dup.listen-id-tag",
    "Every message of a subscription carries its id unchanged",
    mutants=("listen.id-as-text", "listen.untagged", "listen.zero-untagged"),
    isolation=Isolation.SESSION,
)
async def messages_carry_their_subscription(lab: McpLab) -> None:
    """Subscriptions with ids of several kinds are open while tools and resources change, where that can be played:
    each is acknowledged under its own id, and every change names a subscription."""
    plays = [await lab.effects.plan(r) for r in (Role.MUTATE_TOOLS, Role.MUTATE_RESOURCE) if lab.effects.has(r)]
    async with lab.session() as session:
        filter = await _everything(lab, session)
        subscriptions = [await opened(session, filter, id=id) for id in IDS]
        must_be_offered(lab, await subscriptions[0].outcome(0.0))
        for play in plays:
            await performed(lab, session, play)
        await settled(lab, session, plays[-1] if plays else None)
        for subscription in subscriptions:
            lab.expect(_tagged(subscription))
        if not lab.over_http:
            lab.expect(expect.silent(_strays(session), "every message of a subscription names it"))


async def _everything(lab: McpLab, session: Session) -> Mapping[str, Any]:
    """A filter that asks for all there is to hear."""
    uris = await watchable(lab, session) if lab.declares(Feature.RESOURCES) else []
    return {**EVERY_LIST, **({"resourceSubscriptions": list(uris)} if uris else {})}


def _tagged(subscription: Exchange) -> Violation | None:
    wanted = f"messages that carry the subscription id {subscription.request_id!r}"
    messages = [message for message in subscription.messages if message.method is not None]
    wrong = [message for message in messages if not carries(subscription, message)]
    if wrong or not messages:
        actual = [tag(message) for message in wrong] or "no message with it"
        return expect.that(False, wanted, actual, subscription.sent, *(message.record for message in wrong))
    return None


def _strays(session: Session) -> list[Message]:
    """Messages of subscriptions over stdio that name none of ours."""
    kinds = {ACKNOWLEDGED, UPDATED, *KINDS}
    return [m for stream, m in session.received if stream is session.stdio.inbox and m.method in kinds]


@check(
    "mcp.dup.listen-filter",
    "A subscription delivers only what its filter asks for",
    mutants=("listen.unfiltered-lists", "listen.unfiltered-resources"),
    isolation=Isolation.SESSION,
)
async def filters_are_kept(lab: McpLab) -> None:
    """Subscriptions with several partial filters are open while tools and a resource change, where that can be
    played: none hears of a kind, or of a resource, that it did not ask for."""
    async with lab.session() as session:
        whole = await _everything(lab, session)
        uris = whole.get("resourceSubscriptions", [])
        partial = [{name: True} for name in EVERY_LIST] + [{"resourceSubscriptions": [uri]} for uri in uris[-1:]] + [{}]
        control = await subscribed(lab, session, whole)
        plays = [await lab.effects.plan(role) for role in playable(lab, Role.MUTATE_TOOLS, Role.MUTATE_RESOURCE)]
        subscriptions = [(filter, await subscribed(lab, session, filter)) for filter in partial]
        for play in plays:
            await performed(lab, session, play)
        await settled(lab, session, plays[-1])
    if not told(control):
        lab.inconclusive(Reason.STIMULUS_FAILED, "no change was told to a subscription to everything", control.sent)
    for filter, subscription in [(whole, control), *subscriptions]:
        lab.expect(expect.silent(unasked(subscription, filter), f"nothing that {filter} does not ask for"))


@check(
    "mcp.dup.listen-ack-subset",
    "The acknowledgement lists the part of the filter that the server honours",
    mutants=("listen.adds-kinds", "listen.promises-all"),
    isolation=Isolation.SESSION,
)
async def acknowledgement_is_a_subset(lab: McpLab) -> None:
    """A filter of all kinds, and one filter for each kind: what is acknowledged was asked for, and it was declared."""
    undeclared = {name for name, feature in DECLARED.items() if not lab.declares(feature)}
    async with lab.session() as session:
        uris = list(await watchable(lab, session))[:1] if lab.declares(Feature.RESOURCES) else []
        watched = {"resourceSubscriptions": uris}
        for filter in ({**EVERY_LIST, **watched}, *({name: True} for name in EVERY_LIST), watched):
            subscription = await subscribed(lab, session, filter)
            lab.expect(_subset(acknowledgement(subscription), filter, undeclared))


DECLARED = {
    "toolsListChanged": Feature.TOOLS_LIST_CHANGED,
    "resourcesListChanged": Feature.RESOURCES_LIST_CHANGED,
    "resourceSubscriptions": Feature.SUBSCRIBE,
}
"""Fields of a filter, and what a server declares that honours them."""


def _subset(found: Message | None, filter: Mapping[str, Any], undeclared: set[str]) -> Violation | None:
    assert found is not None
    accepted = found.params.get("notifications")
    if not isinstance(accepted, dict):
        return expect.that(False, "the acknowledgement says what is honoured", found.payload, found.record)
    granted = {name: value for name, value in accepted.items() if value not in (False, None, [])}
    watched = filter.get("resourceSubscriptions", ())
    added = [name for name in granted if not filter.get(name)]
    added += [uri for uri in granted.get("resourceSubscriptions", ()) if uri not in watched]
    promised = sorted(undeclared & granted.keys())
    undue = f", and not {', '.join(promised)}, which is not declared" if promised else ""
    return expect.that(not added and not promised, f"no more than {dict(filter)}{undue}", accepted, found.record)


@check(
    "mcp.dup.listen-empty-filter",
    "An empty filter is legal",
    mutants=("listen.empty-refused",),
    isolation=Isolation.SESSION,
)
async def empty_filters_are_legal(lab: McpLab) -> None:
    """subscriptions/listen with {}: it is acknowledged with {}."""
    async with lab.session() as session:
        subscription = await opened(session, {})
        found, outcome = acknowledgement(subscription), await subscription.outcome(0.0)
        must_be_offered(lab, outcome)
        seen, record = (found.payload, found.record) if found else (outcome, None)
        empty = found is not None and found.params.get("notifications") in ({}, None)
        lab.expect(expect.that(empty, "an acknowledgement of nothing", seen, outcome, record))


NO_FILTERS: Sequence[Mapping[str, Any]] = (
    {},
    {"notifications": None},
    {"notifications": []},
    {"notifications": "all"},
)


@check(
    "mcp.dup.listen-missing-filter",
    "subscriptions/listen without a filter is refused with -32602",
    mutants=("listen.filter-optional", "listen.bad-filter-crashes"),
)
async def filter_is_required(lab: McpLab) -> None:
    """The parameter `notifications` is left out; null, a list and a text instead of an object may warn at most."""
    async with lab.session() as session:
        for params in NO_FILTERS:
            exchange = await session.begin("subscriptions/listen", params)
            await exchange.until(lambda x: x.messages or x.ending is not Ending.OPEN or None)
            outcome = await exchange.outcome(0.0)
            must_be_offered(lab, outcome)
            soft = "notifications" in params
            lab.expect(expect.refused(outcome, {codes.INVALID_PARAMS}, soft=soft))


@check(
    "mcp.dup.listen-fanout-once-each",
    "Each of several subscriptions gets its own single copy",
    needs={Role.MUTATE_TOOLS, Feature.TOOLS_LIST_CHANGED},
    mutants=("listen.first-only", "listen.doubled"),
    isolation=Isolation.PROCESS,
)
async def subscriptions_get_a_copy_each(lab: McpLab) -> None:
    """Three subscriptions, one of them in another session where that is another connection, and one change."""
    play = await lab.effects.plan(Role.MUTATE_TOOLS)
    async with lab.session() as session:
        subscriptions = [await subscribed(lab, session, {"toolsListChanged": True}) for _ in range(3)]
        call = await performed(lab, session, play)
        await settled(lab, session, play)
    copies = [len(subscription.notifications(TOOLS_CHANGED)) for subscription in subscriptions]
    if not any(copies):
        lab.inconclusive(Reason.STIMULUS_FAILED, "no subscription heard of the change", call.sent)
    records = [m.record for subscription in subscriptions for m in subscription.notifications(TOOLS_CHANGED)]
    lab.expect(expect.that(set(copies) == {1}, "one copy for each subscription", copies, call.sent, *records))


@check(
    "mcp.dup.listen-no-request-scoped",
    "A subscription carries no progress and no logs of other requests",
    mutants=("listen.carries-progress", "listen.carries-logs"),
    isolation=Isolation.SESSION,
)
async def subscriptions_carry_no_progress(lab: McpLab) -> None:
    """A call that reports its progress and one that logs, where they can be played, while a subscription is open."""
    async with lab.session() as session:
        subscription = await subscribed(lab, session, EVERY_LIST)
        roles = playable(lab, Role.PROGRESS, Role.LOGS)
        if Role.PROGRESS in roles:
            work = await reports(lab)
            await performed(lab, session, work, token=f"of-{work.key}")
        if Role.LOGS in roles:
            logs = await lab.effects.plan(Role.LOGS)
            await answered(lab, await logging_call(session, logs, "debug"), logs)
        await settled(lab, session)
        scoped = [(stream, m) for stream, m in session.received if m.method in (PROGRESS, LOG)]
    if not scoped:
        lab.inconclusive(Reason.STIMULUS_FAILED, "neither progress nor a log message came", subscription.sent)
    astray = [m for stream, m in scoped if stream is subscription or tag(m) is not None]
    lab.expect(expect.silent(astray, "no progress and no log message of a call"))


IDLE = 16.0
"""Seconds that a subscription is left alone: more than the usual interval of keep-alive comments."""


@check(
    "mcp.dup.listen-sse-comments-ok",
    "An idle subscription is kept alive by comments, not by messages",
    mutants=("listen.pings-as-events",),
    isolation=Isolation.SESSION,
    patience=16.0,
)
async def idle_subscriptions_hear_comments(lab: McpLab) -> None:
    """A subscription to nothing that changes is left alone for a while: it stays open, and only comments come."""
    async with lab.session() as session:
        subscription = await subscribed(lab, session, {"promptsListChanged": True})
        known = len(subscription.events)
        await lab.quiet(IDLE)
        later = subscription.events[known:]
        data = [event for event in later if event.data is not None]
        still = subscription.ending is Ending.OPEN
    lab.note(f"{len(later) - len(data)} comments in {IDLE:.0f} s", subscription.sent)
    actual = [event.data for event in data] if still else f"the stream ended: {subscription.why or subscription.ending}"
    records = (subscription.sent, *(event.record for event in data))
    lab.expect(expect.that(still and not data, "an open stream with comments only", actual, *records))


@check(
    "mcp.dup.listen-graceful-end",
    "A server that ends a subscription answers the listen request first",
    needs={Feature.PROCESS},
    mutants=("listen.dropped-at-the-end",),
    isolation=Isolation.PROCESS,
    patience=5.0,
)
async def subscriptions_end_with_an_answer(lab: McpLab) -> None:
    """SIGTERM while a subscription is open: its request is answered, or a cancellation names it."""
    async with lab.session() as session:
        subscription = await subscribed(lab, session, EVERY_LIST)
        _terminate(lab, session)
        ended = await subscription.finished(lab.tempo.scaled(5.0))
        outcome = await subscription.outcome(0.0)
        cancelled = [m for m in session.heard("notifications/cancelled") if _names(m, subscription)]
    if not (ended or subscription.responses or cancelled):
        lab.inconclusive(Reason.STIMULUS_FAILED, "5 s after SIGTERM the subscription was still open", outcome)
    good = bool(cancelled) or (isinstance(outcome, Answer) and _closing(outcome.result, subscription))
    lab.expect(expect.that(good, "a result with resultType complete and the subscription's id", outcome, outcome))


def _terminate(lab: McpLab, session: Session) -> None:
    if lab.over_http:
        assert lab.server is not None and lab.server.process is not None
        lab.server.process.send_signal(signal.SIGTERM)
    else:
        session.stdio.signal(signal.SIGTERM)


def _names(cancellation: Message, subscription: Exchange) -> bool:
    return same_id(cancellation.params.get("requestId"), subscription.request_id)


def _closing(result: Any, subscription: Exchange) -> bool:
    """The result that ends a subscription: complete, and tagged with its id."""
    closing = Message({"params": result}, 0)
    return isinstance(result, dict) and result.get("resultType") == "complete" and carries(subscription, closing)
