"""Durations, all scaled by one factor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tempo:
    """`factor` 1.0 is the normal pace; a slow machine may use 3.0. All values are seconds."""

    factor: float = 1.0
    allowance: float = 0.0
    """The largest delay that the ambient fault profile adds to one message."""

    @property
    def answer(self) -> float:
        """How long a plain request may take."""
        return 5.0 * self.factor + self.allowance

    @property
    def case(self) -> float:
        """How long a whole case may take."""
        return 90.0 * self.factor + 10 * self.allowance

    @property
    def quiet(self) -> float:
        """How long nothing must be heard before "it does not come" is believed."""
        return 1.0 * self.factor + self.allowance

    def scaled(self, seconds: float) -> float:
        return seconds * self.factor + self.allowance
