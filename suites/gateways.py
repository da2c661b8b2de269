"""What gateways make of an answer that the target has given in full."""

from __future__ import annotations

from seatrial.faults import (
    DOWN,
    Fault,
    Flush,
    Short,
    corrupt,
    duplicate_response,
    informational,
    octets,
    recode,
    truncate_body,
)

MANGLED: tuple[Fault, ...] = (
    duplicate_response(),
    informational(codes=(102,)),
    truncate_body(how=Short.TERMINATED),
    recode(flush=Flush.NEVER, truncated=True, honour=False, times=1),
    corrupt(after=octets(2), direction=DOWN),
)
"""All of the answer is read before the client gets what is left of it: whoever ends it early may have cancelled."""
