"""What was asked and what was heard in one history, with the context that a judge needs.

An operation is one HTTP exchange or one stdio connection, and its name is unique within a history. A scope is
where request ids mean something: the session that the client named, or the whole connection.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model import Violation
from ..transcript import Kind, Record

Histories = Mapping[str, Sequence[Record]]
"""Case id -> the records of that case."""

Key = tuple[str, str]
"""A request id or a token as a value with its JSON type, so that 1 and "1" differ."""

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"

REWRITING = frozenset(
    {
        "bom",
        "corrupt",
        "cr_only",
        "drop_event",
        "drop_response",
        "duplicate_event",
        "duplicate_header",
        "duplicate_response",
        "mutate_id",
        "oversize",
        "recode",
        "redirect",
        "rename_header",
        "reorder_events",
        "reorder_responses",
        "retry_field",
        "rewrite_type",
        "status",
        "stdout_garbage",
        "strip_headers",
        "truncate_body",
        "two_streams",
        "unterminated_tail",
    }
)
"""Faults that put other words into the target's mouth: what came back then says nothing about the target."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a monitor found. `seen` counts the things it looked at: with 0 there is nothing to pass."""

    seen: int
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A message that the client sent. `payload` is one message; a batch gives several of these."""

    payload: Mapping[str, Any]
    record: int
    operation: str
    scope: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of the target. `request` is what it answers, None for pushes and for answers to nothing.

    `version` is the protocol version that holds for it, None where the traffic leaves that open.
    """

    payload: Any
    record: int
    operation: str
    scope: str
    event_id: str | None = None
    request: Asked | None = None
    version: str | None = None

    @property
    def is_response(self) -> bool:
        return isinstance(self.payload, dict) and ("result" in self.payload or "error" in self.payload)

    @property
    def result(self) -> Mapping[str, Any]:
        """The result, empty when there is none."""
        return mapping(self.payload, "result")


@dataclass(slots=True)
class Operation:
    """The records of one operation, sorted by what they tell."""

    name: str
    sent: list[Record] = field(default_factory=list)
    status: list[Record] = field(default_factory=list)
    received: list[Record] = field(default_factory=list)
    events: list[Record] = field(default_factory=list)
    ends: list[Record] = field(default_factory=list)

    def add(self, record: Record) -> None:
        places = {
            Kind.SENT: self.sent,
            Kind.STATUS: self.status,
            Kind.RECEIVED: self.received,
            Kind.EVENT: self.events,
            Kind.END: self.ends,
        }
        if record.kind in places:
            places[record.kind].append(record)

    @property
    def is_http(self) -> bool:
        return not self.name.startswith("stdio")

    @property
    def verb(self) -> str:
        return next((str(record.data["verb"]).upper() for record in self.sent if record.data.get("verb")), "")

    @property
    def code(self) -> int | None:
        """The HTTP status, None without one."""
        return next((record.data["status"] for record in self.status), None)

    @property
    def media_type(self) -> str:
        return (header(self.status, "content-type") or "").split(";")[0].strip().lower()

    @property
    def opens(self) -> str:
        """The session that the target issued in its reply, empty without one."""
        return header(self.status, "mcp-session-id") or ""

    @property
    def scope(self) -> str:
        lane = self.name.partition("@")[2]
        return (header(self.sent, "mcp-session-id") or lane) if self.is_http else f"stdio@{lane}"

    @property
    def was_torn(self) -> bool:
        """Whether what was heard last may be a fragment."""
        return any(record.data.get("ending") != "closed" for record in self.ends) or not self.ends

    def speaks_protocol(self, payload: Any) -> bool:
        """Whether a decoded body is a message at all: an error page or a metadata document need not be one."""
        if (
            not self.is_http
            or self.media_type == "text/event-stream"
            or (type(payload) is dict and "jsonrpc" in payload)
        ):
            return True
        return self.verb == "POST" and self.code is not None and 200 <= self.code < 300


def header(records: Iterable[Record], name: str) -> str | None:
    """The first value of a header in SENT or STATUS records; names ignore case."""
    pairs = (pair for record in records for pair in record.data.get("headers") or ())
    return next((value for key, value in pairs if key.lower() == name), None)


def mapping(value: Any, *path: str) -> Mapping[str, Any]:
    """The object at a path of members, empty where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def key(value: Any) -> Key:
    """The identity of a request id or token: its value and its JSON type. 1 and 1.0 are the same number."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return type(value).__name__, str(value)
    return (
        ("number", repr(float(value) if value != int(value) else int(value)))
        if _is_number(value)
        else ("", repr(value))
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and abs(value) < float("inf"))


