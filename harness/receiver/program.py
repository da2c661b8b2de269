"""Programs: which act answers which delivery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .acts import Ack, Act, ReceiverDown
from .delivery import Delivery

Program = Callable[[Sequence[Delivery]], Act]
"""What to do with the last of the deliveries so far."""


@dataclass(slots=True)
class Script:
    """Acts for the deliveries in the order in which they come. The last one repeats; an outage does not."""

    acts: Sequence[Act] = ()
    position: int = 0

    @property
    def due(self) -> Act:
        if self.position < len(self.acts):
            return self.acts[self.position]
        return self.acts[-1] if self.acts and not isinstance(self.acts[-1], ReceiverDown) else Ack()

    def __call__(self, deliveries: Sequence[Delivery]) -> Act:
        act = self.due
        if not isinstance(act, ReceiverDown):
            self.position += 1
        return act


@dataclass(slots=True)
class PerContent:
    """A script of its own for each content, so that each event is refused as often as another."""

    acts: Sequence[Act]

    def __call__(self, deliveries: Sequence[Delivery]) -> Act:
        content = deliveries[-1].content
        attempt = sum(1 for delivery in deliveries if delivery.content == content)
        return self.acts[min(attempt, len(self.acts)) - 1]
