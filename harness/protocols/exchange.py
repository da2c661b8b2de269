"""One request in flight, or one stream, and what came on it."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

import anyio

from .outcome import Accepted, Answer, Ending, Lost, Message, Outcome, Refusal, Reply

T = TypeVar("T")


FLOOD = 20_000
"""Messages of one stream, or of one process in one case, that are read before the target is cut off."""


class Departure(StrEnum):
    """How we leave a stream: orderly, abortively, or by ending our sending side only."""

    FIN = "fin"
    RST = "rst"
    HALF = "half"


class _NoId:
    """Marks an exchange that awaits no response."""

    def __repr__(self) -> str:
        return "NO_ID"


NO_ID = _NoId()


class Pulse:
    """Wakes every waiter at each change; waiters look again. No change is lost between two looks."""

    def __init__(self) -> None:
        self._event = anyio.Event()

    def beat(self) -> None:
        self._event.set()
        self._event = anyio.Event()

    async def until(self, look: Callable[[], T | None], within: float) -> T | None:
        """The first value of `look` that is not None, or None after `within` seconds."""
        with anyio.move_on_after(within):
            while (found := look()) is None:
                await self._event.wait()
            return found
        return look()


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One SSE event as it came: `data` is None for an event of comments only."""

    record: int
    id: str | None
    event: str | None
    data: str | None
    retry: int | None
    comment: str | None
    time: float


@dataclass(slots=True, eq=False)
class Hold:
    """The time for which a request is held back, by the pace of the run or because its target asks for a rest."""

    ended: float = -math.inf
    _free: anyio.Event | None = None

    def begin(self) -> None:
        self._free = anyio.Event()

    def end(self) -> None:
        if self._free is not None:
            self._free.set()
            self._free, self.ended = None, anyio.current_time()

    async def over(self) -> None:
        """Wait until nothing holds the request back."""
        if self._free is not None:
            await self._free.wait()


def same_id(left: Any, right: Any) -> bool:
    """Equal in value and JSON type: 1 is neither "1" nor 1.0 nor true."""
    return type(left) is type(right) and bool(left == right)


