"""Judges of error objects: their shape, their codes, their ids, and what their texts give away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..claims import Spoken
from ..model import Violation
from ..protocols.mcp import codes
from ..transcript import Record
from .operations import Histories, Operation, header, operations, said, untouched
from .traffic import Asked, Heard, Judgement, asked, heard, key, mapping

LEGACY_CODES = frozenset({codes.RESOURCE_NOT_FOUND, codes.URL_ELICITATION_REQUIRED})
"""Codes of older revisions, not to be used from 2026-07-28 on (basic/index#error-codes)."""

PROTOCOL_RANGE = range(-32099, -32019)
DEFINED_CODES = frozenset({codes.HEADER_MISMATCH, codes.MISSING_CAPABILITY, codes.UNSUPPORTED_VERSION})
"""The range that 2026-07-28 reserves for the protocol, and what it defines there."""

LEGACY_BAND = range(-32019, -31999)
"""The band that implementations are asked to stay out of."""

BEFORE_THE_BODY = frozenset({401, 403, 405, 406, 413, 415, 421, 429})
"""HTTP statuses that a server may decide on without reading the body, so that it need not know the id."""

LEAKS: dict[str, re.Pattern[str]] = {
    "a stack trace": re.compile(
        r"Traceback \(most recent call last\)|^\s+at [\w.$<>\[\] ]+\(.*?:\d+(:\d+)?\)|^\s*File \"[^\"]+\", line \d+"
        r"|goroutine \d+ \[|panicked at ",
        re.MULTILINE,
    ),
    "a path of the server": re.compile(
        r"(?<![\w/:.])(/(home|usr|var|opt|srv|root|Users|app)/[\w.-]+/|[A-Z]:\\\\?\w+\\)"
    ),
    "a secret": re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(AKIA[0-9A-Z]{16}|gh[pousr]_\w{30,}|sk-[\w-]{20,})"
        r"|(?i:password|passwd|secret|api[_-]?key)\s*[=:]\s*\S+"
    ),
}
"""What a text must not contain, by the name used in a finding."""


def error_object(payload: Any) -> str:
    """What is wrong with the error of a response, empty when it is well formed (JSON-RPC 2.0 section 5.1)."""
    error = payload.get("error")
    if not isinstance(error, dict):
        return f"error is {type(error).__name__}, not an object"
    code = error.get("code")
    if not isinstance(code, int | float) or isinstance(code, bool) or code != code // 1:
        return f"code is {code!r:.80}, not an integer"
    if not isinstance(error.get("message"), str):
        return f"message is {error.get('message')!r:.80}, not a string"
    return "a result stands beside the error" if "result" in payload else ""


def leaks(text: str) -> list[str]:
    """What a text gives away: names of LEAKS."""
    return [name for name, pattern in LEAKS.items() if pattern.search(text)]


def no_leak(payload: Any, record: int) -> Violation | None:
    """The texts of a message, at any depth, show no insides of the server."""
    if found := sorted({name for text in _texts(payload) for name in leaks(text)}):
        return Violation("an error tells nothing of the server's insides", f"it shows {', '.join(found)}", (record,))
    return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def error_shape(histories: Histories, spoken: Spoken) -> Judgement:
    """Every error of the run is well formed. `seen` counts the errors."""
    return _over_errors(
        histories,
        spoken,
        lambda message: error_object(message.payload),
        "an error has an integer code and a string message, and no result beside it",
    )


def no_legacy_codes(histories: Histories, spoken: Spoken) -> Judgement:
    """Neither -32002 nor -32042 in a modern exchange. `seen` counts the errors of modern exchanges."""
    return _over_codes(histories, spoken, lambda code: code in LEGACY_CODES, "no error code of an older revision")


def no_undefined_reserved_codes(histories: Histories, spoken: Spoken) -> Judgement:
    """Of the reserved range only what the specification defines. `seen` counts as in no_legacy_codes."""
    return _over_codes(
        histories,
        spoken,
        lambda code: code in PROTOCOL_RANGE and code not in DEFINED_CODES,
        "of the codes -32099 to -32020 only -32020, -32021 and -32022",
    )


