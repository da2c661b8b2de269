"""What a fault is: a frozen value; and what it becomes once it is mounted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from random import Random
from typing import Any, ClassVar

from ..chance import Chance
from .exchange import Exchange, Forward, HttpAnswer, HttpRequest, Rewritten
from .notation import text
from .stage import Flow, Stage
from .trigger import CONNECT, Trigger


class Mount(StrEnum):
    """Where a fault can work: a byte pump, an HTTP proxy, a process's pipes, the in-memory network."""

    LINK = "link"
    RELAY = "relay"
    PIPE = "pipe"
    SIM = "sim"


class FaultError(ValueError):
    """A fault that cannot be: an unknown name, a field that it does not have, a value of the wrong kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`on` selects exchanges: a JSON-RPC method, an HTTP verb, the end of a path, "" for any. `times` bounds the
    firings, 0 does not.

    A subclass overrides `stage` (a fault of bytes), `on_exchange` (a fault of requests), `on_answer` (a fault of
    answers), or several.
    """

    name: ClassVar[str]
    mounts: ClassVar[frozenset[Mount]]
    fatal: ClassVar[bool] = False
    """Whether a process on whose pipes it works may end by it."""

    on: str = ""
    after: Trigger = CONNECT
    times: int = 1

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, int | float) and value < 0:
                raise FaultError(f"{self.name}: {item.name} is negative")

    @property
    def benign(self) -> bool:
        """Whether a correct peer may not notice."""
        return False

    @property
    def delay(self) -> float:
        """Seconds that it may add to one message of ordinary size while staying benign."""
        return 0.0

    @property
    def outward(self) -> int:
        """How near to the client it works on an answer: what hides the body from others comes after them."""
        return 0

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        """What it does to one flow of bytes; None: nothing."""
        return None

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        """What it does to one request that it selects. `forward` does what would have been done without it."""
        await forward()

    def on_answer(self, armed: Armed, exchange: Exchange, answer: HttpAnswer) -> Rewritten | None:
        """What it makes of the answer to a request that it selects, before its body has come; None: nothing."""
        return None

    def concerns(self, request: HttpRequest) -> bool:
        """Whether a request is one of those that it counts."""
        return request.matches(self.on)

    @property
    def begins(self) -> int:
        """The number of the request that concerns it from which on it selects."""
        return self.after.request

    def __str__(self) -> str:
        return text(self)


def settings(kind: type[Fault]) -> list[str]:
    """What a kind of fault may be told beside what all are told: `name=default`."""
    shared = {item.name for item in fields(Fault)}
    return [f"{item.name}={item.default!s}" for item in fields(kind) if item.name not in shared]


Fired = Callable[[Fault, str], None]
"""Called exactly when a fault takes effect, with where."""


@dataclass(slots=True)
class Armed:
    """A fault as mounted in one place: counts its opportunities, reports its firings."""

    fault: Fault
    chance: Chance
    fired: Fired
    matched: int = 0
    firings: int = 0
    company: Any = None
    """Exchanges that wait for others, where a fault needs several."""

    @property
    def spent(self) -> bool:
        """Whether it may take effect no more."""
        return 0 < self.fault.times <= self.firings

    def random(self, connection: str) -> Random:
        return self.chance.child(str(self.fault)).child(connection).random()

    def fire(self, where: str) -> bool:
        """Whether it may take effect now; when it may, this is reported."""
        if self.spent:
            return False
        self.firings += 1
        self.fired(self.fault, where)
        return True

    def selects(self, exchange: Exchange) -> bool:
        """Whether this request is one to work on. Each request is to be asked about once."""
        if not self.fault.concerns(exchange.request):
            return False
        self.matched += 1
        return self.matched >= self.fault.begins

    def stages(self, flow: Flow) -> list[Stage]:
        stage = self.fault.stage(self, flow)
        return [stage] if stage else []
