"""MCP: error mapping."""

from __future__ import annotations
