"""How an HTTP+JSON exchange ends: what JSON-RPC says in its envelope is said here by the status and the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..exchange import Exchange
from ..outcome import Answer, Ending, Lost, Message, Outcome, Refusal
from .errors import BY_REASON, ERRORS

_BY_STATUS = {"INVALID_ARGUMENT": "InvalidParams", "INTERNAL": "InternalError"}
"""Canonical status of an error without an ErrorInfo -> what it is over JSON-RPC."""


def settled(exchange: Exchange) -> Outcome | None:
    """The end of an HTTP+JSON call; None while there is none. A stream is answered by its first event, be it an
    error."""
    status = exchange.reply.status
    streams = exchange.reply.media_type == "text/event-stream"
    if exchange.ending is Ending.OPEN and not (streams and exchange.messages):
        return None
    records = (exchange.sent, exchange.messages[0].record if exchange.messages else exchange.end)
    if status is None or (exchange.ending not in (Ending.OPEN, Ending.CLOSED) and not exchange.messages):
        return Lost(exchange.ending, exchange.why or "no answer came", records, exchange.reply)
    if status >= 300 or (streams and exchange.messages and error_of(exchange.messages[0].payload)):
        return refusal(exchange, records)
    if exchange.messages:
        return Answer(exchange.messages[0].payload, exchange.messages[0], records, exchange.reply)
    if not exchange.reply.body and not streams:
        return Answer({}, Message({}, records[-1]), records, exchange.reply)
    return Lost(exchange.ending, "the body is no JSON", records, exchange.reply)


def refusal(exchange: Exchange, records: tuple[int, ...]) -> Refusal:
    """An HTTP error with the A2A code that its ErrorInfo names (11.6); None where it names none."""
    message = exchange.messages[0] if exchange.messages else None
    error = error_of(message.payload if message else None)
    text = error.get("message")
    said = text if isinstance(text, str) else f"HTTP {exchange.reply.status}"
    return Refusal(code_of(error), said, error.get("details"), records, exchange.reply, message)


def error_of(payload: Any) -> Mapping[str, Any]:
    """The google.rpc.Status in an error body, or the error object of JSON-RPC, which 0.3 leaves open; else empty."""
    if not isinstance(payload, Mapping):
        return {}
    found = payload.get("error")
    if isinstance(found, Mapping):
        return found
    return payload if _jsonrpc_code(payload) else {}


def _jsonrpc_code(error: Mapping[str, Any]) -> int | None:
    """What cannot be an HTTP status."""
    code = error.get("code")
    return code if isinstance(code, int) and code < 0 else None


def code_of(error: Mapping[str, Any]) -> int | None:
    """The JSON-RPC code of the same error, by its reason, else by its canonical status, else as it says itself."""
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        reason = detail.get("reason") if isinstance(detail, Mapping) else None
        if isinstance(reason, str) and reason in BY_REASON:
            return BY_REASON[reason].code
    name = _BY_STATUS.get(str(error.get("status")))
    return ERRORS[name].code if name else _jsonrpc_code(error)
