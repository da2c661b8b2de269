"""The three ends of a call, and what came before them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Ending(StrEnum):
    """How a body or a stream stands: closed in order, torn, reset, left by us, or still open at the deadline."""

    OPEN = "open"
    CLOSED = "closed"
    TORN = "torn"
    RESET = "reset"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Message:
    """One decoded JSON-RPC message from the target, with the record that holds it.

    `event_id` is the id of the SSE event that carried it, None without one. `time` is in seconds of the run.
    """

    payload: Any
    record: int
    event_id: str | None = None
    time: float = 0.0

    @property
    def method(self) -> str | None:
        return self.payload.get("method") if isinstance(self.payload, dict) else None

    @property
    def params(self) -> dict[str, Any]:
        found = self.payload.get("params") if isinstance(self.payload, dict) else None
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class Reply:
    """What HTTP said around an outcome. `status` is None over stdio."""

    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def media_type(self) -> str:
        return (self.header("content-type") or "").split(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Answer:
    """A result. `records` show the request and the response."""

    result: Any
    message: Message
    records: tuple[int, ...]
    reply: Reply = field(default_factory=Reply)

    @property
    def members(self) -> dict[str, Any]:
        """Those of the result; none where it is no object."""
        return self.result if isinstance(self.result, dict) else {}

    @property
    def failed(self) -> bool:
        """Does a tool report its own failure?"""
        return self.members.get("isError") is True

    @property
    def asks(self) -> bool:
        """Is this an interim result, which asks the client for input (2026-07-28)?"""
        return self.members.get("resultType") == "input_required"

    @property
    def input_requests(self) -> dict[str, Any]:
        """What an interim result asks for, by name."""
        found = self.members.get("inputRequests")
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error: a JSON-RPC error (`code` set), or an HTTP error status without one (`code` None)."""

    code: int | None
    text: str
    data: Any
    records: tuple[int, ...]
    reply: Reply = field(default_factory=Reply)
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer: what was asked may or may not have happened. `why` says what was seen instead."""

    ending: Ending
    why: str
    records: tuple[int, ...]
    reply: Reply = field(default_factory=Reply)


@dataclass(frozen=True, slots=True)
class Accepted:
    """HTTP took a message that has no answer (a 2xx without a JSON-RPC message)."""

    records: tuple[int, ...]
    reply: Reply = field(default_factory=Reply)


Outcome = Answer | Refusal | Lost | Accepted
