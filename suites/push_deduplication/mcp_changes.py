"""MCP: changes of lists and resources, told once and only to those who asked (2024-11-05 to 2025-11-25)."""

from __future__ import annotations

from collections import Counter

from seatrial import Feature, Isolation, McpLab, Reason, Role, check, expect

from ..subscriptions import TOOLS_CHANGED
from .changing import changed, covers, subscribe, uri_of, watchable
from .hearing import attentive, performed, settled

SUBSCRIBABLE: set[Role | Feature] = {Role.MUTATE_RESOURCE, Feature.SUBSCRIBE}


@check(
    "mcp.dup.listchanged-once",
    "One change of the tools gives one list_changed per session",
    needs={Role.MUTATE_TOOLS, Feature.TOOLS_LIST_CHANGED},
    mutants=("changes.announced-twice", "changes.unannounced"),
    isolation=Isolation.PROCESS,
)
async def list_changes_are_told_once(lab: McpLab) -> None:
    """The tools are changed once: the session that did it hears of it once; another session, at most once."""
    play = await lab.effects.plan(Role.MUTATE_TOOLS)
    async with attentive(lab) as session, attentive(lab) as other:
        exchange = await performed(lab, session, play)
        await settled(lab, session, play)
        own, theirs = session.heard(TOOLS_CHANGED), other.heard(TOOLS_CHANGED)
    counted = f"{len(own)} in the session that made the change, {len(theirs)} in another"
    records = (message.record for message in (*own, *theirs))
    once = len(own) == 1 and len(theirs) <= 1
    lab.expect(expect.that(once, "one list_changed per session", counted, exchange.sent, *records))


@check(
    "mcp.dup.updated-only-subscribed",
    "Updates are sent for subscribed resources only",
    needs=SUBSCRIBABLE,
    mutants=("updates.for-everybody", "updates.any-subscription-counts"),
    isolation=Isolation.SESSION,
)
async def updates_need_a_subscription(lab: McpLab) -> None:
    """Which resources the mutator changes is found out by subscribing to all. Then a session without subscriptions,
    and one that subscribed to another resource only, must not hear of the same change."""
    async with attentive(lab) as session:
        uris = await subscribe(lab, session, await watchable(lab, session))
        updates = await changed(lab, session)
        astray = [update for update in updates if not covers(uris, uri_of(update))]
        lab.expect(expect.silent(astray, "updates of subscribed resources only"))
    moved = {uri_of(update) for update in updates}
    if not moved:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no update came although every resource was subscribed to")
    others = [uri for uri in uris if not any(covers([uri], changed) for changed in moved)][:1]
    async with attentive(lab) as session:
        lab.expect(expect.silent(await changed(lab, session), "no update without a subscription"))
        if others:
            await subscribe(lab, session, others)
            astray = [u for u in await changed(lab, session) if not covers(others, uri_of(u))]
            lab.expect(expect.silent(astray, f"no update of another resource than {others[0]}"))


@check(
    "mcp.dup.unsubscribe-stops",
    "No update is sent after unsubscribe",
    needs=SUBSCRIBABLE,
    mutants=("updates.after-unsubscribe",),
    isolation=Isolation.SESSION,
)
async def unsubscribing_ends_the_updates(lab: McpLab) -> None:
    """A resource is changed while it is subscribed to, which brings an update, and again after unsubscribing."""
    async with attentive(lab) as session:
        uris = await subscribe(lab, session, await watchable(lab, session))
        if not await changed(lab, session):
            lab.inconclusive(Reason.STIMULUS_FAILED, "no update came although every resource was subscribed to")
        for uri in uris:
            lab.need(await session.request("resources/unsubscribe", {"uri": uri}), "resources/unsubscribe")
        await settled(lab, session)
        lab.expect(expect.silent(await changed(lab, session), "no update after unsubscribe"))


@check(
    "mcp.dup.subscribe-idempotent",
    "Subscribing twice does not double the updates",
    needs=SUBSCRIBABLE,
    mutants=("updates.doubled",),
    isolation=Isolation.PROCESS,
)
async def subscribing_twice_counts_once(lab: McpLab) -> None:
    """A resource is changed while it is subscribed to once, and again while it is subscribed to twice: not more
    updates than before."""
    async with attentive(lab) as session:
        uris = await subscribe(lab, session, await watchable(lab, session))
        once = Counter(uri_of(update) for update in await changed(lab, session))
        await subscribe(lab, session, uris)
        updates = await changed(lab, session)
    twice = Counter(uri_of(update) for update in updates)
    if not once:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no update came although every resource was subscribed to")
    records = (update.record for update in updates)
    more = any(twice[uri] > once[uri] for uri in once)
    lab.expect(expect.that(not more, f"no more updates than {dict(once)}", dict(twice), *records))
