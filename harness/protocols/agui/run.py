"""One run in flight: its events as they come, what they amount to, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..exchange import Departure, Exchange
from ..outcome import Answer, Ending, Lost, Message, Outcome, Refusal
from .asking import Object
from .history import History
from .versions import EVENT_STREAM

T = TypeVar("T")

FINISHED, ERROR = "RUN_FINISHED", "RUN_ERROR"
TERMINAL = (FINISHED, ERROR)
TEXTS = ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK")


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event as it came. `type` is "" where it names none; `time` is in seconds of the run's clock."""

    type: str
    payload: Mapping[str, Any]
    record: int
    time: float

    def text(self, name: str) -> str | None:
        """A member that is a string, None for anything else."""
        value = self.payload.get(name)
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as it was streamed. `arguments` is the text that its deltas join to."""

    id: str
    name: str
    arguments: str


def events(exchange: Exchange) -> list[RunEvent]:
    """The events of a stream; none where the body is something else."""
    if exchange.reply.media_type != EVENT_STREAM:
        return []
    return [_event(message) for message in exchange.messages]


def _event(message: Message) -> RunEvent:
    members = message.payload if isinstance(message.payload, dict) else {}
    type_ = members.get("type")
    return RunEvent(type_ if isinstance(type_, str) else "", members, message.record, message.time)


def terminal(seen: list[RunEvent], run: str | None) -> RunEvent | None:
    """What ended the requested run: the last RUN_FINISHED or RUN_ERROR after its start.

    Runs of the past may be replayed before it. Where its start never came, any end is its end.
    """
    starts = [n for n, e in enumerate(seen) if e.type == "RUN_STARTED"]
    own = [n for n in starts if seen[n].text("runId") == run]
    begin = (own or starts or [0])[-1]
    return next((event for event in reversed(seen[begin:]) if event.type in TERMINAL), None)


def settled(exchange: Exchange, run: str | None) -> Outcome | None:
    """The end of the call that asked for a run: its terminal event, else the end of the body."""
    last = terminal(events(exchange), run)
    if last is None:
        return None if exchange.ending is Ending.OPEN else _without_end(exchange)
    records = (exchange.sent, last.record)
    message = Message(last.payload, last.record, None, last.time)
    if last.type == ERROR:
        return Refusal(None, last.text("message") or "", dict(last.payload), records, exchange.reply, message)
    if exchange.ending in (Ending.TORN, Ending.RESET):
        return Lost(exchange.ending, exchange.why, (*records, exchange.end), exchange.reply)
    return Answer(dict(last.payload), message, records, exchange.reply)


def _without_end(exchange: Exchange) -> Outcome:
    records, status = (exchange.sent, exchange.end), exchange.reply.status
    if status is not None and status >= 300:
        body = exchange.messages[0].payload if exchange.messages else None
        return Refusal(None, f"HTTP {status}", body, records, exchange.reply)
    why = exchange.why or f"the body ended ({exchange.ending}) without RUN_FINISHED or RUN_ERROR"
    return Lost(exchange.ending, why, records, exchange.reply)


@dataclass(slots=True, eq=False)
class Run:
    """A run that was asked for. `input` is the JSON that was sent."""

    exchange: Exchange
    input: Object
    _read: int = 0
    _events: list[RunEvent] = field(default_factory=list)

    # What came

    @property
    def thread(self) -> Any:
        return self.input.get("threadId")

    @property
    def run_id(self) -> Any:
        return self.input.get("runId")

    @property
    def status(self) -> int | None:
        return self.exchange.reply.status

    @property
    def sent(self) -> int:
        """The record of the request."""
        return self.exchange.sent

    @property
    def events(self) -> list[RunEvent]:
        """Every event so far, in the order of arrival."""
        if self._read < len(self.exchange.messages) and self.exchange.reply.media_type == EVENT_STREAM:
            self._events += [_event(message) for message in self.exchange.messages[self._read :]]
            self._read = len(self.exchange.messages)
        return self._events

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]

    def of(self, *types: str) -> list[RunEvent]:
        """The events of some types."""
        return [event for event in self.events if event.type in types]

    @property
    def started(self) -> RunEvent | None:
        """The last RUN_STARTED: that of the requested run, after those of replayed ones."""
        return next(iter(reversed(self.of("RUN_STARTED"))), None)

    @property
    def terminal(self) -> RunEvent | None:
        """The RUN_FINISHED or RUN_ERROR of the requested run, the last one; None before it."""
        return terminal(self.events, self.run_id if isinstance(self.run_id, str) else None)

    @property
    def finished_ok(self) -> bool:
        """Did it end in RUN_FINISHED, whatever its outcome?"""
        return self.terminal is not None and self.terminal.type == FINISHED

    @property
    def outcome(self) -> Object | None:
        """The outcome of RUN_FINISHED. An absent one is success; None where the run did not finish."""
        if self.terminal is None or self.terminal.type != FINISHED:
            return None
        found = self.terminal.payload.get("outcome")
        return found if isinstance(found, dict) else {"type": "success"}

    @property
    def interrupts(self) -> list[Object]:
        """What the run waits for; empty where its outcome is no interrupt."""
        found = (self.outcome or {}).get("interrupts")
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []

    # What it amounts to

    @property
    def text(self) -> str:
        """All that text messages say."""
        return "".join(event.text("delta") or "" for event in self.of(*TEXTS))

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The calls that were streamed, in order."""
        history = History([], {})
        for event in self.of("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"):
            history.take(dict(event.payload))
        whole = ((call["id"], call["function"]) for call in history.calls)
        return [ToolCall(ident, str(made["name"]), str(made["arguments"])) for ident, made in whole]

    @property
    def results(self) -> list[RunEvent]:
        return self.of("TOOL_CALL_RESULT")

    def messages(self) -> list[Any]:
        """The messages with which the next run of the thread begins: those of the input and all that was streamed."""
        return self._history().messages

    @property
    def state(self) -> Any:
        """The state after all snapshots and deltas."""
        return self._history().state

    def _history(self) -> History:
        messages = self.input.get("messages")
        history = History(messages if isinstance(messages, list) else [], self.input.get("state", {}))
        for event in self.events:
            history.take(dict(event.payload))
        return history

    # Waiting, `within` seconds (default: the patience)

    async def until(self, look: Callable[[Run], T | None], within: float | None = None) -> T | None:
        """Wait for `look` to find something; None in the end, or once the body has ended without it."""
        found = await self.exchange.until(lambda x: self._looked(look), within)
        return found[0] if found else None

    def _looked(self, look: Callable[[Run], T | None]) -> tuple[T | None] | None:
        found = look(self)
        return (found,) if found is not None or self.exchange.ending is not Ending.OPEN else None

    async def first(self, type_: str, within: float | None = None) -> RunEvent | None:
        """The first event of a type."""
        return await self.until(lambda run: next(iter(run.of(type_)), None), within)

    async def count(self, number: int, *types: str, within: float | None = None) -> bool:
        """Wait for so many events, of some types or of any."""
        enough = await self.until(lambda run: len(run.of(*types) if types else run.events) >= number or None, within)
        return bool(enough)

    async def ended(self, within: float | None = None) -> Ending:
        """How the body stands when it has ended, or when time is up."""
        await self.exchange.finished(within)
        return self.exchange.ending

    async def conclude(self, within: float | None = None) -> Outcome:
        """The end of the run: Answer for RUN_FINISHED, Refusal for RUN_ERROR (its text and event) or an HTTP error,
        else Lost. A body that goes on after the terminal event is given a fifth of the patience to end."""
        await self.exchange.outcome(within)
        await self.exchange.finished(self.exchange.patience / 5 if self.terminal else 0.0)
        return await self.exchange.outcome(0.0)

    async def leave(self, how: Departure = Departure.FIN) -> None:
        """Walk away from the stream."""
        await self.exchange.leave(how)
