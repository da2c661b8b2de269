"""Judges of progress: it increases, it names the token that was given, and it ends with its request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..model import Violation
from ..protocols.exchange import is_response
from ..protocols.outcome import Message
from .notation import is_number
from .traffic import key


def reports(messages: Iterable[Message]) -> list[Message]:
    """The progress notifications."""
    return [message for message in messages if message.method == "notifications/progress"]


def progress_increases(messages: Sequence[Message]) -> Violation | None:
    """Within each token every value is a number greater than the one before it."""
    last: dict[tuple[str, str], Message] = {}
    for report in reports(messages):
        token = key(report.params.get("progressToken"))
        before = last.get(token)
        if not is_number(report.params.get("progress")):
            return Violation("progress is a number", repr(report.params.get("progress"))[:80], (report.record,))
        if before and report.params["progress"] <= before.params["progress"]:
            actual = f"{report.params['progress']} after {before.params['progress']}"
            return Violation("progress increases with every notification", actual, (before.record, report.record))
        last[token] = report
    return None


def progress_names(messages: Sequence[Message], tokens: Iterable[Any]) -> Violation | None:
    """Every report carries one of the tokens, equal in value and in JSON type."""
    given = list(tokens)
    allowed = {key(token) for token in given}
    foreign = [report for report in reports(messages) if key(report.params.get("progressToken")) not in allowed]
    if not foreign:
        return None
    actual = ", ".join(sorted({repr(report.params.get("progressToken"))[:80] for report in foreign}))
    expected = f"progressToken is one of {', '.join(map(repr, given))}" if given else "no progress without a token"
    return Violation(expected, f"progressToken {actual}", tuple(report.record for report in foreign))


def progress_ends(messages: Sequence[Message], token: Any, request_id: Any) -> Violation | None:
    """No report for the token follows the response to the request."""
    answered = False
    for message in messages:
        if is_response(message) and key(message.payload.get("id")) == key(request_id):
            answered = True
        elif answered and reports([message]) and key(message.params.get("progressToken")) == key(token):
            return Violation("progress stops with the response", "a report after the response", (message.record,))
    return None
