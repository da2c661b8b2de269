"""Judges of message shapes: every message against the version that holds for it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ..claims import Spoken
from ..model import Violation
from ..protocols.mcp.versions import MODERN
from .lifecycle import declared
from .notation import Fault, Shapes
from .operations import Histories, untouched
from .traffic import Heard, Judgement, heard, mapping

KNOWN_RESULT_TYPES = frozenset({"complete", "input_required"})
"""What 2026-07-28 defines itself (basic/index#resulttype)."""

TASKS_EXTENSION = "io.modelcontextprotocol/tasks"

MOST_FAULTS = 10
"""Faults of one message that a finding lists."""


@dataclass(frozen=True, slots=True)
class McpShapes:
    """The table of MCP: `letters` by version, and the types of parameters, results and error data by name."""

    shapes: Shapes
    letters: Mapping[str, str]
    places: Mapping[str, Mapping[str, str]]

    def faults(self, version: str, place: str, name: str, value: Any, at: str) -> list[Fault]:
        """Of the value at a place (result, notification, request, error); nothing for a name it does not know."""
        type_ = self.places[place].get(name)
        return self.shapes.faults(version, type_, value, at) if type_ else []


@cache
def mcp_shapes() -> McpShapes:
    text = resources.files(f"{__package__.rpartition('.')[0]}.protocols.mcp").joinpath("shapes.toml").read_text("utf-8")
    table = tomllib.loads(text)
    letters = {version: letter for letter, version in table["versions"].items()}
    places = {place: table[place] for place in ("result", "notification", "request", "error")}
    return McpShapes(Shapes(table["type"], table["alias"]), letters, places)


def shape_faults(version: str, message: Any, request_method: str | None = None) -> list[str]:
    """What is wrong with a message of a server, each as "JSON pointer: sentence".

    `request_method` is the method that a response answers; without it only the envelope is judged. Unknown
    members, unknown methods and versions without a table are no faults.
    """
    table = mcp_shapes()
    letter = table.letters.get(version)
    if letter is None:
        return []
    if not isinstance(message, dict):
        return [": is not an object"]
    envelope = _envelope(message)
    if not envelope:
        return [": is no message of JSON-RPC"]
    faults = table.shapes.faults(letter, envelope, message)
    return list(map(str, faults or _contents(table, letter, envelope, message, request_method)))


def _envelope(message: Mapping[str, Any]) -> str:
    if "method" in message:
        return "Request" if "id" in message else "Notification"
    return "ErrorResponse" if "error" in message else "ResultResponse" if "result" in message else ""


def _contents(
    table: McpShapes, letter: str, envelope: str, message: Mapping[str, Any], request_method: str | None
) -> list[Fault]:
    match envelope:
        case "ResultResponse":
            return _result(table, letter, request_method or "", message["result"])
        case "ErrorResponse":
            code, data = message["error"]["code"], message["error"].get("data")
            return table.faults(letter, "error", f"{code:.0f}", data, "/error/data")
        case _:
            return table.faults(letter, envelope.lower(), message["method"], message.get("params", {}), "/params")


def _result(table: McpShapes, letter: str, method: str, result: Mapping[str, Any]) -> list[Fault]:
    """The result type of an extension replaces the result of the method, so only what all results share holds."""
    kind = result.get("resultType")
    extended = letter == table.letters[MODERN] and isinstance(kind, str) and kind not in KNOWN_RESULT_TYPES
    type_ = "Result" if extended else table.places["result"].get(method, "Result")
    return table.shapes.faults(letter, type_, result, "/result")


def wire_shapes(histories: Histories, spoken: Spoken) -> Judgement:
    """Every message has the shape of the version that holds for it. `seen` counts the messages with a version."""
    messages = [message for message in _all(histories, spoken) if message.version in mcp_shapes().letters]
    found = (_misshapen(message) for message in messages)
    return Judgement(len(messages), tuple(violation for violation in found if violation))


def _misshapen(message: Heard) -> Violation | None:
    version = message.version or ""
    method = message.request.payload.get("method") if message.request else None
    faults = shape_faults(version, message.payload, method if isinstance(method, str) else None)
    if message.request and message.request.payload.get("id") == message.payload.get("id"):
        faults = [fault for fault in faults if not fault.startswith("/id:")]  # an odd id that we sent, given back
    if not faults:
        return None
    what = f"the result of {method}" if method else "the message"
    return Violation(f"{what} has the shape of {version}", "; ".join(faults[:MOST_FAULTS]), (message.record,))


def jsonrpc_2(histories: Histories, spoken: Spoken) -> Judgement:
    """Every message says `"jsonrpc": "2.0"`. `seen` counts the messages."""
    messages = list(_all(histories, spoken))
    wrong = [m for m in messages if not isinstance(m.payload, dict) or m.payload.get("jsonrpc") != "2.0"]
    return Judgement(len(messages), tuple(_no_jsonrpc(message) for message in wrong))


def _no_jsonrpc(message: Heard) -> Violation:
    is_object = isinstance(message.payload, dict)
    actual = f"jsonrpc is {message.payload.get('jsonrpc')!r:.80}" if is_object else "a message that is no object"
    return Violation('every message has "jsonrpc": "2.0"', actual, (message.record,))


def resulttype_present(histories: Histories, spoken: Spoken) -> Judgement:
    """Every modern result carries a known resultType, or one of an extension that the server advertises.

    `seen` counts the results of modern exchanges.
    """
    messages = [message for message in _all(histories, spoken) if message.version == MODERN]
    results = [m for m in messages if isinstance(m.payload, dict) and "result" in m.payload]
    extensions = {name for capabilities in declared(messages) for name in mapping(capabilities, "extensions")}
    known = KNOWN_RESULT_TYPES | ({"task"} if TASKS_EXTENSION in extensions else set())
    lenient = bool(extensions - {TASKS_EXTENSION})
    return Judgement(len(results), tuple(_without_type(results, known, lenient)))


def _without_type(results: list[Heard], known: frozenset[str], lenient: bool) -> Iterator[Violation]:
    """`lenient`: an extension that we do not know may define further types."""
    for message in results:
        kind = message.result.get("resultType")
        if not isinstance(kind, str) or (kind not in known and not lenient):
            actual = f"resultType is {kind!r:.80}" if "resultType" in message.result else "no resultType"
            yield Violation("a result carries a resultType that the client knows", actual, (message.record,))


LATER_FIELDS = ("resultType", "ttlMs", "cacheScope", "inputRequests", "requestState")
"""Members of results that only 2026-07-28 defines."""


def no_later_fields(histories: Histories, spoken: Spoken) -> Judgement:
    """No result of an older version has a member that only 2026-07-28 defines. `seen` counts those results."""
    messages = (m for m in _all(histories, spoken) if m.version in mcp_shapes().letters and m.version != MODERN)
    results = [message for message in messages if message.result]
    found = [(m, [name for name in LATER_FIELDS if name in m.result]) for m in results]
    wanted = f"no field of {MODERN} in a result of an older version"
    return Judgement(len(results), tuple(Violation(wanted, ", ".join(n), (m.record,)) for m, n in found if n))


def _all(histories: Histories, spoken: Spoken) -> Iterator[Heard]:
    for history in untouched(histories):
        yield from heard(history, spoken.version)
