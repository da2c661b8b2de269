"""One exchange as its client sees it, read from the bytes that the client gets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import anyio
import h11

from ..faults import HttpRequest
from ..redaction import of_url
from ..relay.message import HEAD_LIMIT
from ..relay.pump import Ended, Left
from ..transcript import BODY_LIMIT, Kind, Redactor
from ..transport.coding import CodingError, Unpacker, unpacker
from ..wire.json import JsonError, loads
from ..wire.sse import SseDecoder, SseError, SseEvent
from .traffic import Exchanged, Logged, Opened

METHODS = 3
"""So many methods of a batch are named."""


def asked(request: HttpRequest) -> str:
    """A request in short: verb, path without its query, methods."""
    methods = sorted(request.methods)
    more = (f"and {len(methods) - METHODS} more",) if len(methods) > METHODS else ()
    return " ".join((request.verb, request.target.partition("?")[0], *methods[:METHODS], *more))


@contextmanager
def overseen(logged: Logged, origin: str, operation: str, request: HttpRequest) -> Iterator[Sight]:
    """Around an exchange: tells and records what is asked, what is given, and how it ends."""
    url = origin + request.target
    shown = Redactor(tuple(of_url(url))).text(url)
    logged.note(Kind.SENT, operation, verb=request.verb, url=shown, headers=request.headers, **_shown(request.body))
    sight = Sight(logged, operation, request, anyio.current_time())
    ending = ""
    try:
        yield sight
    except BaseException as error:
        ending = why(error)
        raise
    finally:
        sight.end(ending)


def why(error: BaseException) -> str:
    """How an exchange was ended, in a word or a sentence."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case Left():
            return "the client left"
        case Ended():
            return error.how.value
        case anyio.BrokenResourceError() | anyio.ClosedResourceError():
            return "reset"
        case OSError():
            return f"the server cannot be reached: {error.strerror or error}"
        case _:
            return "left"


@dataclass(slots=True)
class Sight:
    """Reads an answer as its client does; of one that is no HTTP it counts the bytes."""

    logged: Logged
    operation: str
    request: HttpRequest
    begun: float
    status: int = 0
    media_type: str = ""
    events: int | None = None
    size: int = 0
    complete: bool = False
    lost: bool = False
    """What comes cannot be read any more."""
    _body: bytearray = field(default_factory=bytearray)
    _decoder: SseDecoder | None = None
    _unpacker: Unpacker | None = None
    _coded: bool = False
    _machine: h11.Connection = field(init=False)

    def __post_init__(self) -> None:
        self._machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_LIMIT)
        # h11 reads an answer only after a request: its verb, and what it offers to go on to, say how to.
        offers = [pair for pair in self.request.headers if pair[0].lower() in ("upgrade", "connection")]
        self._machine.send(h11.Request(method=self.request.verb, target="/", headers=[("Host", "server"), *offers]))
        self._machine.send(h11.EndOfMessage())

    def __call__(self, data: bytes) -> None:
        """Bytes that the client got."""
        self.size += len(data)
        self._read(data)

    def end(self, ending: str) -> None:
        """The exchange is over. An answer that ends with its connection is complete where that ends by FIN."""
        if ending == "fin" and not self.complete:
            self._read(b"")
        self._keep()
        seconds = anyio.current_time() - self.begun
        early = "" if self.complete else ending or "incomplete"
        self.logged.note(Kind.END, self.operation, ending=early or "closed", error="")
        self.logged.tell(
            Exchanged(
                self.operation,
                asked(self.request),
                self.status,
                self.media_type,
                self.events,
                self.size,
                seconds,
                early,
            )
        )

    def _read(self, data: bytes) -> None:
        if self.lost or self.complete:
            return
        try:
            self._machine.receive_data(data)
            while isinstance(event := self._machine.next_event(), h11.Event):
                self._take(event)
        except (h11.RemoteProtocolError, CodingError, SseError) as error:
            self.lost = True
            self.logged.note(Kind.NOTE, self.operation, text=f"this is not read further: {error}")

    def _take(self, event: h11.Event) -> None:
        match event:
            case h11.Response():
                self._head(event)
            case h11.Data():
                data = bytes(event.data)
                for piece in self._unpacker.feed(data) if self._unpacker else (data,):
                    self._content(piece)
            case h11.InformationalResponse() if event.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
                self._head(event)
                self.complete = True
            case h11.EndOfMessage():
                self.complete = True

    def _head(self, event: h11.Response | h11.InformationalResponse) -> None:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers.raw_items()]
        told = {name.lower(): value for name, value in headers}
        self.status, self.media_type = event.status_code, told.get("content-type", "").partition(";")[0].strip()
        self.logged.note(Kind.STATUS, self.operation, status=self.status, headers=headers)
        coding = told.get("content-encoding", "identity").lower()
        self._unpacker = unpacker(coding)
        self._coded = coding != "identity" and self._unpacker is None
        if self.media_type.lower() == "text/event-stream" and not self._coded:
            self._decoder, self.events = SseDecoder(), 0
            self.logged.tell(Opened(self.operation, asked(self.request), self.status))

    def _content(self, piece: bytes) -> None:
        """A piece of the body without its coding; of one with a coding that is not known nothing is kept."""
        if self._decoder:
            for event in self._decoder.feed(piece):
                self._event(event)
        elif not self._coded:
            self._body += piece[: BODY_LIMIT - len(self._body)]

    def _event(self, event: SseEvent) -> None:
        self.events = (self.events or 0) + event.dispatched
        shown = _shown((event.data or "").encode("utf-8", "surrogatepass"))
        kind = Kind.RECEIVED if "message" in shown else Kind.EVENT
        told = {"event_id": event.id} if kind is Kind.RECEIVED else {"id": event.id, "comment": event.comment}
        data = {} if kind is Kind.RECEIVED else {"data": event.data, "complete": event.complete}
        self.logged.note(kind, self.operation, event=event.event, **told, **(data or shown))

    def _keep(self) -> None:
        """Record what came last: the rest of a stream, or the body."""
        for event in self._decoder.close() if self._decoder else ():
            self._event(event)
        if self._body:
            self.logged.note(Kind.RECEIVED, self.operation, **_shown(bytes(self._body)))


def _shown(body: bytes) -> dict[str, Any]:
    """A body for a record: its message where it is JSON, else its text."""
    if not body:
        return {}
    try:
        return {"message": loads(body)}
    except JsonError:
        return {"raw": body.decode("utf-8", "replace")}
