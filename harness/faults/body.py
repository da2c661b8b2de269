"""Faults of bodies: too short, too long, framed by a lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from ..wire import http1
from .exchange import Exchange, Forward, HttpAnswer, HttpRequest, Rewritten
from .fault import Armed, Fault, FaultError, Mount
from .http import RELAYED
from .members import padded
from .stage import Action, Direction, End, Headers, How, Stage

FRAMING = ("content-length", "transfer-encoding")


class Short(StrEnum):
    """TORN: the connection ends inside the body. TERMINATED: the body ends early as if it were whole.
    FALSE_LENGTH: all of it is sent, but Content-Length announces less."""

    TORN = "torn"
    TERMINATED = "terminated"
    FALSE_LENGTH = "false_length"


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncateBody(Fault):
    """Of a body the first `at` bytes count: it is torn there, ends there as if whole, or says that it is so long.

    `direction` down: the answer; up: the request. A body that is no longer is left alone.
    """

    name: ClassVar[str] = "truncate_body"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    direction: Direction = Direction.DOWN
    at: int = 1
    how: Short = Short.TORN

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        request = exchange.request
        longer = self.direction.covers(Direction.UP) and len(request.body) > self.at
        if longer and armed.fire(f"{exchange.name} up, body of {len(request.body)} bytes {self.how} at {self.at}"):
            self._shorten(exchange, request)
        await forward()

    def _shorten(self, exchange: Exchange, request: HttpRequest) -> None:
        if self.how is Short.TERMINATED:
            return exchange.change(replace(request, body=request.body[: self.at]))
        torn = self.how is Short.TORN
        told, sent = (len(request.body), self.at) if torn else (self.at, len(request.body))
        exchange.close_after()
        headers = _announcing(request.headers, told)
        raw = http1.request(request.verb, request.target, headers, request.body[:sent])
        return exchange.misframe(raw, torn=torn)

    def on_answer(self, armed: Armed, exchange: Exchange, answer: HttpAnswer) -> Rewritten | None:
        if not self.direction.covers(Direction.DOWN) or armed.spent or not self._longer(exchange, answer):
            return None
        where = f"{exchange.name} down, body {self.how} at {self.at}"
        told = self.how is Short.FALSE_LENGTH or (self.how is Short.TERMINATED and answer.header("content-length"))
        if not told:
            return Rewritten(answer, _Shortened(armed, where, self, None))
        armed.fire(where)
        shortened = replace(answer, headers=_announcing(answer.headers, self.at))
        if self.how is Short.TERMINATED:
            return Rewritten(shortened, _Shortened(armed, where, self, True))
        exchange.close_after()
        return Rewritten(shortened)

    def _longer(self, exchange: Exchange, answer: HttpAnswer) -> bool:
        """Whether a body may be longer, as far as its head tells."""
        length = answer.header("content-length")
        bodiless = exchange.request.verb == "HEAD" or answer.status in (204, 304)
        return not bodiless and not (length.isdigit() and int(length) <= self.at)


def _announcing(headers: Headers, length: int) -> Headers:
    """The same with this Content-Length instead of the framing there was."""
    kept = (pair for pair in headers if pair[0].lower() not in FRAMING)
    return (*kept, ("Content-Length", str(length)))


class _Shortened(Stage):
    """`fires` None: it may fire once there is more than counts."""

    def __init__(self, armed: Armed, where: str, fault: TruncateBody, fires: bool | None) -> None:
        self._armed, self._where, self._left, self._fault = armed, where, fault.at, fault
        self._fires = fires

    def feed(self, data: bytes) -> Iterator[Action]:
        kept, lost = data[: self._left], data[self._left :]
        self._left -= len(kept)
        yield kept
        if lost and self._fires is None:
            self._fires = self._armed.fire(self._where)
            if self._fires and self._fault.how is Short.TORN:
                yield End(How.FIN)
        if not self._fires:
            yield lost


class Where(StrEnum):
    """What of a request is inflated."""

    HEADER = "header"
    BODY = "body"
    LINE = "line"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True, kw_only=True)
class Oversize(Fault):
    """A request grows by `size` bytes (a header field, blanks in the body, the request line) or levels (depth)."""

    name: ClassVar[str] = "oversize"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    where: Where = Where.HEADER
    size: int = 65536

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not 1 <= self.size <= 256 * 1024 * 1024:
            raise FaultError("oversize: size is from 1 to 268435456")

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        inflated = _INFLATED[self.where](exchange.request, self.size)
        if inflated != exchange.request and armed.fire(f"{exchange.name}, {self.where} by {self.size}"):
            exchange.change(inflated)
        await forward()


def _header(request: HttpRequest, size: int) -> HttpRequest:
    return replace(request, headers=(*request.headers, ("X-Padding", "x" * size)))


def _line(request: HttpRequest, size: int) -> HttpRequest:
    return replace(request, target=request.target + ("&" if "?" in request.target else "?") + "x" * size)


def _body(request: HttpRequest, size: int) -> HttpRequest:
    """Blanks at the end of a JSON text mean nothing (RFC 8259, 2)."""
    return replace(request, body=request.body + b" " * size) if request.body else request


def _deep(request: HttpRequest, size: int) -> HttpRequest:
    """A member more, of arrays in arrays."""
    body = padded(request.body, b"[" * size + b"]" * size)
    return request if body is None else replace(request, body=body)


_INFLATED: dict[Where, Callable[[HttpRequest, int], HttpRequest]] = {
    Where.HEADER: _header,
    Where.BODY: _body,
    Where.LINE: _line,
    Where.DEPTH: _deep,
}
