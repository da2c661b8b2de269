"""What was asked and what was heard in one history, with the context that a judge needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..model import Violation
from ..protocols.mcp.versions import MODERN, PROTOCOL_VERSION
from ..transcript import Record
from .operations import Operation, header, operations, parts, remembered, said

Key = tuple[str, str]
"""A request id or a token as a value with its JSON type, so that 1 and "1" differ."""


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


def mapping(value: Any, *path: str) -> Mapping[str, Any]:
    """The object at a path of members, empty where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def key(value: Any) -> Key:
    """The identity of a request id or token: its value and its JSON type. 1 and 1.0 are the same number."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    kind = "number" if isinstance(value, float) or type(value) is int else type(value).__name__
    return kind, value if isinstance(value, str) else repr(value)


@remembered
def asked(history: Sequence[Record]) -> list[Asked]:
    """Every decoded message that the client sent."""
    return [
        Asked(part, record.number, operation.name, operation.scope)
        for operation in operations(history)
        for record in operation.sent
        for part in parts(said(record))
        if isinstance(part, dict)
    ]


@remembered
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
        return replace(message, request=request, version=self._version(message, request))

    def _version(self, message: Heard, request: Asked | None) -> str | None:
        if request and request.payload.get("method") == "initialize":
            chosen = message.result.get("protocolVersion", self._default)
            agreed = chosen if isinstance(chosen, str) else None
            self._negotiated[message.scope] = self._negotiated[self._opened[message.operation]] = agreed
            return agreed
        own = {version} if request and (version := _in_meta(request.payload)) else self._stated[message.operation]
        if len(own) > 1:
            return None
        return next(iter(own), self._negotiated.get(message.scope, None if self._is_open(request) else self._default))

    def _is_open(self, request: Asked | None) -> bool:
        """Where versions are named in each request, one that names none may be of any."""
        return request is not None and self._default >= MODERN


def _in_meta(payload: Mapping[str, Any]) -> str | None:
    version = mapping(payload, "params", "_meta").get(PROTOCOL_VERSION)
    return version if isinstance(version, str) else None


def _stated(operation: Operation) -> set[str]:
    """The versions that the client named in an operation, in headers and in bodies."""
    named = {header([record], "mcp-protocol-version") for record in operation.sent}
    bodies = (part for record in operation.sent for part in parts(said(record)) if isinstance(part, dict))
    return {version for version in named | {_in_meta(body) for body in bodies} if version}


def requests_per_id(history: Sequence[Record]) -> Counter[tuple[str, Key]]:
    """How often the client sent a request with an id, by scope and id; what has an id and is no response counts too."""
    return Counter(
        (message.scope, key(message.payload["id"]))
        for message in asked(history)
        if "id" in message.payload and not message.payload.keys() & {"result", "error"}
    )
