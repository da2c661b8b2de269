"""The errors of A2A by name, with the numbers that each version and binding gives them (1.0: 5.4; 0.3: 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...wire.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR

DOMAIN = "a2a-protocol.org"


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One error: its JSON-RPC code, its reason in an ErrorInfo ("" outside A2A's own), its HTTP status per release."""

    name: str
    code: int
    reason: str
    status: Mapping[str, int]
    canonical: str
    """The google.rpc name that goes with the status of release 1.0.1."""


def _row(name: str, code: int, reason: str, newest: int, canonical: str, oldest: int | None = None) -> ErrorRow:
    return ErrorRow(name, code, reason, {"1.0.0": oldest or newest, "1.0.1": newest}, canonical)


FAILED_PRECONDITION = "FAILED_PRECONDITION"

ERRORS: Mapping[str, ErrorRow] = {
    row.name: row
    for row in (
        _row("TaskNotFound", -32001, "TASK_NOT_FOUND", 404, "NOT_FOUND"),
        _row("TaskNotCancelable", -32002, "TASK_NOT_CANCELABLE", 400, FAILED_PRECONDITION, 409),
        _row("PushNotificationNotSupported", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", 400, FAILED_PRECONDITION),
        _row("UnsupportedOperation", -32004, "UNSUPPORTED_OPERATION", 400, FAILED_PRECONDITION),
        _row("ContentTypeNotSupported", -32005, "CONTENT_TYPE_NOT_SUPPORTED", 400, "INVALID_ARGUMENT", 415),
        _row("InvalidAgentResponse", -32006, "INVALID_AGENT_RESPONSE", 500, "INTERNAL", 502),
        _row("ExtendedAgentCardNotConfigured", -32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", 400, FAILED_PRECONDITION),
        _row("ExtensionSupportRequired", -32008, "EXTENSION_SUPPORT_REQUIRED", 400, FAILED_PRECONDITION),
        _row("VersionNotSupported", -32009, "VERSION_NOT_SUPPORTED", 400, FAILED_PRECONDITION),
        _row("ParseError", PARSE_ERROR, "", 400, "INVALID_ARGUMENT"),
        _row("InvalidRequest", INVALID_REQUEST, "", 400, "INVALID_ARGUMENT"),
        _row("MethodNotFound", METHOD_NOT_FOUND, "", 404, "NOT_FOUND"),
        _row("InvalidParams", INVALID_PARAMS, "", 400, "INVALID_ARGUMENT"),
        _row("InternalError", INTERNAL_ERROR, "", 500, "INTERNAL"),
    )
}

BY_CODE = {row.code: row for row in ERRORS.values()}
BY_REASON = {row.reason: row for row in ERRORS.values() if row.reason}
EARLY_NAMES = {-32007: "AuthenticatedExtendedCardNotConfigured"}
"""Codes whose error has another name in 0.3; -32008 and -32009 do not exist there."""
