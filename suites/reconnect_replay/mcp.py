"""MCP: reconnect replay."""

from __future__ import annotations
