"""Whether a refusal is the one that the specification names, in any version, binding and release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...claims import Spoken
from ...expect import cited, shown
from ...model import Violation
from ...protocols.a2a.errors import BY_CODE, DOMAIN, ERRORS, ErrorRow
from ...protocols.a2a.versions import HTTP_JSON, V03
from ...protocols.outcome import Ending, Lost, Outcome, Refusal

_NOT_IMPLEMENTED = frozenset({"UnsupportedOperation", "PushNotificationNotSupported"})
"""Errors for which HTTP has a status of its own, 501, that 0.3 does not exclude."""

NAMES = frozenset(f"{name}Error" for name in ERRORS)
"""As the specification spells them in full."""


def refused(spoken: Spoken, outcome: Outcome, *names: str, soft: bool = False) -> Violation | None:
    """The request was refused with one of these errors (1.0: 5.4; 0.3: 8), named as in 1.0; without names: with any.

    0.3 tabulates no HTTP statuses: there only the class counts (404 for what is not found, else another 4xx). In 1.0
    the status of the other release passes too (`by_other_release` tells), and so does HTTP+JSON without an ErrorInfo
    where the status fits: that an ErrorInfo is missing is a requirement of its own.
    """
    expected = f"a refusal: {' or '.join(names) or 'any error'}"
    if not isinstance(outcome, Refusal):
        return Violation(expected, shown(outcome), cited(outcome), soft=soft)
    if not names or any(_fits(spoken, outcome, ERRORS[name]) for name in names):
        return None
    return Violation(expected, shown(outcome), cited(outcome), soft=soft)


def broken_off(outcome: Outcome) -> bool:
    """A stream that was opened and torn before its first event: nothing was served, and the refusal was told badly. How
    a stream is refused has a row of its own."""
    torn = isinstance(outcome, Lost) and outcome.ending in (Ending.TORN, Ending.RESET)
    return torn and outcome.reply.media_type == "text/event-stream"


def _fits(spoken: Spoken, outcome: Refusal, row: ErrorRow) -> bool:
    if spoken.binding != HTTP_JSON:
        return outcome.code == row.code
    status = outcome.reply.status or 0
    if spoken.version == V03:
        return _fits_class(row, status)
    known = outcome.code is None or outcome.code == row.code
    return known and status in row.status.values()


def _fits_class(row: ErrorRow, status: int) -> bool:
    if row.name == "TaskNotFound":
        return status == 404
    return 400 <= status < 500 or status == row.status["1.0.1"] or (status == 501 and row.name in _NOT_IMPLEMENTED)


def named(spoken: Spoken, outcome: Outcome) -> str:
    """The error that a refusal is, as 1.0 names it; "" where it names none, and for what is no refusal."""
    if not isinstance(outcome, Refusal):
        return ""
    return BY_CODE[outcome.code].name if outcome.code in BY_CODE else ""


def by_other_release(spoken: Spoken, outcome: Outcome) -> Iterator[str]:
    """What is right by another release of 1.0 than the one that the agent is judged by, as a note."""
    name = named(spoken, outcome)
    status = outcome.reply.status if isinstance(outcome, Refusal) else None
    wanted = ERRORS[name].status.get(spoken.release) if name else None
    if spoken.binding == HTTP_JSON and wanted and status in ERRORS[name].status.values() and status != wanted:
        yield f"{name} came with HTTP status {status}; release {spoken.release} has {wanted}"


def informed(outcome: Outcome, name: str) -> Violation | None:
    """The refusal has an ErrorInfo that names this error, in `data` or `details` (1.0: 9.5, 11.6)."""
    reason, data = ERRORS[name].reason, outcome.data if isinstance(outcome, Refusal) else None
    if any(_is_info(detail, reason) for detail in (data if isinstance(data, list) else ())):
        return None
    expected = f"{name}: an ErrorInfo with the reason {reason} and the domain {DOMAIN}"
    return Violation(expected, f"{data!r:.300}", cited(outcome))


def _is_info(detail: Any, reason: str) -> bool:
    known = detail if isinstance(detail, Mapping) else {}
    named = str(known.get("@type", "")).endswith("google.rpc.ErrorInfo")
    return named and (known.get("reason"), known.get("domain")) == (reason, DOMAIN)


def differing(one: tuple[Spoken, Outcome], other: tuple[Spoken, Outcome]) -> Violation | None:
    """Two bindings met the same condition, and say that it is two different errors, or none on one of them.

    Where neither names its error by code or reason there is nothing to compare but that both refuse.
    """
    expected = "the same error on both bindings"
    found = Violation(expected, f"{shown(one[1])} and {shown(other[1])}", cited(one[1], other[1]))
    if isinstance(one[1], Refusal) != isinstance(other[1], Refusal):
        return found
    exact, loose = sorted((one, other), key=lambda pair: pair[0].binding == HTTP_JSON)
    name = named(*exact) or named(*loose)
    fits = not name or all(refused(spoken, outcome, name) is None for spoken, outcome in (one, other))
    return None if fits else found
