"""The protocols that Seatrial speaks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .driver import Driver

_DRIVERS = {"mcp": "mcp.driver:Mcp", "a2a": "a2a.driver:A2a", "agui": "agui.driver:Agui"}
"""Protocol -> where its driver is, in the order in which an unknown target is asked."""


def names(listens: bool = True) -> tuple[str, ...]:
    """The protocols, in the order in which an unknown target is asked. Only MCP is spoken over a process's pipes."""
    return tuple(_DRIVERS) if listens else ("mcp",)


def driver_of(name: str) -> Driver:
    """The driver of a protocol. Raises KeyError."""
    module, _, kind = _DRIVERS[name].partition(":")
    found: Driver = getattr(import_module(f".{module}", __name__), kind)()
    return found
