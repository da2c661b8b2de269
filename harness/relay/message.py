"""HTTP/1.1 messages as a relay needs them: understood, yet kept byte for byte."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from http import HTTPStatus

import anyio
import h11
from anyio.abc import ByteStream

from ..faults.exchange import HttpAnswer, HttpRequest, WholeAnswer
from ..faults.stage import Headers

HEAD_LIMIT = 1024 * 1024
BODY_LIMIT = 16 * 1024 * 1024
_BLANK_LINE = re.compile(rb"\n\r?\n")
_FRAMING = ("content-length", "transfer-encoding")
_GOING_ON = (h11.SEND_RESPONSE, h11.SEND_BODY)
"""States in which what comes belongs to the same message, or to the answer that follows an interim one."""


@dataclass(slots=True)
class Channel:
    """A connection, and bytes of it that were read but not used yet."""

    stream: ByteStream
    pending: bytes = b""

    async def read(self) -> bytes:
        """Some bytes; none at the end."""
        if not self.pending:
            await self.fill()
        data, self.pending = self.pending, b""
        return data

    async def receive(self) -> bytes:
        """The same as a source of bytes. Raises EndOfStream."""
        if data := await self.read():
            return data
        raise anyio.EndOfStream

    async def fill(self) -> bool:
        """Read once more into `pending`; false at the end."""
        try:
            data = await self.stream.receive()
        except anyio.EndOfStream:
            return False
        self.pending += data
        return True


@dataclass(frozen=True, slots=True)
class Request:
    """A whole request and its bytes. `torn`: the client's sending ends with them."""

    http: HttpRequest
    raw: bytes
    torn: bool = False

    def changed(self, http: HttpRequest) -> Request:
        """Another request in its place. A body that stays the same stays framed as it was."""
        if http.body == self.http.body:
            body = _BLANK_LINE.split(self.raw, maxsplit=1)[1]
        else:
            kept = (pair for pair in http.headers if pair[0].lower() not in _FRAMING)
            http = replace(http, headers=(*kept, ("Content-Length", str(len(http.body)))))
            body = http.body
        version = self.raw.split(b"\n", 1)[0].split()[-1].decode("latin-1")
        return Request(http, written(f"{http.verb} {http.target} {version}", http.headers) + body)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Bytes that are no message of HTTP/1.1 that the relay follows: they and all that comes after pass untouched."""

    raw: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a response and its bytes. `final` is false for 1xx. `framed`: a body in chunks."""

    status: int
    headers: Headers
    raw: bytes
    final: bool

    @property
    def switching(self) -> bool:
        """Whether another protocol follows on the connection."""
        return self.status == HTTPStatus.SWITCHING_PROTOCOLS

    @property
    def framed(self) -> bool:
        return any(name.lower() == "transfer-encoding" for name, _ in self.headers)

    @property
    def http(self) -> HttpAnswer:
        return HttpAnswer(self.status, self.headers)

    def changed(self, http: HttpAnswer) -> Head:
        """Another head in its place, with the reason that this one gives."""
        reason = self.raw.split(b"\n", 1)[0].strip().decode("latin-1").split(" ", 2)[2:]
        line = " ".join(["HTTP/1.1", str(http.status), *reason])
        return Head(http.status, http.headers, written(line, http.headers), self.final)


def written(line: str, headers: Headers) -> bytes:
    """A head."""
    lines = [line, *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")


async def read_request(channel: Channel) -> Request | Opaque | None:
    """The next request of a client; None when it has none any more. Raises BrokenResourceError."""
    reading = _Reading(channel, h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT))
    head, body = None, bytearray()
    while True:
        event = await reading.event()
        if isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage) and head:
            http = HttpRequest(head.method.decode(), head.target.decode("latin-1"), headers_of(head), bytes(body))
            return Request(http, reading.taken())
        elif isinstance(event, h11.ConnectionClosed) and not reading.raw:
            return None
        else:
            return Opaque(bytes(reading.raw))
        if len(body) > BODY_LIMIT or reading.machine.they_are_waiting_for_100_continue:
            return Opaque(bytes(reading.raw))


@dataclass(slots=True)
class _Reading:
    """h11 over a channel, with the bytes of the message in the making."""

    channel: Channel
    machine: h11.Connection
    raw: bytearray = field(default_factory=bytearray)

    async def event(self) -> object:
        """The next event of h11; an exception of it as a value."""
        try:
            while (event := self.machine.next_event()) is h11.NEED_DATA:
                data = await self.channel.read()
                self.raw += data
                self.machine.receive_data(data)
        except h11.RemoteProtocolError as error:
            return error
        return event

    def taken(self) -> bytes:
        """The bytes up to the last event; what follows goes back to the channel or stays with the machine."""
        rest = self.machine.trailing_data[0]
        raw = bytes(self.raw[: len(self.raw) - len(rest)])
        self.raw.clear()
        if self.machine.their_state in _GOING_ON:
            self.raw += rest
        else:
            self.channel.pending = rest
        return raw


class ResponseReading:
    """One response of a target: its heads, then its body in the pieces in which it comes."""

    def __init__(self, channel: Channel, verb: str) -> None:
        machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT)
        # whatever was proposed, it is the target that says by 101 whether another protocol follows
        machine.send(h11.Request(method=verb, target="/", headers=[("Host", "target"), ("Upgrade", "any")]))
        machine.send(h11.EndOfMessage())
        self._reading = _Reading(channel, machine)
        self.trailers: Headers = ()

    async def head(self) -> Head | Opaque:
        event = await self._reading.event()
        if not isinstance(event, h11.Response | h11.InformationalResponse):
            return Opaque(bytes(self._reading.raw))
        final = isinstance(event, h11.Response)
        return Head(event.status_code, headers_of(event), self._reading.taken(), final)

    async def receive(self) -> bytes:
        """A piece of the body. Raises EndOfStream; BrokenResourceError when it was torn by RST, Torn by FIN."""
        event = await self._reading.event()
        if isinstance(event, h11.Data):
            self._reading.raw.clear()
            return bytes(event.data)
        if not isinstance(event, h11.EndOfMessage):
            raise Torn
        self.trailers = headers_of(event)
        self._reading.taken()
        raise anyio.EndOfStream

    async def whole(self) -> WholeAnswer:
        """All of the answer. What is no HTTP or torn is what came of it. Raises Endless, BrokenResourceError."""
        kept = bytearray()
        while isinstance(head := await self.head(), Head):
            kept += head.raw
            if head.final:
                kept += await self._body()
                return WholeAnswer(bytes(kept), not self.reusable)
        return WholeAnswer(bytes(kept) + head.raw, True)

    async def _body(self) -> bytes:
        while isinstance(event := await self._reading.event(), h11.Data):
            if len(self._reading.raw) > BODY_LIMIT:
                raise Endless
        return self._reading.taken() if isinstance(event, h11.EndOfMessage) else bytes(self._reading.raw)

    @property
    def reusable(self) -> bool:
        """Whether the connection may carry another exchange."""
        return self._reading.machine.their_state is h11.DONE


class Torn(Exception):
    """A response ended inside its body."""


class Endless(Exception):
    """A response is longer than may be kept."""


def headers_of(event: h11.Request | h11.Response | h11.InformationalResponse | h11.EndOfMessage) -> Headers:
    """Names in their own case, in their order, each occurrence."""
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers.raw_items())
