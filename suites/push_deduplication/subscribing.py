"""What may come on a subscription (2026-07-28)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial import Exchange, Message, same_id

from ..subscriptions import ACKNOWLEDGED, tag
from .changing import covers, uri_of

KINDS = {f"notifications/{kind}/list_changed": f"{kind}ListChanged" for kind in ("tools", "prompts", "resources")}


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
