"""The lab of each protocol, as checks name it."""

from __future__ import annotations

from .lab import Lab
from .protocols.mcp.session import Session

McpLab = Lab[Session]
