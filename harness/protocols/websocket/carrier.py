"""One WebSocket connection: frames out, and everything that comes back, in order."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha1
from typing import Any
from urllib.parse import urlsplit

import anyio
from anyio.abc import ByteStream, TaskGroup

from ...pace import Pace
from ...relay.message import Channel, Head, ResponseReading
from ...transcript import Kind, Recorder
from ...transport.http import HttpClient
from ...wire import http1
from ...wire.json import JsonError, loads
from ...wire.websocket import FRAME_LIMIT, Frame, FrameDecoder, FrameTooLong, Opcode
from ..carrier import Guard, HeaderPairs, Listener, end, unguarded
from ..exchange import FLOOD, NO_ID, Exchange, is_response, same_id
from ..outcome import Ending, Message, Reply

BINDING = "websocket"
VERSION = "13"
"""What Sec-WebSocket-Version says of RFC 6455."""

KEY = b"sail"
"""Masks every frame. One that cannot be guessed (5.3) protects intermediaries from what scripts in browsers say; here
equal runs send equal bytes."""
_NONCE = b64encode(b"seatrial at sea!").decode()
ACCEPT = b64encode(sha1(f"{_NONCE}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()).decode()


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame of the target, with the record that holds it."""

    record: int
    frame: Frame


class WebSocketCarrier:
    """`connection` is the exchange of the handshake, which ends with the connection; `heard` are its frames.

    Pings and Close frames are answered as 5.5 wants it.
    """

    def __init__(
        self,
        binding: str,
        url: str,
        client: HttpClient,
        tasks: TaskGroup,
        recorder: Recorder,
        *,
        headers: Mapping[str, str | None] | None = None,
        patience: float = 5.0,
    ) -> None:
        self.binding, self.url, self.client, self.patience = binding, url, client, patience
        self.base_headers = dict(headers or {})
        self.listener: Listener | None = None
        self.pace = Pace()
        self.guard: Guard = unguarded
        self.heeds = True
        self.heard: list[Heard] = []
        self._tasks = tasks
        self._scope = anyio.CancelScope()
        self._stream: ByteStream | None = None
        self._text = bytearray()
        self._count, self._closing = 0, False
        self._running: list[Exchange] = []
        self.lend(recorder)

    def lend(self, recorder: Recorder) -> None:
        self.recorder, self._lane = recorder, recorder.lane()
        self.connection = Exchange(f"get:1{self._lane}", NO_ID, 0, self.patience)
        self.heard.clear()
        self._running.clear()

    @property
    def idle(self) -> bool:
        """Open, with every request answered."""
        heard = self._stream is not None and self.connection.ending is Ending.OPEN
        return heard and all(exchange.responses for exchange in self._running)

    @property
    def starved(self) -> bool:
        return not self.idle

    @property
    def death(self) -> Mapping[str, Any] | None:
        return None

    # The handshake

    async def connect(self) -> Exchange:
        """Shake hands, and read in the background from then on. Raises Withheld."""
        await self.pace.admit()
        place, exchange, pairs = urlsplit(self.url), self.connection, self._headers()
        note = self.recorder.note
        exchange.sent = note(Kind.SENT, exchange.operation, verb="GET", url=self.url, headers=pairs)
        exchange.admitted()
        target = (place.path or "/") + (f"?{place.query}" if place.query else "")
        try:
            with anyio.fail_after(self.patience):
                self._stream = await self.client.backend.dial(place.hostname or "", place.port or 80)
                await self._stream.send(http1.request("GET", target, pairs))
                await self._shake(Channel(self._stream))
        except TimeoutError:
            self._ended(Ending.LEFT, "the handshake was not answered in time")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            self._ended(Ending.RESET, f"no connection: {str(error) or type(error).__name__}")
        return exchange

    def _headers(self) -> HeaderPairs:
        own = {"Upgrade": BINDING, "Connection": "Upgrade", "Sec-WebSocket-Version": VERSION}
        merged = {**self.base_headers, "Host": urlsplit(self.url).netloc, **own, "Sec-WebSocket-Key": _NONCE}
        return tuple((name, value) for name, value in merged.items() if value is not None)

    async def _shake(self, channel: Channel) -> None:
        head = await ResponseReading(channel, "GET").head()
        if not isinstance(head, Head):
            return self._ended(Ending.TORN, "what came is no response of HTTP")
        self.connection.reply = Reply(head.status, head.headers)
        operation = self.connection.operation
        self.connection.end = self.recorder.note(Kind.STATUS, operation, status=head.status, headers=head.headers)
        if head.switching and self.connection.reply.header("sec-websocket-accept") == ACCEPT:
            self._tasks.start_soon(self._read, channel)
            return None
        return self._ended(Ending.CLOSED, "the handshake was refused")

    # What comes

    async def _read(self, channel: Channel) -> None:
        decoder = FrameDecoder()
        with self._scope:
            try:
                while True:
                    for frame, _ in decoder.feed(await channel.receive()):
                        await self._take(frame)
            except anyio.EndOfStream:
                self._ended(Ending.CLOSED, "the target ended the connection")
            except FrameTooLong as error:
                self._ended(Ending.LEFT, str(error))
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                self._ended(Ending.RESET, "the connection was reset")

    async def _take(self, frame: Frame) -> None:
        if len(self.heard) >= FLOOD:
            raise FrameTooLong(f"more than {FLOOD} frames came in one case")
        if frame.control:
            self.heard.append(Heard(self._note(Kind.RECEIVED, frame, None), frame))
            await self._answer(frame)
        else:
            await self._part(frame)
        self.connection.pulse.beat()

    async def _answer(self, frame: Frame) -> None:
        if frame.opcode == Opcode.PING:
            await self.say(replace(frame, opcode=Opcode.PONG, key=KEY))
        elif frame.opcode == Opcode.CLOSE and not self._closing:
            await self.say(replace(frame, key=KEY))

    async def _part(self, frame: Frame) -> None:
        """A frame of a message; the last one is recorded with the whole of it."""
        self._text += frame.payload
        if len(self._text) > FRAME_LIMIT:
            raise FrameTooLong(f"a message is longer than {FRAME_LIMIT} bytes")
        payload = _json(bytes(self._text)) if frame.fin else None
        record = self._note(Kind.RECEIVED, frame, payload)
        self.heard.append(Heard(record, frame))
        if frame.fin:
            self._text.clear()
        if payload is not None:
            await self._message(Message(payload, record, None, anyio.current_time()))

    async def _message(self, message: Message) -> None:
        owner = next((one for one in self._running if _answers(message, one)), self.connection)
        owner.arrived(message)
        if self.listener is not None:
            await self.listener(owner, message)

    def _ended(self, ending: Ending, why: str) -> None:
        for exchange in (*self._running, self.connection):
            end(self.recorder, exchange, ending, why)

    # What is said

    async def say(self, frame: Frame, shown: Any = None) -> int:
        """Send any frame, legal or not; the record that shows it. What cannot be sent any more is not missed: how the
        connection ended is read. Raises Withheld."""
        self.guard(frame.payload, shown)
        self._closing |= frame.opcode == Opcode.CLOSE
        record = self._note(Kind.SENT, frame, shown)
        try:
            with anyio.move_on_after(self.patience):
                assert self._stream is not None, "no connection was made"
                await self._stream.send(frame.encode())
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            pass
        return record

    async def send(
        self, body: bytes, shown: Any, headers: Mapping[str, str | None], request_id: Any, token: Any = None
    ) -> Exchange:
        await self.pace.admit()
        self._count += 1
        sent = await self.say(Frame(Opcode.TEXT, body, key=KEY), shown)
        operation = f"text:{self._count}{self._lane}"
        exchange = Exchange(operation, request_id, sent, self.patience, begun=anyio.current_time(), token=token)
        exchange.dispatched.set()
        self._running += [exchange] if request_id is not NO_ID else []
        if self.connection.ending is not Ending.OPEN:
            end(self.recorder, exchange, self.connection.ending, self.connection.why)
        return exchange

    def _note(self, kind: Kind, frame: Frame, shown: Any) -> int:
        """`verb` is the kind of frame, `raw` its payload where it is no JSON."""
        known = Opcode(frame.opcode).name.lower() if frame.opcode in list(Opcode) else f"opcode {frame.opcode}"
        data = {"raw": _shown(frame)} if shown is None else {"message": shown}
        return self.recorder.note(kind, self.connection.operation, verb=known, fin=frame.fin, **data)

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            self._scope.cancel()
            self._ended(Ending.LEFT, "left by us")
            if self._stream is not None:
                await self._stream.aclose()
            await self.client.aclose()


def _json(text: bytes) -> Any:
    """The JSON value of a text; None where it is none."""
    try:
        return loads(text)
    except JsonError:
        return None


def _answers(message: Message, exchange: Exchange) -> bool:
    return is_response(message) and same_id(message.payload.get("id"), exchange.request_id)


def _shown(frame: Frame) -> str:
    """A payload as a text; that of a Close frame begins with its code."""
    code, rest = frame.payload[:2], frame.payload[2:]
    if frame.opcode == Opcode.CLOSE and len(code) == 2:
        return f"{int.from_bytes(code, 'big')} {rest.decode('utf-8', 'replace')}".rstrip()
    return frame.payload.decode("utf-8", "backslashreplace")
