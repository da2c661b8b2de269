"""Logical positions at which faults fire: never by the clock, always within one exchange."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from ..wire import json, jsonrpc, lines, sse, websocket
from .stage import Framing


class Counter(Protocol):
    """Finds one position in one flow."""

    def feed(self, data: bytes) -> int | None:
        """The offset in `data` at which it fires, once; None while it does not. The first call has no data."""
        ...

    def eof(self) -> bool:
        """Whether it fires at the end."""
        ...


@dataclass(slots=True)
class At:
    """Fires when so many bytes have passed; never when that is None."""

    position: int | None
    passed: int = 0

    def feed(self, data: bytes) -> int | None:
        start, self.passed = self.passed, self.passed + len(data)
        if self.position is None or not start <= self.position <= self.passed:
            return None
        offset, self.position = self.position - start, None
        return offset

    def eof(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Trigger:
    """A position. `request` is the number of the selected request from which on it counts."""

    name: ClassVar[str]

    @property
    def request(self) -> int:
        return 1

    @property
    def whole(self) -> bool:
        """Whether it fires before anything has flowed."""
        return False

    def counter(self, framing: Framing) -> Counter:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Connect(Trigger):
    """At the very beginning."""

    name: ClassVar[str] = "connect"

    @property
    def whole(self) -> bool:
        return True

    def counter(self, framing: Framing) -> Counter:
        return At(0)


@dataclass(frozen=True, slots=True)
class Requests(Trigger):
    """At the beginning of the n-th selected request."""

    name: ClassVar[str] = "request"
    n: int = 1

    @property
    def request(self) -> int:
        return self.n

    @property
    def whole(self) -> bool:
        return True

    def counter(self, framing: Framing) -> Counter:
        return At(0)


@dataclass(frozen=True, slots=True)
class Octets(Trigger):
    """After n bytes."""

    name: ClassVar[str] = "bytes"
    n: int = 0

    def counter(self, framing: Framing) -> Counter:
        return At(self.n)


@dataclass(frozen=True, slots=True)
class First(Trigger):
    """After the first occurrence of a text."""

    name: ClassVar[str] = "first"
    pattern: str = ""

    def counter(self, framing: Framing) -> Counter:
        return _Find(self.pattern.encode())


@dataclass(slots=True)
class _Find:
    pattern: bytes
    tail: bytes = b""
    found: bool = False

    def feed(self, data: bytes) -> int | None:
        seen = self.tail + data
        index = -1 if self.found else seen.find(self.pattern)
        self.found |= index >= 0
        offset = index + len(self.pattern) - len(self.tail)
        self.tail = seen[-len(self.pattern) + 1 :] if len(self.pattern) > 1 else b""
        return offset if index >= 0 else None

    def eof(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Eof(Trigger):
    """At the end of the flow."""

    name: ClassVar[str] = "eof"

    def counter(self, framing: Framing) -> Counter:
        return _AtEnd()


class _AtEnd:
    def feed(self, data: bytes) -> int | None:
        return None

    def eof(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Events(Trigger):
    """After n whole SSE events; 0: after the response's head, before its first event."""

    name: ClassVar[str] = "events"
    n: int = 1

    def counter(self, framing: Framing) -> Counter:
        return _Units(self.n, _Events()) if framing is Framing.SSE else At(None)


@dataclass(frozen=True, slots=True)
class Messages(Trigger):
    """After n JSON-RPC messages of a stream, or any n of a WebSocket; with `method`, only calls of it count."""

    name: ClassVar[str] = "messages"
    n: int = 1
    method: str = ""

    def counter(self, framing: Framing) -> Counter:
        if framing is Framing.SSE:
            return _Units(self.n, _Events(self.method))
        if framing is Framing.LINES:
            return _Units(self.n, _Lines(self.method))
        if framing is Framing.WEBSOCKET:
            return _Units(self.n, _Frames(self.method))
        return At(None)


class _UnitSource(Protocol):
    def feed(self, data: bytes) -> Iterable[tuple[int, bool]]:
        """Size in bytes of each unit that ends, and whether it counts."""
        ...


@dataclass(slots=True)
class _Units:
    """Fires after the n-th unit that counts. A stream that cannot be framed any more never fires."""

    n: int
    source: _UnitSource
    passed: int = 0
    framed: int = 0
    fired: bool = False

    def feed(self, data: bytes) -> int | None:
        if self.fired:
            return None
        start, self.passed = self.passed, self.passed + len(data)
        if self.n == 0:
            return self._fire(0)
        try:
            for size, counts in self.source.feed(data):
                self.framed += size
                self.n -= counts
                if self.n == 0:
                    return self._fire(self.framed - start)
        except ValueError:
            self.fired = True
        return None

    def _fire(self, offset: int) -> int:
        self.fired = True
        return offset

    def eof(self) -> bool:
        return False


@dataclass(slots=True)
class _Events:
    """SSE events; with `method`, only those that carry a message, which "" does not narrow further."""

    method: str | None = None
    decoder: sse.SseDecoder = field(default_factory=sse.SseDecoder)

    def feed(self, data: bytes) -> Iterable[tuple[int, bool]]:
        for event in self.decoder.feed(data):
            counts = event.dispatched and (self.method is None or is_call(event.data or "", self.method))
            yield len(event.raw), counts


@dataclass(slots=True)
class _Lines:
    method: str
    decoder: lines.LineDecoder = field(default_factory=lines.LineDecoder)

    def feed(self, data: bytes) -> Iterable[tuple[int, bool]]:
        for line in self.decoder.feed(data):
            yield len(line) + 1, is_call(line, self.method)


@dataclass(slots=True)
class _Frames:
    """Frames of a WebSocket, the last of a message counts."""

    method: str
    decoder: websocket.FrameDecoder = field(default_factory=websocket.FrameDecoder)
    message: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterable[tuple[int, bool]]:
        for frame, raw in self.decoder.feed(data):
            yield len(raw), not frame.control and self._ends(frame)

    def _ends(self, frame: websocket.Frame) -> bool:
        """Whether the frame is the last of a message that counts. Raises FrameTooLong."""
        self.message += frame.payload if self.method else b""
        if len(self.message) > self.decoder.limit:
            raise websocket.FrameTooLong(f"a message is longer than {self.decoder.limit} bytes")
        if not frame.fin:
            return False
        whole = bytes(self.message)
        self.message.clear()
        return not self.method or is_call(whole, self.method)


def is_call(text: str | bytes, method: str) -> bool:
    """Whether a text is a JSON-RPC message, with a method: a call of that."""
    try:
        message = jsonrpc.classify(json.loads(text))
    except json.JsonError:
        return False
    if isinstance(message, jsonrpc.Invalid):
        return False
    return not method or getattr(message, "method", None) == method


CONNECT = Connect()
EOF = Eof()
TRIGGERS: dict[str, type[Trigger]] = {
    kind.name: kind for kind in (Connect, Requests, Octets, First, Eof, Events, Messages)
}
