"""Faults of what the client says: JSON-RPC messages, tasks, runs. Through a proxy each is the body of a request, on a
pipe a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from ..wire.json import dumps
from ..wire.lines import LineDecoder
from .exchange import Exchange, Forward, HttpRequest
from .fault import Armed, Fault, FaultError, Mount
from .members import Path, found, padded, put, read, repeated
from .stage import Action, Direction, Flow, Framing, Stage
from .trigger import Messages, Trigger, is_call

FIRST_MESSAGE = Messages(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFault(Fault):
    """`after` names the message itself: messages(2) is the second of those that it can work on; with `method`, of
    those that call it."""

    mounts: ClassVar[frozenset[Mount]] = frozenset({Mount.RELAY, Mount.PIPE})
    after: Trigger = FIRST_MESSAGE

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not isinstance(self.after, Messages) or self.after.n < 1:
            raise FaultError(f"{self.name}: after is messages(n), n at least 1")

    def changed(self, text: bytes) -> bytes | None:
        """What becomes of a message; None: it is none to work on."""
        raise NotImplementedError

    def request(self, request: HttpRequest) -> HttpRequest | None:
        """What becomes of a request that carries a message; None: it is none to work on."""
        body = self.changed(request.body)
        return None if body is None else replace(request, body=body)

    def called(self, text: bytes) -> bool:
        method = self.after.method if isinstance(self.after, Messages) else ""
        return not method or is_call(text, method)

    def concerns(self, request: HttpRequest) -> bool:
        return request.matches(self.on) and self.called(request.body) and self.request(request) is not None

    @property
    def begins(self) -> int:
        return self.after.n if isinstance(self.after, Messages) else 1

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        changed = self.request(exchange.request)
        if changed is not None and armed.fire(exchange.name):
            exchange.change(changed)
        await forward()

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        mine = flow.framing is Framing.LINES and flow.direction is Direction.UP
        return Lines(armed, flow, self) if mine else None

    def written(self, text: bytes) -> Iterator[Action]:
        """What goes through a pipe instead of a line."""
        yield (self.changed(text) or text) + b"\n"


class Lines(Stage):
    """Lets whole lines pass until the chosen one has come, and that changed."""

    def __init__(self, armed: Armed, flow: Flow, fault: MessageFault) -> None:
        self._armed, self._flow, self._fault = armed, flow, fault
        self._decoder = LineDecoder()

    def feed(self, data: bytes) -> Iterator[Action]:
        for line in self._decoder.feed(data):
            yield from self._fault.written(line) if self._fires(line) else (line + b"\n",)

    def _fires(self, line: bytes) -> bool:
        if not self._fault.called(line) or self._fault.changed(line) is None:
            return False
        self._armed.matched += 1
        count = self._armed.matched
        return count >= self._fault.begins and self._armed.fire(
            f"{self._flow.name}, message {count} of those it concerns"
        )

    def eof(self) -> Iterator[Action]:
        yield self._decoder.close()


class Kind(StrEnum):
    """How a message is malformed."""

    BAD_JSON = "bad_json"
    BATCH = "batch"
    MISSING_ID = "missing_id"
    NULL_ID = "null_id"
    WRONG_VERSION = "wrong_version"
    EXTRA_FIELD = "extra_field"
    DUPLICATE_KEY = "duplicate_key"
    DEPTH = "depth"
    NAN = "nan"
    LONE_SURROGATE = "lone_surrogate"


LEVELS = 10_000
"""Arrays in arrays: more than a parser that recurses can bear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malform(MessageFault):
    """A message is malformed: as JSON, as JSON-RPC, or by a member that nobody asked for."""

    name: ClassVar[str] = "malform"
    kind: Kind = Kind.BAD_JSON

    def changed(self, text: bytes) -> bytes | None:
        return None if read(text) is None else _MALFORMED[self.kind](text)


def _id(text: bytes, *, null: bool) -> bytes | None:
    """A message without its id, or with null for it."""
    value = read(text) or {}
    kept = {key: item for key, item in value.items() if key != "id"}
    return dumps({**value, "id": None} if null else kept) if "jsonrpc" in value and "id" in value else None


