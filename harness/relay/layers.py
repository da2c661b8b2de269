"""In which order faults stand between a client and a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..faults.catalogue import mount_for
from ..faults.connect import ConnectFault
from ..faults.fault import Fault, Mount


class Layers(NamedTuple):
    """Faults by where they stand: nearest the target, on HTTP, and nearest the client."""

    octets: Sequence[Fault]
    exchange: Sequence[Fault]
    connect: Sequence[Fault]


def layers(faults: Sequence[Fault], binding: str) -> Layers:
    """Those that are mounted on a binding of HTTP; the others are left out."""
    link = [fault for fault in faults if mount_for(fault, binding) is Mount.LINK]
    relay = [fault for fault in faults if mount_for(fault, binding) is Mount.RELAY]
    connect = [fault for fault in link if isinstance(fault, ConnectFault)]
    return Layers([fault for fault in link if fault not in connect], relay, connect)
