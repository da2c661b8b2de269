"""Faults of HTTP exchanges, as gateways and proxies cause them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import anyio

from .exchange import Exchange, Forward, WholeAnswer
from .fault import Armed, Fault, FaultError, Mount
from .stage import Action, Direction, End, Flow, Framing, Gap, Headers, How, Stage

RELAYED = frozenset({Mount.RELAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(Fault):
    """An answer that the target never gave. `retry_after`: the seconds of rest that it asks for, 0 for none."""

    name: ClassVar[str] = "status"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    code: int = 503
    headers: Headers = ()
    body: str = ""
    retry_after: int = 0

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not 200 <= self.code <= 599:
            raise FaultError("status: code is from 200 to 599")

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.fire(f"{exchange.name}, {self.code} instead of the target's answer"):
            rest = (("Retry-After", str(self.retry_after)),) if self.retry_after else ()
            await exchange.answer(self.code, (*self.headers, *rest), self.body.encode())
        else:
            await forward()


@dataclass(frozen=True, slots=True, kw_only=True)
class DropResponse(Fault):
    """The target answers, the client does not learn it: a lost acknowledgement."""

    name: ClassVar[str] = "drop_response"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    how: How = How.RESET

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.spent:
            return await forward()
        await exchange.swallow()
        armed.fire(f"{exchange.name}, answer dropped")
        if self.how is How.GATEWAY_TIMEOUT:
            return await exchange.answer(504, (), b"")
        return await exchange.perform(Gap(float("inf")) if self.how is How.STALL else End(self.how))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest(Fault):
    """The target gets the same POST `copies` times before the one whose answer the client gets.

    So an answer at the client means that every copy has been answered too.
    """

    name: ClassVar[str] = "replay_request"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    copies: int = 1
    gap: float = 0.0

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if exchange.request.verb == "POST" and armed.fire(f"{exchange.name}, sent {1 + self.copies} times"):
            for _ in range(self.copies):
                await exchange.swallow()
                await anyio.sleep(self.gap)
        await forward()


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateResponse(Fault):
    """The target answers once, the client gets the whole answer `copies` times more on the same connection."""

    name: ClassVar[str] = "duplicate_response"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    copies: int = 1

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.spent:
            return await forward()
        answer = await exchange.swallow()
        armed.fire(f"{exchange.name}, answered {1 + self.copies} times")
        await exchange.deliver(WholeAnswer(answer.raw * (1 + self.copies), answer.last))
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Informational(Fault):
    """Interim responses come `copies` times before the answer: 100, 102 or 103."""

    name: ClassVar[str] = "informational"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    codes: tuple[int, ...] = (102, 103)
    copies: int = 1

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not self.codes or not set(self.codes) <= {100, 102, 103}:
            raise FaultError("informational: codes are of 100, 102 and 103")

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.fire(f"{exchange.name}, {', '.join(map(str, self.codes))} before the answer"):
            for code in self.codes * self.copies:
                await exchange.answer(code, (), b"")
        await forward()


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect(Fault):
    """An answer that sends the client elsewhere; the target does not get the request."""

    name: ClassVar[str] = "redirect"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    code: int = 307
    location: str = "http://elsewhere.invalid/"

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.code not in (301, 302, 303, 307, 308):
            raise FaultError("redirect: code is 301, 302, 303, 307 or 308")
        if not self.location.isascii() or not self.location.isprintable() or " " in self.location:
            raise FaultError("redirect: location is no URL")

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.fire(f"{exchange.name}, {self.code} to {self.location}"):
            await exchange.answer(self.code, (("Location", self.location),), b"")
        else:
            await forward()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepaliveChurn(Fault):
    """Every n-th answer announces the end of its connection."""

    name: ClassVar[str] = "keepalive_churn"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    times: int = 0
    every: int = 1

    @property
    def benign(self) -> bool:
        return True

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if self.every and armed.matched % self.every == 0 and armed.fire(exchange.name):
            exchange.close_after()
        await forward()


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffer(Fault):
    """A body is held until it is complete, or `size` bytes have come, as a buffering proxy does.

    `honour`: event streams and answers with `X-Accel-Buffering: no` pass at once, and the fault is benign.
    """

    name: ClassVar[str] = "buffer"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    times: int = 0
    size: int = 1024 * 1024
    honour: bool = True

    @property
    def benign(self) -> bool:
        return self.honour

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        exempt = flow.framing is Framing.SSE or flow.header("x-accel-buffering") == "no"
        body = flow.direction is Direction.DOWN and flow.framing is not Framing.WEBSOCKET
        if not body or (self.honour and exempt):
            return None
        return _Held(armed, flow, self.size)


class _Held(Stage):
    def __init__(self, armed: Armed, flow: Flow, size: int) -> None:
        self._armed, self._flow, self._size, self._held = armed, flow, size, bytearray()
        self._holding: bool | None = None

    def feed(self, data: bytes) -> Iterator[Action]:
        if data and self._holding is None:
            self._holding = self._armed.fire(self._flow.name)
        self._held += data
        if not self._holding or len(self._held) >= self._size:
            yield from self.eof()

    def eof(self) -> Iterator[Action]:
        yield bytes(self._held)
        self._held.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin(Fault):
    """Requests go to the replicas in turn; `sticky`: those of one connection to one replica."""

    name: ClassVar[str] = "round_robin"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    times: int = 0
    sticky: bool = False
