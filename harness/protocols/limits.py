"""How a server of HTTP says that it is asked too often."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

BRIEF = 1.0
"""Seconds of rest where a target asks for one and does not say how long."""


def rest(status: int, headers: Iterable[tuple[str, str]], now: datetime | None = None) -> float | None:
    """The seconds for which a response asks us to wait before we ask again; None where it asks for nothing.

    Status 429 (RFC 6585, 4) asks for it in any case, 503 with a Retry-After (RFC 9110, 10.2.3) only.
    """
    value = next((value for name, value in headers if name.lower() == "retry-after"), None)
    if status == 429:
        return _seconds(value or "", now) if value else BRIEF
    return _seconds(value, now) if status == 503 and value else None


def _seconds(value: str, now: datetime | None) -> float:
    """A number of seconds, or the time until a date; what is neither is brief."""
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return BRIEF
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
