"""The protocols that Seatrial speaks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .driver import Driver

_DRIVERS = {"mcp": "mcp.driver:Mcp", "a2a": "a2a.driver:A2a", "agui": "agui.driver:Agui"}
"""Protocol -> where its driver is, in the order in which an unknown target is asked."""

_BELOW = {"websocket": "websocket.driver:WebSocket"}
"""Transports that are judged by themselves, where a target's URL says so."""


def names(listens: bool = True) -> tuple[str, ...]:
    """The protocols, in the order in which an unknown target is asked. Only MCP is spoken over a process's pipes."""
    return tuple(_DRIVERS) if listens else ("mcp",)


def known() -> tuple[str, ...]:
    """Those, and the transports that are judged by themselves."""
    return (*_DRIVERS, *_BELOW)


def protocol_of(url: str) -> str:
    """The protocol that a URL tells by its scheme; "" where it tells none."""
    return "websocket" if url.startswith("ws:") else ""


def driver_of(name: str) -> Driver:
    """The driver of a protocol. Raises KeyError."""
    module, _, kind = {**_DRIVERS, **_BELOW}[name].partition(":")
    found: Driver = getattr(import_module(f".{module}", __name__), kind)()
    return found
