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
    """Replicas serve requests in turn; a `round_robin` that is mounted says otherwise where it is sticky."""

    dials: Sequence[Dial]
    turns: Armed | None = None
    _count: Iterator[int] = field(default_factory=count)

    @property
    def per_request(self) -> bool:
        """Whether every request needs a connection of its own."""
        sticky = self.turns is not None and isinstance(self.turns.fault, RoundRobin) and self.turns.fault.sticky
        return len(self.dials) > 1 and not sticky

    def choose(self, operation: str) -> Dial:
        """The replica whose turn it is."""
        index = next(self._count) % len(self.dials)
        if self.turns:
            self.turns.fire(f"{operation}, replica {index}")
        return self.dials[index]
