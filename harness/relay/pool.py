"""The targets behind a relay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from ..faults.fault import Armed
from ..faults.http import RoundRobin
from ..faults.topology import Failover
from .link import Dial


@dataclass(slots=True)
class Pool:
    """Replicas serve requests in turn; a `round_robin` that is mounted says otherwise where it is sticky, and a
    `failover` names one that serves alone as long as it lives."""

    dials: Sequence[Dial]
    armed: Sequence[Armed] = ()
    gone: set[int] = field(default_factory=set)
    """Replicas that were stopped."""
    _count: Iterator[int] = field(default_factory=count)

    @property
    def per_request(self) -> bool:
        """Whether every request needs a connection of its own."""
        sticky = self._turns is not None and isinstance(self._turns.fault, RoundRobin) and self._turns.fault.sticky
        return len(self.dials) > 1 and not sticky

    @property
    def _turns(self) -> Armed | None:
        return next((one for one in self.armed if isinstance(one.fault, RoundRobin)), None)

    def choose(self, operation: str) -> Dial:
        """The replica whose turn it is."""
        index = self._next()
        if self._turns:
            self._turns.fire(f"{operation}, replica {index}")
        return self.dials[index]

    def _next(self) -> int:
        leads = (one.fault.replica for one in self.armed if isinstance(one.fault, Failover))
        living = [index for index in range(len(self.dials)) if index not in self.gone]
        lead = next((index for index in leads if index in living), None)
        if lead is not None or not living:
            return lead or 0
        return living[next(self._count) % len(living)]
