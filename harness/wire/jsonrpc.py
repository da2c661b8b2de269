"""JSON-RPC 2.0 messages: what a decoded value is, and how to build one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Json

Id = str | int | float | None

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


@dataclass(frozen=True, slots=True)
class Request:
    """A call that expects an answer. `value` is the whole message, here and below."""

    id: Id
    method: str
    params: Json
    value: Json


@dataclass(frozen=True, slots=True)
class Notification:
    method: str
    params: Json
    value: Json


@dataclass(frozen=True, slots=True)
class Response:
    """An answer with a result."""

    id: Id
    result: Json
    value: Json


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """An answer with an error. `id` is None when the peer could not tell which request failed."""

    id: Id
    code: int
    message: str
    data: Json
    value: Json


@dataclass(frozen=True, slots=True)
class Batch:
    items: tuple[Message, ...]
    value: Json


@dataclass(frozen=True, slots=True)
class Invalid:
    """No JSON-RPC message, and why."""

    why: str
    value: Json


Message = Request | Notification | Response | ErrorResponse | Batch | Invalid


def classify(value: Json) -> Message:
    """What a decoded JSON value is. Never raises."""
    if isinstance(value, list):
        return Batch(tuple(map(_single, value)), value) if value else Invalid("an empty batch", value)
    return _single(value)


def _single(value: Json) -> Message:
    if not isinstance(value, dict):
        return Invalid(f"a {_kind(value)}, not an object", value)
    if value.get("jsonrpc") != "2.0":
        return Invalid('jsonrpc is not "2.0"', value)
    if not {"method", "result", "error"} & value.keys():
        return Invalid("neither method, result nor error", value)
    return _call(value) if "method" in value else _answer(value)


def _call(value: dict[str, Any]) -> Message:
    method, params = value["method"], value.get("params")
    if {"result", "error"} & value.keys():
        return Invalid("a method together with a result or an error", value)
    if not isinstance(method, str):
        return Invalid("the method is not a string", value)
    if "params" in value and not isinstance(params, dict | list):
        return Invalid("params is neither an object nor an array", value)
    if "id" not in value:
        return Notification(method, params, value)
    if not _is_id(value["id"]):
        return Invalid("the id is neither a string nor an integer", value)
    return Request(value["id"], method, params, value)


def _answer(value: dict[str, Any]) -> Message:
    if "result" in value and "error" in value:
        return Invalid("both a result and an error", value)
    if "error" in value:
        return _error_answer(value)
    if not _is_id(value.get("id")):
        return Invalid("the id of a result is neither a string nor an integer", value)
    return Response(value["id"], value["result"], value)


def _error_answer(value: dict[str, Any]) -> Message:
    fault, id_ = value["error"], value.get("id")
    if id_ is not None and not _is_id(id_):
        return Invalid("the id of an error is neither a string, an integer nor null", value)
    if not isinstance(fault, dict) or not _is_integer(fault.get("code")):
        return Invalid("the error has no integer code", value)
    if not isinstance(fault.get("message"), str):
        return Invalid("the error has no message", value)
    return ErrorResponse(id_, fault["code"], fault["message"], fault.get("data"), value)


def _is_integer(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_id(value: Json) -> bool:
    """A whole number written as 1.0 is an integer, as JSON Schema has it."""
    return isinstance(value, str) or _is_integer(value) or (isinstance(value, float) and value.is_integer())


def _kind(value: Json) -> str:
    return "null" if value is None else {"str": "string", "bool": "boolean"}.get(type(value).__name__, "number")


def request(id: Id, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, **_called(method, params)}


def notification(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **_called(method, params)}


def response(id: Id, result: Json) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def error(id: Id, code: int, message: str, data: Json = None) -> dict[str, Any]:
    """`data` None is left out."""
    fault = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": id, "error": fault}


def _called(method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"method": method} if params is None else {"method": method, "params": dict(params)}
