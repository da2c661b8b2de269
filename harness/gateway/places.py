"""Which faults have a place between a client and a server that a user runs himself."""

from __future__ import annotations

from ..faults import Fault, FaultError, ServerFault, harness_jump, mount_for, skew
from ..faults.profile import Profile


class Unmountable(FaultError):
    """A fault that has no place between this client and this server."""


def mounted(profile: Profile, binding: str) -> tuple[Fault, ...]:
    """The faults that have a place. Raises Unmountable for a malign one that has none."""
    return tuple(fault for fault in profile.plan if _placed(fault, binding))


def _placed(fault: Fault, binding: str) -> bool:
    if isinstance(fault, ServerFault | skew | harness_jump):
        raise Unmountable(f"{fault} is about processes and clocks of a run: only seatrial run has it")
    place = mount_for(fault, binding)
    if place is None and not fault.benign:
        raise Unmountable(f"{fault} has no place {'on pipes' if binding == 'stdio' else 'in HTTP'}")
    return place is not None
