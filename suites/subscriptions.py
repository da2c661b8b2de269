"""subscriptions/listen (2026-07-28): how a subscription is opened, and what names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial import AUTO, SUBSCRIPTION_ID, Ending, Exchange, McpLab, Message, Outcome, Reason, Refusal, Session, codes

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
TOOLS_CHANGED = "notifications/tools/list_changed"

TOOLS: Mapping[str, Any] = {"toolsListChanged": True}
EVERY_LIST: Mapping[str, Any] = {**TOOLS, "promptsListChanged": True, "resourcesListChanged": True}
"""Filters: what a subscription asks for."""


def acknowledgement(subscription: Exchange) -> Message | None:
    return next(iter(subscription.notifications(ACKNOWLEDGED)), None)


async def opened(session: Session, filter: Mapping[str, Any], *, id: Any = AUTO) -> Exchange:
    """Ask for a subscription, and wait until it is acknowledged, or ended or refused instead."""
    return await acknowledged(await session.listen(filter, id=id))


async def acknowledged(subscription: Exchange) -> Exchange:
    """Wait until a subscription is acknowledged, or ended or refused instead, or time is up."""
    await subscription.until(lambda x: acknowledgement(x) or x.responses or x.ending is not Ending.OPEN or None)
    return subscription


async def subscribed(
    lab: McpLab, session: Session, filter: Mapping[str, Any], *, id: Any = AUTO, optional: bool = False
) -> Exchange:
    """A subscription that was acknowledged. NOT_APPLICABLE where the server has none, unless `optional`."""
    subscription = await opened(session, filter, id=id)
    if not acknowledgement(subscription) and not optional:
        outcome = await subscription.outcome(0.0)
        must_be_offered(lab, outcome)
        lab.inconclusive(Reason.STIMULUS_FAILED, "a subscription was not acknowledged", outcome)
    return subscription


def must_be_offered(lab: McpLab, outcome: Outcome) -> None:
    """NOT_APPLICABLE where subscriptions/listen was refused as an unknown method."""
    if isinstance(outcome, Refusal) and outcome.code == codes.METHOD_NOT_FOUND:
        lab.not_applicable("the server has no subscriptions", outcome)


def tag(message: Message) -> Any:
    """The subscription that a message names, None without one."""
    meta = message.params.get("_meta")
    return meta.get(SUBSCRIPTION_ID) if isinstance(meta, dict) else None
