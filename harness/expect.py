"""The expectation vocabulary: each function gives the violation that it finds, or None."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from .model import Violation
from .protocols.outcome import Accepted, Answer, Ending, Lost, Outcome, Refusal


def that(
    holds: bool, expected: str, actual: object, *evidence: Outcome | int | None, soft: bool = False
) -> Violation | None:
    """The general case: a sentence of what is right, and what was seen instead."""
    return None if holds else Violation(expected, shown(actual), cited(*evidence), soft=soft)


def answered(outcome: Outcome, what: str = "the request is served") -> Violation | None:
    """A result came back."""
    return that(isinstance(outcome, Answer), what, outcome, outcome)


def responded(outcome: Outcome, what: str = "the request gets a response") -> Violation | None:
    """A result or an error came back: not silence, not a broken stream."""
    return that(isinstance(outcome, Answer | Refusal), what, outcome, outcome)


def refused(
    outcome: Outcome,
    codes: Collection[int] = (),
    *,
    statuses: Collection[int] = (),
    soft_codes: Collection[int] = (),
    soft: bool = False,
    what: str = "",
) -> Violation | None:
    """The request was refused: with one of `codes` where given, over HTTP with one of `statuses` where given.

    A code of `soft_codes` is a soft violation. Without `codes` every refusal passes.
    """
    expected = what or _wanted(codes, statuses)
    if not isinstance(outcome, Refusal):
        return Violation(expected, shown(outcome), cited(outcome), soft=soft)
    status = outcome.reply.status
    if statuses and status is not None and status not in statuses:
        return Violation(expected, shown(outcome), cited(outcome), soft=soft)
    if not codes or outcome.code in codes:
        return None
    return Violation(expected, shown(outcome), cited(outcome), soft=soft or outcome.code in soft_codes)


def _wanted(codes: Collection[int], statuses: Collection[int]) -> str:
    parts = [f"error {' or '.join(map(str, codes))}"] if codes else ["a refusal"]
    parts += [f"HTTP status {' or '.join(map(str, statuses))}"] if statuses else []
    return " with ".join(parts)


def accepted(outcome: Outcome) -> Violation | None:
    """Streamable HTTP: a notification or response is answered with 202 and an empty body."""
    good = isinstance(outcome, Accepted) and outcome.reply.status == 202 and not outcome.reply.body
    return that(good, "HTTP status 202 without a body", outcome, outcome)


def silent(messages: Iterable[Any], what: str) -> Violation | None:
    """None of these messages should have come. Each has a `payload` and a `record`."""
    found = list(messages)
    heard = "; ".join(shown(message.payload) for message in found[:3])
    return that(not found, what, f"{len(found)} came: {heard}", *(message.record for message in found[:20]))


def cited(*evidence: Outcome | int | None) -> tuple[int, ...]:
    """The record numbers of some outcomes and numbers, each once, in order."""
    numbers: list[int] = []
    for item in evidence:
        numbers += [item] if isinstance(item, int) else item.records if item is not None else ()
    return tuple(dict.fromkeys(number for number in numbers if number))


def shown(value: object, limit: int = 300) -> str:
    """A value of the target in one line, shortened; outcomes as a reader wants them."""
    text = _told(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def _told(value: object) -> str:
    match value:
        case str():
            return value
        case Answer():
            return f"a result: {_json(value.result)}{_status(value)}"
        case Refusal(code=None):
            return f"{value.text} with body {value.reply.body[:200]!r}" if value.reply.body else value.text
        case Refusal():
            return f"error {value.code} {value.text!r}{_status(value)}"
        case Lost(ending=Ending.OPEN):
            return f"{value.why}: no response{_status(value)}"
        case Lost():
            return f"no response: {value.why}{_status(value)}"
        case Accepted():
            return f"HTTP status {value.reply.status} and no JSON-RPC response"
        case _:
            return _json(value)


def _status(outcome: Outcome) -> str:
    return f" (HTTP status {outcome.reply.status})" if outcome.reply.status is not None else ""


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)