def new_codes_outside_legacy_band(histories: Histories, spoken: Spoken) -> Judgement:
    """No code between -32019 and -32000; the codes of older revisions are judged by no_legacy_codes."""
    return _over_codes(
        histories,
        spoken,
        lambda code: code in LEGACY_BAND and code not in LEGACY_CODES,
        "no error code between -32019 and -32000",
    )


def _over_codes(histories: Histories, spoken: Spoken, forbidden: Callable[[int], bool], expected: str) -> Judgement:
    def fault(message: Heard) -> str:
        code = mapping(message.payload, "error").get("code")
        return f"code {code}" if isinstance(code, int) and forbidden(code) else ""

    return _over_errors(histories, spoken, fault, expected, only=spoken.version)


def _over_errors(
    histories: Histories, spoken: Spoken, fault: Callable[[Heard], str], expected: str, only: str = ""
) -> Judgement:
    errors = [
        message
        for history in untouched(histories)
        for message in heard(history, spoken.version)
        if isinstance(message.payload, dict) and "error" in message.payload and (not only or message.version == only)
    ]
    found = [Violation(expected, actual, (error.record,)) for error in errors if (actual := fault(error))]
    return Judgement(len(errors), tuple(found))


def error_id_when_readable(histories: Histories, spoken: Spoken) -> Judgement:
    """A JSON-RPC error in a 4xx answer to a well-formed request carries the id of that request.

    An id that is absent or null is no finding where the status can be decided before the body is read. It is a soft
    one with 404, which may be the path's, in the older era, whose transport pages allow a rejection without an id,
    and under another version header, for then the server may take the request for one of that era.

    `seen` counts such errors.
    """
    pairs = [pair for history in untouched(histories) for pair in _refused(history, spoken)]
    found = [finding for request, error in pairs if (finding := _wrong_id(*request, error, spoken.version))]
    return Judgement(len(pairs), tuple(found))


def _refused(history: Sequence[Record], spoken: Spoken) -> Iterator[tuple[tuple[Operation, Asked], Heard]]:
    refused = (operation for operation in operations(history) if 400 <= (operation.code or 0) < 500)
    by_name = {operation.name: operation for operation in refused if not _sent_a_batch(operation)}
    requests: dict[str, list[Asked]] = {}
    for message in asked(history):
        requests.setdefault(message.operation, []).append(message)
    for error in heard(history, spoken.version):
        sent = requests.get(error.operation, [])
        if error.operation in by_name and "error" in mapping(error.payload) and len(sent) == 1 and is_request(sent[0]):
            yield (by_name[error.operation], sent[0]), error


def _sent_a_batch(operation: Operation) -> bool:
    """An array that is refused as a whole has no id of its own."""
    return any(isinstance(said(record), list) for record in operation.sent)


def is_request(message: Asked) -> bool:
    """Whether a sent message is a well-formed request: JSON-RPC with params that are an object, if any."""
    request_id = message.payload.get("id")
    well_typed = isinstance(request_id, str | int) and not isinstance(request_id, bool)
    called = isinstance(message.payload.get("method"), str) and isinstance(message.payload.get("params", {}), dict)
    return well_typed and message.payload.get("jsonrpc") == "2.0" and called


def _wrong_id(operation: Operation, request: Asked, error: Heard, version: str) -> Violation | None:
    request_id = request.payload["id"]
    given = error.payload.get("id")
    if key(given) == key(request_id) or (given is None and operation.code in BEFORE_THE_BODY):
        return None
    misplaced = header(operation.sent, "mcp-protocol-version") != version
    soft = given is None and (operation.code == 404 or version < "2026-07-28" or misplaced)
    actual = f"id {given!r:.80}" if "id" in error.payload else "no id"
    return Violation(f"the error carries id {request_id!r:.80}", actual, (request.record, error.record), soft=soft)