def untouched(histories: Histories) -> Iterator[Sequence[Record]]:
    """The histories in which no fault rewrote what the target said."""
    for history in histories.values():
        fired = {str(record.data.get("fault", "")).split("(")[0] for record in history if record.kind is Kind.FIRED}
        if not fired & REWRITING:
            yield history


def operations(history: Sequence[Record]) -> list[Operation]:
    """The operations of a history in the order in which they began."""
    found: dict[str, Operation] = {}
    for record in history:
        if record.operation:
            found.setdefault(record.operation, Operation(record.operation)).add(record)
    return list(found.values())


def said(record: Record) -> Any:
    """The decoded message of a SENT record; bytes that were sent as they are count when they are JSON."""
    message = record.data.get("message", record.data.get("raw"))
    if not isinstance(message, str):
        return message
    try:
        return json.loads(message)
    except (ValueError, RecursionError):
        return None


def sent_as_text(record: Record) -> bool:
    """Whether bytes were sent as they are, so that the target may read in them what we do not."""
    return record.kind is Kind.SENT and (isinstance(record.data.get("message"), str) or "raw" in record.data)


def parts(payload: Any) -> list[Any]:
    """The messages in a payload: those of a batch, or the one that it is."""
    return payload if isinstance(payload, list) and payload else [payload]


def asked(history: Sequence[Record]) -> list[Asked]:
    """Every decoded message that the client sent."""
    return [
        Asked(part, record.number, operation.name, operation.scope)
        for operation in operations(history)
        for record in operation.sent
        for part in parts(said(record))
        if isinstance(part, dict)
    ]


def heard(history: Sequence[Record], version: str) -> list[Heard]:
    """Every message of the target in the order of the records; `version` is that of the column."""
    requests = _Requests(asked(history))
    spoken = [
        Heard(part, record.number, operation.name, operation.scope, record.data.get("event_id"))
        for operation in operations(history)
        for record in operation.received
        if "message" in record.data and operation.speaks_protocol(record.data["message"])
        for part in parts(record.data["message"])
    ]
    spoken.sort(key=lambda message: message.record)
    versions = _Versions(history, version)
    return [versions.placed(message, requests.answered_by(message)) for message in spoken]


class _Requests:
    """The requests of a history, found by scope and id."""

    def __init__(self, sent: Iterable[Asked]) -> None:
        self._by_id: dict[tuple[str, Key], Asked] = {}
        for message in sent:
            if "method" in message.payload and "id" in message.payload:
                for place in (message.scope, f"operation {message.operation}"):
                    self._by_id[place, key(message.payload["id"])] = message

    def answered_by(self, message: Heard) -> Asked | None:
        if not message.is_response or "id" not in message.payload:
            return None
        request_id = key(message.payload["id"])
        nearest = self._by_id.get((f"operation {message.operation}", request_id))
        return nearest or self._by_id.get((message.scope, request_id))


class _Versions:
    """Which protocol version holds for a message, from what the client and the target said themselves."""

    def __init__(self, history: Sequence[Record], default: str) -> None:
        self._default = default
        self._negotiated: dict[str, str | None] = {}
        self._stated = {operation.name: _stated(operation) for operation in operations(history)}
        self._opened = {operation.name: operation.opens for operation in operations(history)}

    def placed(self, message: Heard, request: Asked | None) -> Heard:
        return Heard(
            message.payload,
            message.record,
            message.operation,
            message.scope,
            message.event_id,
            request,
            self._version(message, request),
        )

    def _version(self, message: Heard, request: Asked | None) -> str | None:
        if request and request.payload.get("method") == "initialize":
            chosen = message.result.get("protocolVersion", self._default)
            agreed = chosen if isinstance(chosen, str) else None
            self._negotiated[message.scope] = self._negotiated[self._opened[message.operation]] = agreed
            return agreed
        own = {version} if request and (version := _in_meta(request.payload)) else self._stated[message.operation]
        if len(own) > 1:
            return None
        return next(iter(own), self._negotiated.get(message.scope, self._default))


def _in_meta(payload: Mapping[str, Any]) -> str | None:
    version = mapping(payload, "params", "_meta").get(PROTOCOL_VERSION)
    return version if isinstance(version, str) else None


def _stated(operation: Operation) -> set[str]:
    """The versions that the client named in an operation, in headers and in bodies."""
    named = {header([record], "mcp-protocol-version") for record in operation.sent}
    bodies = (part for record in operation.sent for part in parts(said(record)) if isinstance(part, dict))
    return {version for version in named | {_in_meta(body) for body in bodies} if version}


def requests_per_id(history: Sequence[Record]) -> Counter[tuple[str, Key]]:
    """How often the client sent a request with an id, by scope and id."""
    return Counter(
        (message.scope, key(message.payload["id"]))
        for message in asked(history)
        if "method" in message.payload and "id" in message.payload
    )
