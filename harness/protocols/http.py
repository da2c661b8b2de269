"""HTTP for every protocol: requests begun at once, their bodies and event streams read in the background."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

import anyio
from anyio.abc import TaskGroup

from ..pace import Pace, Withheld
from ..transcript import Kind, Recorder
from ..transport.http import Holder, HttpClient, HttpFailure, HttpResponse
from ..wire.json import JsonError, loads
from ..wire.sse import SseDecoder, SseError, SseEvent
from .carrier import Guard, HeaderPairs, Listener, end, unguarded
from .exchange import FLOOD, NO_ID, Departure, Exchange, StreamEvent
from .limits import rest
from .outcome import Ending, Message, Reply

MAX_BODY = 16 * 1024 * 1024
"""Bytes of one body or stream that are read before the target is cut off."""

POST_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
GET_HEADERS = {"Accept": "text/event-stream"}


class HttpCarrier:
    """Each exchange reads in a task of its own, so that several streams are open at once."""

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
        self.binding = binding
        self.guard: Guard = unguarded
        self.url, self.client, self.recorder, self.patience = url, client, recorder, patience
        self.base_headers = dict(headers or {})
        self.listener: Listener | None = None
        self.heeds = True
        """Whether a request that came too soon for the target is sent again later, instead of taken for answered."""
        self.query = ""
        """Sent behind the URL and never recorded: it may hold a secret."""
        self._tasks = tasks
        self._numbers: Counter[str] = Counter()
        self._lane = recorder.lane()
        self._open: dict[Exchange, None] = {}
        self._closed = False

    async def send(
        self, body: bytes, shown: Any, headers: Mapping[str, str | None], request_id: Any, token: Any = None
    ) -> Exchange:
        return self.start("POST", {**POST_HEADERS, **headers}, body, shown, request_id, token)

    def start(
        self,
        verb: str,
        headers: Mapping[str, str | None],
        body: bytes | None = None,
        shown: Any = None,
        request_id: Any = NO_ID,
        token: Any = None,
        extra: HeaderPairs = (),
        url: str = "",
    ) -> Exchange:
        """Begin an exchange and read it in the background. A header of None is left out. `url`: not the usual one.

        Raises Withheld for what the target must not be sent.
        """
        self.guard(body, shown)
        self.pace.require()
        place = url or self.url
        merged = {**self.base_headers, **headers}
        pairs = (*((name, value) for name, value in merged.items() if value is not None), *extra)
        operation = self._operation(verb)
        sent = self.recorder.note(Kind.SENT, operation, verb=verb, url=place, headers=pairs, message=shown)
        exchange = Exchange(operation, request_id, sent, self.patience, begun=anyio.current_time(), token=token)
        scope, holder = anyio.CancelScope(), Holder()
        exchange.depart = lambda how: self._depart(exchange, scope, holder, how)
        exchange.dispatched, holder.admitted = holder.sent, exchange.admitted
        exchange.hold.begin()
        self._open[exchange] = None
        self._tasks.start_soon(self._read, exchange, scope, holder, (verb, place + self.query), pairs, body)
        return exchange

    @property
    def pace(self) -> Pace:
        return self.client.pace

    @pace.setter
    def pace(self, pace: Pace) -> None:
        self.client.pace = pace

    def _operation(self, verb: str) -> str:
        self._numbers[verb] += 1
        return f"{verb.lower()}:{self._numbers[verb]}{self._lane}"

    @property
    def idle(self) -> bool:
        """Nothing is open: fit to be lent to another case."""
        return not self._open and not self._closed

    @property
    def starved(self) -> bool:
        return self._closed or any(x.request_id is not NO_ID and not x.responses for x in self._open)

    @property
    def death(self) -> None:
        """There is no process behind it that we started."""

    def lend(self, recorder: Recorder) -> None:
        """Begin a new case on this client."""
        self.recorder, self._lane = recorder, recorder.lane()
        self._numbers.clear()

    async def _depart(self, exchange: Exchange, scope: anyio.CancelScope, holder: Holder, how: Departure) -> None:
        if how is Departure.HALF:
            await holder.half_close()
            return
        if how is Departure.RST:
            await holder.reset()
        end(self.recorder, exchange, Ending.LEFT, f"left by {how.value}")
        scope.cancel()

    async def _read(
        self,
        exchange: Exchange,
        scope: anyio.CancelScope,
        holder: Holder,
        line: tuple[str, str],
        headers: Iterable[tuple[str, str]],
        body: bytes | None,
    ) -> None:
        """`line`: verb and URL."""
        with scope:
            try:
                wait = await self._tried(exchange, holder, line, headers, body)
                if wait is not None:
                    await self._again(exchange, wait, holder, line, headers, body)
                if exchange.request_id is not NO_ID and not exchange.responses:
                    holder.retire()  # who answers something else here may go on to do so
                end(self.recorder, exchange, Ending.CLOSED, "")
            except HttpFailure as failure:
                end(self.recorder, exchange, Ending.RESET if failure.reset else Ending.TORN, str(failure))
            except Withheld as withheld:
                self.recorder.note(
                    Kind.WITHHELD, exchange.operation, reason=withheld.reason.value, detail=withheld.detail
                )
                end(self.recorder, exchange, Ending.TORN, withheld.detail)
        self._open.pop(exchange, None)

    async def _tried(
        self,
        exchange: Exchange,
        holder: Holder,
        line: tuple[str, str],
        headers: Iterable[tuple[str, str]],
        body: bytes | None,
    ) -> float | None:
        """Send it once and read the answer. The seconds of rest that the target asks for instead; None: none."""
        async with self.client.stream(*line, headers, body, holder) as response:
            wait = rest(response.status, response.headers) if self.heeds else None
            if wait is None:
                self.pace.taken()
                await self._receive(exchange, response)
                return None
            shown = {"status": response.status, "headers": response.headers, "wait": wait}
            self.recorder.note(Kind.THROTTLED, exchange.operation, **shown)
            return wait

    async def _again(
        self,
        exchange: Exchange,
        wait: float,
        holder: Holder,
        line: tuple[str, str],
        headers: Iterable[tuple[str, str]],
        body: bytes | None,
    ) -> None:
        """Send it once more after the rest that the target asked for. Raises Withheld when that does not help."""
        exchange.hold.begin()
        self.pace.pause(wait)
        if await self._tried(exchange, holder, line, headers, body) is not None:
            self.pace.refuse(f"the target limits its clients, also after {wait:.0f} s of rest")

    async def _receive(self, exchange: Exchange, response: HttpResponse) -> None:
        exchange.reply = Reply(response.status, response.headers)
        self.recorder.note(Kind.STATUS, exchange.operation, status=response.status, headers=response.headers)
        exchange.pulse.beat()
        if exchange.reply.media_type == "text/event-stream" and response.status < 300:
            await self._stream(exchange, response.chunks)
        else:
            await self._body(exchange, response.chunks)

    async def _stream(self, exchange: Exchange, chunks: AsyncIterator[bytes]) -> None:
        decoder = SseDecoder()
        size = 0
        try:
            async for chunk in chunks:
                size += len(chunk)
                for event in decoder.feed(chunk):
                    await self._event(exchange, event)
                exchange.flooded = size > MAX_BODY or len(exchange.events) > FLOOD
                if size > MAX_BODY:
                    raise HttpFailure(f"the stream is longer than {MAX_BODY} bytes")
                if exchange.flooded:
                    raise HttpFailure(f"the stream has more than {FLOOD} events")
            for event in decoder.close():
                await self._event(exchange, event)
        except SseError as error:
            raise HttpFailure(f"not an event stream: {error}") from error

    async def _event(self, exchange: Exchange, event: SseEvent) -> None:
        payload = _decoded(event.data) if event.complete else None
        shown: dict[str, Any] = {"id": event.id, "event": event.event, "retry": event.retry, "comment": event.comment}
        if event.faults:
            shown["faults"] = list(event.faults)
        if event.framing:
            shown["framing"] = list(event.framing)
        if payload is None:
            shown.update(data=event.data, complete=event.complete)
            record = self.recorder.note(Kind.EVENT, exchange.operation, **shown)
        else:
            del shown["comment"]
            shown.update(message=payload, event_id=shown.pop("id"))
            record = self.recorder.note(Kind.RECEIVED, exchange.operation, **shown)
        now = anyio.current_time()
        kept = StreamEvent(record, event.position, event.event, event.data, event.retry, event.comment, now)
        exchange.events.append(kept)
        if payload is not None:
            await self._messages(exchange, payload, record, event.id)
        else:
            exchange.pulse.beat()

    async def _body(self, exchange: Exchange, chunks: AsyncIterator[bytes]) -> None:
        read = bytearray()
        async for chunk in chunks:
            read += chunk
            if len(read) > MAX_BODY:
                raise HttpFailure(f"the body is longer than {MAX_BODY} bytes")
        body = bytes(read)
        exchange.reply = Reply(exchange.reply.status, exchange.reply.headers, body)
        if not body:
            return
        payload = _decoded(body)
        if payload is None:
            self.recorder.note(Kind.RECEIVED, exchange.operation, raw=body.decode("utf-8", "replace"))
            return
        record = self.recorder.note(Kind.RECEIVED, exchange.operation, message=payload)
        await self._messages(exchange, payload, record)

    async def _messages(self, exchange: Exchange, payload: Any, record: int, event_id: str | None = None) -> None:
        """Hand over one message, or each of a JSON-RPC batch; without envelopes an array is one answer."""
        batch = payload if isinstance(payload, list) and exchange.settle is None else [payload]
        for part in batch:
            message = Message(part, record, event_id, anyio.current_time())
            exchange.arrived(message)
            if self.listener is not None:
                await self.listener(exchange, message)

    async def aclose(self) -> None:
        self._closed = True
        for exchange in list(self._open):
            await exchange.leave()
        await self.client.aclose()


def _decoded(text: str | bytes | None) -> Any:
    """The JSON value of a text; None when it is no JSON (a bare `null` is no message either)."""
    if not text:
        return None
    try:
        return loads(text)
    except JsonError:
        return None
