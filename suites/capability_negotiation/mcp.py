"""MCP: capability negotiation."""

from __future__ import annotations
