"""One connection of a sender, read and answered as HTTP/1.1 (sans-IO by h11)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import anyio
import h11
from anyio.abc import ByteStream

from ..faults.exchange import HttpRequest
from ..faults.stage import Headers, How
from ..relay.link import end
from ..relay.message import headers_of

HEAD_LIMIT = 64 * 1024
BODY_LIMIT = 1024 * 1024
"""Bytes of one delivery that are taken."""
AHEAD_LIMIT = 256 * 1024
"""Bytes that a sender may say while it waits for an answer."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request. Not `whole`: too large, or its sender went away inside it; the body is its beginning."""

    http: HttpRequest
    whole: bool
    oversize: bool


@dataclass(slots=True, eq=False)
class Conversation:
    """`left` once the sender has gone; `code` is the status of the latest answer, 0 for none.

    A sender that ends its half of the connection while it waits for an answer counts as gone: HTTP clients that
    still read do not do that.
    """

    stream: ByteStream
    left: bool = False
    over: bool = False
    code: int = 0
    _http: h11.Connection = field(
        default_factory=lambda: h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
    )

    async def next(self) -> Arrival | None:
        """The next request; None when there will be no other. Raises h11.RemoteProtocolError."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        head = None if self.over or self._http.our_state is not h11.IDLE else await self._event()
        if not isinstance(head, h11.Request):
            return None
        self.code = 0
        if self._http.they_are_waiting_for_100_continue:
            await self._send(h11.InformationalResponse(status_code=100, headers=[]))
        body, whole = await self._body()
        http = HttpRequest(head.method.decode(), head.target.decode("latin-1"), headers_of(head), body[:BODY_LIMIT])
        return Arrival(http, whole, len(body) > BODY_LIMIT)

    async def _body(self) -> tuple[bytes, bool]:
        """What came of the body, read no further than just beyond the limit, and whether it is all of it."""
        body = bytearray()
        with suppress(h11.RemoteProtocolError):
            while len(body) <= BODY_LIMIT:
                event = await self._event()
                if not isinstance(event, h11.Data):
                    return bytes(body), isinstance(event, h11.EndOfMessage)
                body += event.data
        return bytes(body), False

    async def _event(self) -> h11.Event | None:
        """The next event; None when the sender is gone."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            await self._receive()
        return event if isinstance(event, h11.Event) and not isinstance(event, h11.ConnectionClosed) else None

    async def _receive(self) -> None:
        if self.left:
            raise anyio.BrokenResourceError
        try:
            self._http.receive_data(await self.stream.receive())
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self.left = True
            self._http.receive_data(b"")

    async def departure(self) -> None:
        """Returns when the sender has gone."""
        while not self.left:
            if len(self._http.trailing_data[0]) > AHEAD_LIMIT:
                await anyio.sleep_forever()
            await self._receive()

    async def answer(self, code: int, headers: Headers, body: bytes) -> None:
        """Raises BrokenResourceError or ClosedResourceError when the sender cannot be reached any more."""
        bare = code in (204, 304)
        length = () if bare else (("Content-Length", str(len(body))),)
        data = () if bare or not body else (h11.Data(data=body),)
        await self._send(h11.Response(status_code=code, headers=[*headers, *length]), *data, h11.EndOfMessage())
        self.code = code

    async def begin(self, code: int, headers: Headers) -> None:
        """Open an answer that comes in pieces. Raises as `answer` does, and so do the two that follow."""
        await self._send(h11.Response(status_code=code, headers=list(headers)))
        self.code = code

    async def say(self, data: bytes) -> None:
        await self._send(h11.Data(data=data))

    async def finish(self) -> None:
        await self._send(h11.EndOfMessage())

    async def refuse(self, code: int) -> None:
        """Answer what cannot be read, and end the connection."""
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            await self.answer(code, (("Connection", "close"),), b"")
        await self.end(How.FIN)

    async def end(self, how: How) -> None:
        self.over = True
        await end(how, self.stream)

    async def _send(self, *events: h11.Event) -> None:
        """All at once: between two pieces a sender could have its answer before we know that it has."""
        try:
            await self.stream.send(b"".join(self._http.send(event) or b"" for event in events))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self.left = True
            raise
