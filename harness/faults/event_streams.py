"""Faults of whole streams of server-sent events: their line ends, their tail, and which of them carries an answer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..wire import json, jsonrpc
from ..wire.sse import SseDecoder, SseError, SseEvent
from .exchange import Exchange, Forward, HttpAnswer, HttpRequest, Rewritten, header
from .fault import Armed, Fault, Mount
from .stage import Action, Direction, End, Flow, Framing, How, Stage
from .trigger import EOF, Trigger

RELAYED = frozenset({Mount.RELAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class CrOnly(Fault):
    """The lines of a stream end with CR alone, which every reader of event streams takes and AG-UI does not send."""

    name: ClassVar[str] = "cr_only"
    mounts: ClassVar[frozenset[Mount]] = RELAYED

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        mine = flow.framing is Framing.SSE and flow.direction is Direction.DOWN
        return _CrOnly(armed, flow) if mine else None


class _CrOnly(Stage):
    def __init__(self, armed: Armed, flow: Flow) -> None:
        self._armed, self._flow = armed, flow
        self._fires: bool | None = None
        self._after_cr = False

    def feed(self, data: bytes) -> Iterator[Action]:
        if b"\n" in data and self._fires is None:
            self._fires = self._armed.fire(self._flow.name)
        yield self._with_cr(data) if self._fires else data
        self._after_cr = data.endswith(b"\r") if data else self._after_cr

    def _with_cr(self, data: bytes) -> bytes:
        rest = data[1:] if self._after_cr and data.startswith(b"\n") else data
        return rest.replace(b"\r\n", b"\r").replace(b"\n", b"\r")


_LINE_END = re.compile(rb"\r\n|\r|\n")
_MANY = 64
"""Bytes of line ends that are held back at most: more than end any event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnterminatedTail(Fault):
    """A stream ends before the blank line of its last event, which thereby is none.

    Until the next event shows that it was not the last, the end of each is held back, at most `wait` seconds; a stream
    that ends later than that stays as it is.
    """

    name: ClassVar[str] = "unterminated_tail"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    after: Trigger = EOF
    wait: float = 0.5

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        mine = flow.framing is Framing.SSE and flow.direction is Direction.DOWN
        return _Unterminated(armed, flow, self.wait) if mine else None


class _Unterminated(Stage):
    def __init__(self, armed: Armed, flow: Flow, wait: float) -> None:
        self._armed, self._flow, self._wait = armed, flow, wait
        self._held = b""

    @property
    def patience(self) -> float:
        return self._wait if self._held else math.inf

    def feed(self, data: bytes) -> Iterator[Action]:
        data = self._held + data
        lines = data.rstrip(b"\r\n")
        self._held = data[len(lines) :]
        yield lines
        if len(self._held) > _MANY:
            yield from self.idle()

    def idle(self) -> Iterator[Action]:
        held, self._held = self._held, b""
        yield held

    def eof(self) -> Iterator[Action]:
        first = _LINE_END.match(self._held)
        if first and first.end() < len(self._held) and self._armed.fire(f"{self._flow.name}, its last event"):
            self._held = first.group()
        yield from self.idle()


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStreams(Fault):
    """The JSON-RPC response in an event stream comes on another one of the session, a GET stream before others.

    `on` and `after` select the request whose response goes astray; without another open stream it stays where it is.
    """

    name: ClassVar[str] = "two_streams"
    mounts: ClassVar[frozenset[Mount]] = RELAYED

    def concerns(self, request: HttpRequest) -> bool:
        return True

    @property
    def begins(self) -> int:
        return 1

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        armed.company = streams = armed.company or _Streams()
        leaves = exchange.request.verb == "POST" and exchange.request.matches(self.on)
        streams.selected += leaves
        shared = _Shared(armed, streams, exchange, leaves and streams.selected >= self.after.request)
        streams.by_exchange[exchange.name] = shared
        try:
            await forward()
        finally:
            del streams.by_exchange[exchange.name]

    def on_answer(self, armed: Armed, exchange: Exchange, answer: HttpAnswer) -> Rewritten | None:
        shared = answer.framing is Framing.SSE
        return Rewritten(answer, armed.company.by_exchange[exchange.name]) if shared else None


class _Streams:
    """The event streams of a relay, by the exchange that each belongs to."""

    def __init__(self) -> None:
        self.by_exchange: dict[str, _Shared] = {}
        self.selected = 0

    def other(self, than: _Shared) -> _Shared | None:
        """One of the same session that is open, a GET stream before others."""
        near = (stream for stream in self.by_exchange.values() if stream.session == than.session)
        others = [stream for stream in near if stream.wake and stream is not than]
        return min(others, key=lambda stream: stream.verb != "GET", default=None)


class _Shared(Stage):
    """Lets whole events pass, and between them what was meant for another stream. `wake` is set while it is open."""

    def __init__(self, armed: Armed, streams: _Streams, exchange: Exchange, leaves: bool) -> None:
        self._armed, self._streams, self._leaves = armed, streams, leaves
        self._decoder = SseDecoder()
        self._guests: list[bytes] = []
        self.verb, self._name = exchange.request.verb, exchange.name
        self.session = header(exchange.request.headers, "mcp-session-id")
        self.wake: Callable[[], None] | None = None

    def attach(self, wake: Callable[[], None]) -> None:
        self.wake = wake

    def feed(self, data: bytes) -> Iterator[Action]:
        try:
            events = self._decoder.feed(data)
        except SseError:  # no event, and so no way on
            yield End(How.RESET)
            return
        for event in events:
            yield b"" if self._leaves and self._gone(event) else event.raw
        yield from self.woken()

    def _gone(self, event: SseEvent) -> bool:
        """Whether an event now comes on another stream."""
        host = self._streams.other(than=self) if event.dispatched and _is_response(event.data or "") else None
        if host is None or not self._armed.fire(f"{self._name}, its response on {host._name}"):
            return False
        host.welcome(event.raw)
        return True

    def welcome(self, raw: bytes) -> None:
        self._guests.append(raw)
        if self.wake:
            self.wake()

    def woken(self) -> Iterator[Action]:
        guests, self._guests = self._guests, []
        yield from guests

    def eof(self) -> Iterator[Action]:
        self.wake = None
        yield from self.woken()
        yield self._decoder.rest


def _is_response(text: str) -> bool:
    try:
        message = jsonrpc.classify(json.loads(text))
    except json.JsonError:
        return False
    return isinstance(message, jsonrpc.Response | jsonrpc.ErrorResponse)
