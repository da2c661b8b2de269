"""A message of the right shape has no fault; every dropped or mistyped member is named by its JSON pointer."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.judge.notation import PRIMITIVES, alternatives
from seatrial.judge.shape import mcp_shapes, shape_faults

A, B, C, D, E = sorted(mcp_shapes().letters)


def result(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "result": members}


def notification(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


TEXT = {"type": "text", "text": "hello"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "note://1", "name": "one"}
EMBEDDED = {"type": "resource", "resource": {"uri": "note://1", "blob": "aGk="}}
TOOL = {"name": "echo", "inputSchema": {"type": "object"}}
MODERN = {"resultType": "complete"}
CACHE = {"ttlMs": 0, "cacheScope": "private"}
HELLO = {
    "protocolVersion": D,
    "capabilities": {"tools": {"listChanged": True}},
    "serverInfo": {"name": "s", "version": "1"},
}

WELL_FORMED: list[tuple[str, str | None, dict[str, Any]]] = [
    (A, "initialize", result(**HELLO)),
    (D, "initialize", result(**HELLO, instructions="x", extra={"kept": 1})),
    (A, "tools/list", result(tools=[TOOL])),
    (E, "tools/list", result(tools=[TOOL], **MODERN, **CACHE)),
    (A, "tools/call", result(content=[TEXT, IMAGE, EMBEDDED])),
    (B, "tools/call", result(content=[AUDIO])),
    (C, "tools/call", result(content=[LINK], structuredContent={})),
    (
        D,
        "tools/call",
        result(task={"taskId": "1", "status": "working", "createdAt": "t", "lastUpdatedAt": "t", "ttl": None}),
    ),
    (E, "tools/call", result(content=[], structuredContent=[1], **MODERN)),
    (E, "tools/call", result(resultType="input_required", inputRequests={"a": {"method": "roots/list"}})),
    (E, "tools/call", result(resultType="task", taskId="1")),
    (E, "vendor/method", result(**MODERN)),
    (C, "vendor/method", result(anything=1)),
    (C, None, result(anything=1)),
    (A, None, notification("notifications/progress", progressToken="t", progress=0.5)),
    (A, None, {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
    (C, None, notification("notifications/vendor", anything=1)),
    (D, None, {"jsonrpc": "2.0", "id": 0, "method": "ping"}),
    (D, None, {"jsonrpc": "2.0", "error": {"code": -32700, "message": "unreadable"}}),
    (B, None, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "unreadable", "data": [1]}}),
    ("2024-10-07", "tools/list", result()),
]


@pytest.mark.parametrize(("version", "method", "message"), WELL_FORMED)
def test_a_well_formed_message_has_no_fault(version: str, method: str | None, message: dict[str, Any]) -> None:
    assert shape_faults(version, message, method) == []


MISSHAPEN: list[tuple[str, str | None, Any, str]] = [
    (D, None, [], ": is not an object"),
    (D, None, {"jsonrpc": "2.0"}, ": is no message of JSON-RPC"),
    (D, None, {"id": 1, "result": {}}, "/jsonrpc: is missing"),
    (D, None, {"jsonrpc": "2.0", "id": 1, "result": []}, "/result: is an array, not object"),
    (D, None, {"jsonrpc": "2.0", "id": True, "result": {}}, "/id: is true, not string | integer"),
    (D, None, {"jsonrpc": "2.0", "id": 1, "error": {"code": "1", "message": "m"}}, '/error/code: is "1", not integer'),
    (A, "tools/list", result(), "/result/tools: is missing"),
    (A, "tools/list", result(tools=[{"name": "x"}]), "/result/tools/0/inputSchema: is missing"),
    (A, "tools/list", result(tools=[TOOL], nextCursor=None), "/result/nextCursor: is null, not string"),
    (E, "tools/list", result(tools=[], **MODERN), "/result/ttlMs: is missing"),
    (E, "tools/list", result(tools=[], **CACHE), "/result/resultType: is missing"),
    (E, "tools/list", result(tools=[], **{**MODERN, **CACHE, "ttlMs": -1}), "/result/ttlMs: is -1, not natural"),
    (E, "tools/call", result(**MODERN), "/result/content: is missing"),
    (C, "tools/call", result(content=[], structuredContent=[1]), "/result/structuredContent: is an array, not object"),
    (
        A,
        "tools/call",
        result(content=[AUDIO]),
        "/result/content/0/type: is \"audio\", not 'text' | 'image' | 'resource'",
    ),
    (D, "tools/call", result(content=["hello"]), '/result/content/0: is "hello", not TextContent | ImageContent | '),
    (D, "tools/call", result(content=[{"type": "text"}]), "/result/content/0/text: is missing"),
    (
        D,
        "prompts/get",
        result(messages=[{"role": "system", "content": TEXT}]),
        '/result/messages/0/role: is "system", not ',
    ),
    (D, "resources/read", result(contents=[{"uri": "a"}]), "/result/contents/0/text: is missing"),
    (
        D,
        "initialize",
        result(**{**HELLO, "capabilities": {"tools": True}}),
        "/result/capabilities/tools: is true, not ",
    ),
    (
        D,
        None,
        notification("notifications/progress", progressToken=1, progress="1"),
        '/params/progress: is "1", not number',
    ),
    (D, None, notification("notifications/message", level="warn", data=1), '/params/level: is "warn", not '),
    (D, None, {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create"}, "/params/"),
    (E, None, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32022, "message": "m"}}, "/error/data: is null, not "),
]


@pytest.mark.parametrize(("version", "method", "message", "says"), MISSHAPEN)
def test_a_misshapen_message_is_named_by_place(version: str, method: str | None, message: Any, says: str) -> None:
    faults = shape_faults(version, message, method)
    assert any(fault.startswith(says) for fault in faults), faults


def test_names_in_a_pointer_are_escaped() -> None:
    message = result(resultType="complete", _meta={"io.modelcontextprotocol/serverInfo": 1})
    (fault,) = shape_faults(E, message, "vendor/method")
    assert fault.startswith("/result/_meta/io.modelcontextprotocol~1serverInfo: ")


def atoms(type_: str) -> list[str]:
    """The names that a type of the notation is made of."""
    found = [option for option, _ in alternatives(type_)]
    return [name for option in found for name in (atoms(option[1:-1]) if option[0] in "[{" else [option])]


def test_every_name_in_the_table_is_defined_and_every_definition_is_used() -> None:
    table = mcp_shapes()
    members = {member.type for name in table.shapes.types for member in table.shapes.members(name)}
    places = {type_ for place in table.places.values() for type_ in place.values()}
    used = {name for type_ in members | places | set(table.shapes.aliases.values()) for name in atoms(type_)}
    defined = table.shapes.types.keys() | table.shapes.aliases.keys()
    assert {name for name in used if name[0] != "'"} <= defined | PRIMITIVES.keys()
    included = {name for type_ in table.shapes.types.values() for name in type_.get("+", ())}
    assert defined - used - included == {"Request", "Notification", "ResultResponse", "ErrorResponse"}


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1e300, True, "1", None, {}])
def test_a_strange_number_is_a_fault_and_no_crash(value: Any) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "error": {"code": value, "message": "m"}}
    assert bool(shape_faults(D, message)) == (value != 1e300)
