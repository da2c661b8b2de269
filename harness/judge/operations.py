"""The records of a history, sorted into operations.

An operation is one HTTP exchange, or what belongs to one request over stdio; its name is unique within a history.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ..faults import FaultError, parse
from ..transcript import Kind, Record

P = ParamSpec("P")
T = TypeVar("T")

Histories = Mapping[str, Sequence[Record]]
"""Case id -> the records of that case."""

REWRITING = frozenset(
    {
        "bom",
        "cancel_race",
        "capability_lie",
        "corrupt",
        "cr_only",
        "drop_event",
        "drop_response",
        "duplicate_event",
        "duplicate_header",
        "duplicate_response",
        "malform",
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
        "unknown_id",
        "unterminated_tail",
        "version_skew",
    }
)
"""Faults that put other words into the target's mouth, or into its ear: what came back then says nothing about it."""


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
    def took_request(self) -> bool:
        """Whether HTTP took what a POST carried (2xx)."""
        return self.verb == "POST" and 200 <= (self.code or 0) < 300

    @property
    def media_type(self) -> str:
        return (header(self.status, "content-type") or "").split(";")[0].strip().lower()

    @property
    def opens(self) -> str:
        """The session that the target issued in its reply, empty without one."""
        return header(self.status, "mcp-session-id") or ""

    @property
    def session(self) -> str:
        """The session that the client named, empty without one."""
        return header(self.sent, "mcp-session-id") or ""

    @property
    def scope(self) -> str:
        """Where request ids mean something: the session, else all operations of one carrier."""
        return self.session or f"{'http' if self.is_http else 'stdio'}@{self.name.partition('@')[2]}"

    @property
    def was_torn(self) -> bool:
        """Whether what was heard last may be a fragment."""
        return any(record.data.get("ending") != "closed" for record in self.ends) or not self.ends

    def speaks_protocol(self, payload: Any) -> bool:
        """Whether a decoded body is a message at all: an error page or a metadata document need not be one."""
        if not self.is_http or self.media_type == "text/event-stream":
            return True
        return self.took_request or (isinstance(payload, dict) and "jsonrpc" in payload)


def header(records: Iterable[Record], name: str) -> str | None:
    """The first value of a header in SENT or STATUS records; names ignore case."""
    pairs = (pair for record in records for pair in record.data.get("headers") or ())
    return next((value for key, value in pairs if key.lower() == name), None)


class History(tuple[Record, ...]):
    """The finished transcript of a case, which remembers what was read out of it: many monitors read the same."""

    @cached_property
    def readings(self) -> dict[tuple[Any, ...], Any]:
        return {}


def remembered(read: Callable[Concatenate[Sequence[Record], P], T]) -> Callable[Concatenate[Sequence[Record], P], T]:
    """A reading of a history that is done once, where the history can remember it. Callers must not change it."""

    @wraps(read)
    def reading(history: Sequence[Record], /, *args: P.args, **kwargs: P.kwargs) -> T:
        if not isinstance(history, History):
            return read(history, *args, **kwargs)
        name = (read.__qualname__, *args, *kwargs.values())
        if name not in history.readings:
            history.readings[name] = read(history, *args, **kwargs)
        found: T = history.readings[name]
        return found

    return reading


def untouched(histories: Histories) -> Iterator[Sequence[Record]]:
    """The histories in which no fault rewrote what the target said."""
    for history in histories.values():
        if not any(fault.split("(")[0] in REWRITING and not harmless(fault) for fault in fired(history)):
            yield history


def fired(history: Sequence[Record]) -> set[str]:
    """The faults that took effect, in their text form."""
    return {str(record.data.get("fault", "")) for record in history if record.kind is Kind.FIRED}


@cache
def harmless(fault: str) -> bool:
    """Whether a fault, in its text form, is one that a correct peer may not notice."""
    try:
        return parse(fault).benign
    except FaultError:
        return False


@remembered
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
