"""Faults that need several requests at once: those that come first wait for the others, at most for `wait` seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import anyio

from .exchange import Exchange, Forward, WholeAnswer
from .fault import Armed, Fault, FaultError, Mount
from .http import RELAYED


@dataclass(slots=True)
class Company:
    """Exchanges that belong together, in the order in which they came."""

    size: int
    exchanges: list[Exchange] = field(default_factory=list)
    complete: anyio.Event = field(default_factory=anyio.Event)
    answers: list[WholeAnswer] = field(default_factory=list)
    answered: anyio.Event = field(default_factory=anyio.Event)
    delivered: dict[str, anyio.Event] = field(default_factory=dict)
    """By name of exchange: its client has its answer, or left."""

    async def joined(self, exchange: Exchange, wait: float) -> bool:
        """Whether the company came together in time."""
        self.exchanges.append(exchange)
        self.delivered[exchange.name] = anyio.Event()
        if len(self.exchanges) == self.size:
            self.complete.set()
        try:
            with anyio.move_on_after(wait):
                await self.complete.wait()
        finally:
            if not self.complete.is_set():
                self.exchanges.remove(exchange)
        return self.complete.is_set()

    def behind(self, exchange: Exchange) -> Sequence[Exchange]:
        return self.exchanges[self.exchanges.index(exchange) + 1 :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accompanied(Fault):
    """Where the others do not come in time, a request passes as it is, and nothing has fired.

    Without `on` it concerns POST requests: a GET may be a stream that does not end.
    """

    mounts: ClassVar[frozenset[Mount]] = RELAYED
    wait: float = 1.0

    @property
    def size(self) -> int:
        raise NotImplementedError

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.size < 2:
            raise FaultError(f"{self.name}: needs at least 2 requests")

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.spent or not (self.on or exchange.request.verb == "POST"):
            return await forward()
        company = self._company(armed)
        if not await company.joined(exchange, self.wait):
            return await forward()
        return await self.on_company(armed, company, exchange, forward)

    def _company(self, armed: Armed) -> Company:
        """The one that still waits, or a new one."""
        waiting: Company | None = armed.company
        if waiting is None or waiting.complete.is_set():
            armed.company = waiting = Company(self.size)
        return waiting

    async def on_company(self, armed: Armed, company: Company, exchange: Exchange, forward: Forward) -> None:
        """What becomes of one of the exchanges, all of which are here."""
        raise NotImplementedError

    def fire(self, armed: Armed, company: Company) -> None:
        armed.fire(", ".join(exchange.name for exchange in company.exchanges))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorderResponses(Accompanied):
    """The answers to `window` requests that are sent at once come in the opposite order, each on its own connection."""

    name: ClassVar[str] = "reorder_responses"
    window: int = 2

    @property
    def size(self) -> int:
        return self.window

    async def on_company(self, armed: Armed, company: Company, exchange: Exchange, forward: Forward) -> None:
        behind = company.behind(exchange)
        try:
            answer = await exchange.swallow()
            for other in behind[:1]:
                await company.delivered[other.name].wait()
            if not behind:
                self.fire(armed, company)
            await exchange.deliver(answer)
        finally:
            company.delivered[exchange.name].set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline(Accompanied):
    """`n` requests that are sent at once go to the target on one connection, none waiting for the answer before it."""

    name: ClassVar[str] = "pipeline"
    n: int = 2

    @property
    def size(self) -> int:
        return self.n

    async def on_company(self, armed: Armed, company: Company, exchange: Exchange, forward: Forward) -> None:
        place = company.exchanges.index(exchange)
        if place == 0:
            await self._ask(armed, company)
        await company.answered.wait()
        await exchange.deliver(company.answers[place])

    async def _ask(self, armed: Armed, company: Company) -> None:
        first, *others = company.exchanges
        self.fire(armed, company)
        try:
            company.answers += await first.pipeline(others)
        finally:
            company.answers += [WholeAnswer(b"", True)] * (company.size - len(company.answers))
            company.answered.set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrent(Accompanied):
    """`n` requests reach the target at the same moment, each on a connection of its own."""

    name: ClassVar[str] = "concurrent"
    n: int = 2

    @property
    def size(self) -> int:
        return self.n

    async def on_company(self, armed: Armed, company: Company, exchange: Exchange, forward: Forward) -> None:
        if not company.behind(exchange):
            self.fire(armed, company)
        await forward()
