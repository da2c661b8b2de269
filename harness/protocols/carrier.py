"""What a session needs of its binding."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from ..pace import Pace
from ..transcript import Kind, Recorder
from .exchange import Exchange
from .outcome import Ending, Message

HeaderPairs = tuple[tuple[str, str], ...]
Listener = Callable[[Exchange, Message], Awaitable[None]]
"""Told of every message that is no response, after it was recorded."""

Guard = Callable[[bytes | None, Any], None]
"""Looks at a body, and at what the record shows of it, before it is sent. Raises Withheld for what must not be."""


def unguarded(body: bytes | None, shown: Any) -> None:
    """Anything may be sent."""


class Carrier(Protocol):
    """Carries bytes to the target and messages back. `recorder` may be exchanged between two cases."""

    recorder: Recorder
    patience: float
    listener: Listener | None
    pace: Pace
    guard: Guard

    @property
    def binding(self) -> str: ...

    async def send(
        self, body: bytes, shown: Any, headers: Mapping[str, str | None], request_id: Any, token: Any = None
    ) -> Exchange:
        """Send one body. `shown` is what the record shows: the decoded JSON, or text when it is none."""
        ...

    @property
    def idle(self) -> bool: ...

    @property
    def starved(self) -> bool:
        """A request was left without its answer, or nothing is heard any more."""
        ...

    @property
    def death(self) -> Mapping[str, Any] | None:
        """How the process behind it ended although nobody asked it to (code, stderr); None: it did not."""
        ...

    def lend(self, recorder: Recorder) -> None: ...

    async def aclose(self) -> None:
        """Abandon everything that is open."""
        ...


def end(recorder: Recorder, exchange: Exchange, ending: Ending, why: str) -> None:
    """Record how an exchange ended; what has ended stays as it is."""
    if exchange.ending is Ending.OPEN:
        record = recorder.note(Kind.END, exchange.operation, ending=ending.value, error=why)
        exchange.close(ending, why, record)