@dataclass(slots=True, eq=False)
class Exchange:
    """What was sent under one operation, and everything that came back for it, in order.

    `patience` is the time in seconds that a plain answer may take. `begun` is when the request's turn had come,
    `dispatched` is set once the whole message was handed to the network.
    """

    operation: str
    request_id: Any
    sent: int
    patience: float
    reply: Reply = field(default_factory=Reply)
    messages: list[Message] = field(default_factory=list)
    events: list[StreamEvent] = field(default_factory=list)
    ending: Ending = Ending.OPEN
    why: str = ""
    end: int = 0
    begun: float = 0.0
    ended: float | None = None
    pulse: Pulse = field(default_factory=Pulse)
    dispatched: anyio.Event = field(default_factory=anyio.Event)
    depart: Callable[[Departure], Awaitable[None]] | None = None
    token: Any = None
    hold: Hold = field(default_factory=Hold)
    flooded: bool = False
    """We stopped reading: it was longer than what we take in."""
    settle: Callable[[Exchange], Outcome | None] | None = None
    """How the end of this call is told, where it is not by a JSON-RPC response; None: no end yet."""

    def admitted(self) -> None:
        """The request is held back no longer."""
        self.hold.end()
        self.begun = anyio.current_time()

    def arrived(self, message: Message) -> None:
        self.messages.append(message)
        self.pulse.beat()

    def close(self, ending: Ending, why: str, record: int) -> None:
        self.ending, self.why, self.end, self.ended = ending, why, record, anyio.current_time()
        self.hold.end()
        self.pulse.beat()

    @property
    def responses(self) -> list[Message]:
        """Every response that carries this request's id; a correct peer sends at most one."""
        return [m for m in self.messages if is_response(m) and same_id(m.payload.get("id"), self.request_id)]

    @property
    def last_event_id(self) -> str | None:
        return next((event.id for event in reversed(self.events) if event.id), None)

    def notifications(self, method: str) -> list[Message]:
        return [m for m in self.messages if m.method == method and "id" not in m.payload]

    @property
    def progress(self) -> list[Message]:
        return self.notifications("notifications/progress")

    async def until(self, look: Callable[[Exchange], T | None], within: float | None = None) -> T | None:
        """Wait for `look` to find something here; None after `within` seconds (default: patience).

        While the request is held back they do not begin.
        """
        seconds, begun, due = self.patience if within is None else within, anyio.current_time(), -math.inf
        while (latest := max(begun, self.hold.ended) + seconds) > due:
            due = latest
            if (found := await self.pulse.until(lambda: look(self), due - anyio.current_time())) is not None:
                return found
            await self.hold.over()
        return None

    async def message(
        self, wanted: Callable[[Message], bool], within: float | None = None, skip: int = 0
    ) -> Message | None:
        """The first message after the first `skip` that is wanted."""
        return await self.until(lambda x: next((m for m in x.messages[skip:] if wanted(m)), None), within)

    async def progressed(self, times: int, within: float | None = None) -> bool:
        """Wait until `times` progress notifications came. False when the stream ended or time is up first."""
        enough = await self.until(lambda x: self._count_or_end(times), within)
        return bool(enough)

    def _count_or_end(self, times: int) -> bool | None:
        if len(self.progress) >= times:
            return True
        return False if self.ending is not Ending.OPEN or self.responses else None

    async def outcome(self, within: float | None = None) -> Outcome:
        """The end of this call. Lost with Ending.OPEN when `within` seconds pass without one."""
        found: Outcome | None = await self.until(lambda x: x._outcome(), within)
        return found or Lost(Ending.OPEN, "no answer in time", (self.sent,), self.reply)

    def _outcome(self) -> Outcome | None:
        if self.settle is not None:
            return self.settle(self)
        if self.responses:
            return self.answered_by(self.responses[0])
        if self.ending is Ending.OPEN:
            return None
        return self._from_ending()

    def answered_by(self, message: Message) -> Outcome:
        """The end of this call, if that response is its answer."""
        records = (self.sent, message.record)
        if "error" not in message.payload:
            return Answer(message.payload.get("result"), message, records, self.reply)
        return _refusal(message, records, self.reply)

    def _from_ending(self) -> Outcome:
        records = (self.sent, self.end)
        status = self.reply.status
        error = next((m for m in self.messages if isinstance(m.payload, dict) and "error" in m.payload), None)
        if error is not None:
            return _refusal(error, (self.sent, error.record), self.reply)
        if status is not None and status >= 300:
            return Refusal(None, f"HTTP {status}", None, records, self.reply)
        if status is not None and self.ending is Ending.CLOSED and not self.messages and not self.events:
            return Accepted(records, self.reply)
        return Lost(self.ending, self.why or f"the stream ended ({self.ending}) without an answer", records, self.reply)

    async def status(self, within: float | None = None) -> int | None:
        """The HTTP status, once the head of the response has come; None when none comes in time."""
        await self.until(lambda x: x.reply.status or (x.ending is not Ending.OPEN) or None, within)
        return self.reply.status

    async def finished(self, within: float | None = None) -> bool:
        """Wait until the stream or body ends. False while it is still open after `within` seconds."""
        return bool(await self.until(lambda x: True if x.ending is not Ending.OPEN else None, within))

    async def leave(self, how: Departure = Departure.FIN) -> None:
        """Walk away from this exchange: FIN and RST end the connection, HALF only our sending side."""
        if self.depart is not None:
            await self.depart(how)


def is_response(message: Message) -> bool:
    payload = message.payload
    return isinstance(payload, dict) and "method" not in payload and ("result" in payload or "error" in payload)


def _refusal(message: Message, records: tuple[int, ...], reply: Reply) -> Refusal:
    error = message.payload["error"]
    error = error if isinstance(error, dict) else {}
    code = error.get("code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    return Refusal(code, str(error.get("message", "")), error.get("data"), records, reply, message)
