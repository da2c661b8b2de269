"""Where faults are mounted: between a client and a target, on bytes, on HTTP, or on a process's pipes."""

from __future__ import annotations

from .layers import Layers, layers
from .link import Dial, Link
from .pipes import piped
from .proxy import Relay
from .pump import Operate
from .supervision import Supervisor

__all__ = ["Dial", "Layers", "Link", "Operate", "Relay", "Supervisor", "layers", "piped"]
