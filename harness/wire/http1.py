"""HTTP/1.1 below any client's conscience: requests exactly as given, and the answers to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import h11

BODY_LIMIT = 4 * 1024 * 1024

Headers = tuple[tuple[str, str], ...]


class Ending(StrEnum):
    """How a response ended. OPEN: not yet."""

    OPEN = "open"
    CLOSED = "closed"
    TORN = "torn"


@dataclass(frozen=True, slots=True)
class Response:
    """What was answered so far. `status` is 0 and `error` says why when the answer is no HTTP or there is none."""

    status: int = 0
    headers: Headers = ()
    body: bytes = b""
    ending: Ending = Ending.OPEN
    error: str = ""

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def request(
    method: str,
    target: str,
    headers: Iterable[tuple[str, str]] = (),
    body: bytes = b"",
    *,
    version: str = "HTTP/1.1",
) -> bytes:
    """The bytes of a request, unchecked: nothing is added (no Host, no Content-Length), nothing refused.

    Texts are encoded as Latin-1, so that every byte can be said.
    """
    lines = [f"{method} {target} {version}", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def chunked(*chunks: bytes, end: bool = True) -> bytes:
    """A chunked body; without `end` the last chunk is missing."""
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks if chunk) + (b"0\r\n\r\n" if end else b"")


@dataclass(slots=True)
class ResponseReader:
    """Reads one response, sans-IO: `feed` bytes, `close` at end of file, look at `response` at any time."""

    method: str = "GET"
    limit: int = BODY_LIMIT
    response: Response = field(default_factory=Response)
    _machine: h11.Connection = field(default_factory=lambda: h11.Connection(h11.CLIENT))

    def __post_init__(self) -> None:
        # h11 reads an answer only after a request; what was really sent is none of its business.
        self._machine.send(h11.Request(method=self.method, target="/", headers=[("Host", "peer")]))
        self._machine.send(h11.EndOfMessage())

    @property
    def done(self) -> bool:
        return self.response.ending is not Ending.OPEN

    def feed(self, data: bytes) -> Response:
        return self._read(data) if data and not self.done else self.response

    def close(self, error: str = "the connection ended inside the response") -> Response:
        """The peer sent FIN; with another `error`, how else the connection ended."""
        if not self.done:
            self._read(b"")
        if not self.done:
            self.response = self._torn(error)
        return self.response

    def _read(self, data: bytes) -> Response:
        try:
            self._machine.receive_data(data)
            while not self.done and self._step(self._machine.next_event()):
                pass
        except h11.RemoteProtocolError as error:
            self.response = self._torn(str(error))
        return self.response

    def _step(self, event: object) -> bool:
        """Take one event of h11; false when it wants more bytes."""
        now = self.response
        if isinstance(event, h11.Response):
            headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers)
            self.response = Response(event.status_code, headers)
        elif isinstance(event, h11.Data):
            body = now.body + bytes(event.data)
            self.response = Response(now.status, now.headers, body[: self.limit])
            if len(body) > self.limit:
                self.response = self._torn(f"the body is larger than {self.limit} bytes")
        elif isinstance(event, h11.EndOfMessage):
            self.response = Response(now.status, now.headers, now.body, Ending.CLOSED)
        return isinstance(event, h11.Event) and not isinstance(event, h11.ConnectionClosed)

    def _torn(self, error: str) -> Response:
        return Response(self.response.status, self.response.headers, self.response.body, Ending.TORN, error)
