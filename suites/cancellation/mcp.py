"""MCP: cancellation."""

from __future__ import annotations
