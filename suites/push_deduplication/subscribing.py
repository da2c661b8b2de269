"""subscriptions/listen (2026-07-28): opening one, and what may come on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial import AUTO, SUBSCRIPTION_ID, Ending, Exchange, Lab, Message, Reason, Refusal, Session, codes, same_id

from .changing import covers, uri_of

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
FULL: Mapping[str, Any] = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
"""Every kind of a list."""

KINDS = {f"notifications/{kind}/list_changed": f"{kind}ListChanged" for kind in ("tools", "prompts", "resources")}


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
    lab: Lab, session: Session, filter: Mapping[str, Any], *, id: Any = AUTO, optional: bool = False
) -> Exchange:
    """A subscription that was acknowledged. NOT_APPLICABLE where the server has none, unless `optional`."""
    subscription = await opened(session, filter, id=id)
    if not acknowledgement(subscription) and not optional:
        outcome = await subscription.outcome(0.0)
        if isinstance(outcome, Refusal) and outcome.code == codes.METHOD_NOT_FOUND:
            lab.not_applicable("the server has no subscriptions", outcome)
        lab.inconclusive(Reason.STIMULUS_FAILED, "a subscription was not acknowledged", outcome)
    return subscription


def tag(message: Message) -> Any:
    """The subscription that a message names, None without one."""
    meta = message.params.get("_meta")
    return meta.get(SUBSCRIPTION_ID) if isinstance(meta, dict) else None


def unasked(subscription: Exchange, filter: Mapping[str, Any]) -> list[Message]:
    """What came on a subscription although its filter does not ask for it."""
    return [message for message in told(subscription) if not _asked(message, filter)]


def told(subscription: Exchange) -> list[Message]:
    """The notifications of a subscription after its acknowledgement."""
    return [m for m in subscription.messages if m.method is not None and m.method != ACKNOWLEDGED]


def _asked(message: Message, filter: Mapping[str, Any]) -> bool:
    if message.method == "notifications/resources/updated":
        uris: Sequence[str] = filter.get("resourceSubscriptions", ())
        return covers(uris, uri_of(message))
    return bool(filter.get(KINDS.get(str(message.method), "")))


def carries(subscription: Exchange, message: Message) -> bool:
    """Does a message name this subscription, in value and JSON type?"""
    return same_id(tag(message), subscription.request_id)
