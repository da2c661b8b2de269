"""Faults of what stands behind an address: servers that pause, start again, or give way to others."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from ..wire.http1 import ResponseReader
from ..wire.json import dumps
from . import operation
from .body import FRAMING
from .exchange import Exchange, Forward, HttpRequest, WholeAnswer, header
from .fault import Armed, Fault, FaultError, Mount
from .http import RELAYED
from .members import found, read
from .stage import Action
from .stream import TriggeredFault


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFault(TriggeredFault):
    """Something happens to the process of a server, which must be one that Seatrial started."""

    mounts: ClassVar[frozenset[Mount]] = RELAYED


@dataclass(frozen=True, slots=True, kw_only=True)
class Failover(ServerFault):
    """One replica serves alone until it is killed; then the others serve, where nothing of its memory is."""

    name: ClassVar[str] = "failover"
    replica: int = 0

    def effect(self) -> tuple[Action, ...]:
        return (operation.Stop(self.replica),)


class State(StrEnum):
    """KEPT: the server is told to end (SIGTERM), and may save what it knows. LOST: it is killed."""

    KEPT = "kept"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart(ServerFault):
    """The server ends and starts again on its port; what it knew is lost, or it may save it before."""

    name: ClassVar[str] = "restart"
    state: State = State.LOST

    def effect(self) -> tuple[Action, ...]:
        return (operation.Restart(self.state is State.KEPT),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(ServerFault):
    """The server is stopped (SIGSTOP), and goes on (SIGCONT) so many seconds later."""

    name: ClassVar[str] = "pause"
    seconds: float = 1.0

    def effect(self) -> tuple[Action, ...]:
        return (operation.Suspend(self.seconds),)


READING = re.compile(r"(^|/)(list|get|read)$|^(Get|List)[A-Z]")
"""Methods that only read."""
SUBJECTS = 256
"""Of so many different readings the past is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleReplica(Fault):
    """A reading is answered by a replica that is behind: as the same reading was `lag` times ago."""

    name: ClassVar[str] = "stale_replica"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    lag: int = 1

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not self.lag:
            raise FaultError("stale_replica: lag is at least 1")

    def concerns(self, request: HttpRequest) -> bool:
        return request.matches(self.on) and (_plain(request) or any(map(READING.search, request.methods)))

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        armed.company = armed.company if armed.company is not None else {}
        subject = _subject(exchange.request)
        if armed.spent or (subject not in armed.company and len(armed.company) == SUBJECTS):
            return await forward()
        past: deque[WholeAnswer] = armed.company.setdefault(subject, deque(maxlen=self.lag))
        if len(past) == self.lag and armed.fire(f"{exchange.name}, as it was {self.lag} readings ago"):
            return await _answer_again(exchange, past[0])
        past.append(await exchange.swallow())
        return await exchange.deliver(past[-1])


def _plain(request: HttpRequest) -> bool:
    """Whether something is read by GET: no stream, and not by a verb of its own behind a colon."""
    stream = header(request.headers, "accept").strip() == "text/event-stream"
    return request.verb == "GET" and not stream and ":" not in request.target.rpartition("/")[2]


def _subject(request: HttpRequest) -> Hashable:
    """What is read, and by whom."""
    value = read(request.body) or {}
    params = value.get("params")
    told = {key: item for key, item in params.items() if key != "_meta"} if isinstance(params, dict) else params
    who = tuple(header(request.headers, name) for name in ("authorization", "mcp-session-id"))
    return request.verb, request.target, str(value.get("method")), dumps(told), who


async def _answer_again(exchange: Exchange, answer: WholeAnswer) -> None:
    """An earlier answer, under the id of this request."""
    past = ResponseReader(exchange.request.verb).feed(answer.raw)
    kept = tuple(pair for pair in past.headers if pair[0].lower() not in (*FRAMING, "connection"))
    ident = found(read(exchange.request.body), ("id",))
    lines = (_renumbered(line, ident) for line in past.body.split(b"\n"))
    await exchange.answer(past.status, kept, b"\n".join(lines))


def _renumbered(line: bytes, ident: Any) -> bytes:
    """A line of a body; where it is a JSON-RPC response, or the data of an event that is one, with another id."""
    field = b"data:" if line.startswith(b"data:") else b""
    value = read(line.removeprefix(field))
    if value is None or "jsonrpc" not in value or "method" in value or "id" not in value:
        return line
    return field + dumps({**value, "id": ident})