def _version(text: bytes) -> bytes | None:
    value = read(text) or {}
    return dumps({**value, "jsonrpc": "1.0"}) if "jsonrpc" in value else None


_MALFORMED: dict[Kind, Callable[[bytes], bytes | None]] = {
    Kind.BAD_JSON: lambda text: text.rstrip()[:-1],
    Kind.BATCH: lambda text: b"[" + text + b"]",
    Kind.MISSING_ID: lambda text: _id(text, null=False),
    Kind.NULL_ID: lambda text: _id(text, null=True),
    Kind.WRONG_VERSION: _version,
    Kind.EXTRA_FIELD: lambda text: dumps({**(read(text) or {}), "unexpected": True}),
    Kind.DUPLICATE_KEY: repeated,
    Kind.DEPTH: lambda text: padded(text, b"[" * LEVELS + b"]" * LEVELS),
    Kind.NAN: lambda text: padded(text, b"NaN"),
    Kind.LONE_SURROGATE: lambda text: padded(text, b'"\\ud800"'),
}

REFERENCES: tuple[Path, ...] = (
    ("params", "requestId"),
    ("params", "progressToken"),
    ("params", "taskId"),
    ("params", "message", "taskId"),
    ("params", "id"),
)
"""Where a message names a request, a task or a progress that was before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownId(MessageFault):
    """A message refers to a request or a task that never was, an answer to a question that nobody asked."""

    name: ClassVar[str] = "unknown_id"

    def changed(self, text: bytes) -> bytes | None:
        value = read(text) or {}
        answers = ("id",) if {"result", "error"} & value.keys() else None
        path = answers or next((path for path in REFERENCES if found(value, path) is not None), None)
        return dumps(put(value, path, _unknown(found(value, path)))) if path else None


def _unknown(known: object) -> str | int:
    return 2_147_483_647 if isinstance(known, int) else "00000000-0000-4000-8000-000000000000"


class Told(StrEnum):
    """Where a client says its version: in a header, in the body, or both, against what was agreed before."""

    HEADER = "header"
    BODY = "body"
    NEGOTIATED = "negotiated"


VERSION_HEADERS = ("mcp-protocol-version", "a2a-version")
VERSION_MEMBERS: tuple[Path, ...] = (
    ("params", "_meta", "io.modelcontextprotocol/protocolVersion"),
    ("params", "protocolVersion"),
    ("protocolVersion",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSkew(MessageFault):
    """A request says another version, in its header or its body against the other, or in both against what was
    negotiated."""

    name: ClassVar[str] = "version_skew"
    where: Told = Told.HEADER
    version: str = "1999-12-31"

    def __post_init__(self) -> None:
        MessageFault.__post_init__(self)
        if not self.version.isascii() or not self.version.isprintable():
            raise FaultError("version_skew: version holds what no header field can")

    def changed(self, text: bytes) -> bytes | None:
        value = read(text) or {}
        path = next((path for path in VERSION_MEMBERS if found(value, path) is not None), None)
        return dumps(put(value, path, self.version)) if path and self.where is not Told.HEADER else None

    def request(self, request: HttpRequest) -> HttpRequest | None:
        headers = request.headers if self.where is Told.BODY else tuple(map(self._header, request.headers))
        skewed = replace(request, headers=headers, body=self.changed(request.body) or request.body)
        return skewed if skewed != request else None

    def _header(self, pair: tuple[str, str]) -> tuple[str, str]:
        return (pair[0], self.version) if pair[0].lower() in VERSION_HEADERS else pair


DECLARATIONS: tuple[Path, ...] = (
    ("params", "_meta", "io.modelcontextprotocol/clientCapabilities"),
    ("params", "capabilities"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityLie(MessageFault):
    """A capability that the client has is left out of what it declares; `declared`: one that it has not is put in."""

    name: ClassVar[str] = "capability_lie"
    capability: str = "sampling"
    declared: bool = False

    def changed(self, text: bytes) -> bytes | None:
        value = read(text) or {}
        path = next((path for path in DECLARATIONS if isinstance(found(value, path), dict)), None)
        if path is None or (self.capability in found(value, path)) is self.declared:
            return None
        return dumps(put(value, (*path, self.capability), {} if self.declared else None))
