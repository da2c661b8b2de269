"""The fault plane on its own: between a user's client and his servers, over HTTP or over pipes."""

from __future__ import annotations

from .gateway import BINDING, Gateway, Upstream
from .pipes import BINDING as PIPES
from .pipes import Ends, carry
from .places import Unmountable, mounted
from .reading import Reading
from .traffic import Event, Exchanged, Fired, Logged, NotRearmed, Opened, Rearmed, Said

__all__ = [
    "BINDING",
    "PIPES",
    "Ends",
    "Event",
    "Exchanged",
    "Fired",
    "Gateway",
    "Logged",
    "NotRearmed",
    "Opened",
    "Reading",
    "Rearmed",
    "Said",
    "Unmountable",
    "Upstream",
    "carry",
    "mounted",
]
