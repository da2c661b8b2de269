"""The targets behind a relay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from ..faults.fault import Armed
from ..faults.http import RoundRobin
from .link import Dial


@dataclass(slots=True)
class Pool:
    """The first replica serves everything, unless a round_robin is mounted."""

    dials: Sequence[Dial]
    turns: Armed | None = None
    _count: Iterator[int] = field(default_factory=count)

    @property
    def per_request(self) -> bool:
        """Whether every request needs a connection of its own."""
        fault = self.turns.fault if self.turns else None
        return isinstance(fault, RoundRobin) and not fault.sticky

    def choose(self, operation: str) -> Dial:
        """The replica whose turn it is."""
        index = next(self._count) % len(self.dials)
        if not self.turns or not self.turns.fire(f"{operation}, replica {index}"):
            return self.dials[0]
        return self.dials[index]
