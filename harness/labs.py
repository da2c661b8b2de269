"""The lab of each protocol, as checks name it."""

from __future__ import annotations

from .lab import Lab
from .protocols.a2a.session import Session as A2aSession
from .protocols.agui.session import Session as AguiSession
from .protocols.mcp.session import Session
from .protocols.websocket.session import Session as WebSocketSession

McpLab = Lab[Session]
A2aLab = Lab[A2aSession]
AguiLab = Lab[AguiSession]
WebSocketLab = Lab[WebSocketSession]

__all__ = ["A2aLab", "A2aSession", "AguiLab", "AguiSession", "McpLab", "WebSocketLab", "WebSocketSession"]
