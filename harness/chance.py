"""Random streams derived from one seed by name, so that concurrency changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Chance:
    """A named stream of chance. Children are independent of each other and of the order of their making."""

    seed: int
    path: str = ""

    def child(self, name: str) -> Chance:
        return Chance(self.seed, f"{self.path}/{name}")

    def random(self) -> Random:
        """A fresh generator; the same for the same seed and path, in every process."""
        return Random(f"{self.seed}{self.path}")
