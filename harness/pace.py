"""How fast a target is asked, and how often at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import anyio

from .model import Reason

PATIENCE = 60.0
"""Seconds that a target may ask us to wait; one that asks for more is not asked again."""

INSISTENCE = 5
"""So often in a row is a target asked once more although it refuses also after its rest; then it is left alone."""


class Withheld(Exception):
    """A request that was not sent, for the sake of the target; the text says why."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@dataclass(slots=True, eq=False)
class Pace:
    """Lets requests go `rate` per second, evenly (0: at once), and `budget` in all (None: any number).

    The only place where requests are counted: `sent` are those that were let go.
    """

    rate: float = 0.0
    budget: int | None = None
    sent: int = 0
    refusals: int = 0
    _next: float = 0.0
    _resumed: float = 0.0

    @property
    def spent(self) -> bool:
        return self.budget is not None and self.sent >= self.budget

    def require(self) -> None:
        """Raises Withheld when no request is left."""
        if self.spent:
            raise Withheld(Reason.BUDGET, f"the budget of {self.budget} requests is spent; --budget sets another")
        if self.refusals >= INSISTENCE:
            raise Withheld(Reason.RATE_LIMITED, f"the target refused {self.refusals} requests also after its rest")

    async def admit(self) -> None:
        """Wait until a request may go, and count it. Raises Withheld when none is left."""
        self.require()
        self.sent += 1
        if self.rate:
            turn = self._next = max(self._next, anyio.current_time())
            self._next += 1 / self.rate
            await anyio.sleep_until(turn)
        await self.resumed()

    def pause(self, seconds: float) -> None:
        """The target asks for a rest: nothing goes before it is over. Raises Withheld when it asks for too much."""
        if seconds > PATIENCE:
            self.refuse(f"the target asks for {seconds:.0f} s of rest, which is too long")
        self._resumed = max(self._resumed, anyio.current_time() + seconds)

    def refuse(self, detail: str) -> NoReturn:
        """The target does not take this request. Raises Withheld."""
        self.refusals += 1
        raise Withheld(Reason.RATE_LIMITED, detail)

    def taken(self) -> None:
        """The target took a request: its limits are not in the way."""
        self.refusals = 0

    def rested(self, since: float) -> bool:
        """Was nothing sent for a while after that moment, because the target asked for it?"""
        return self._resumed > since

    @property
    def over(self) -> bool:
        """Will nothing more be sent?"""
        return self.spent or self.refusals >= INSISTENCE

    async def resumed(self) -> None:
        """Wait until no rest is asked for."""
        while anyio.current_time() < self._resumed:
            await anyio.sleep_until(self._resumed)
