"""MCP: push deduplication."""

from __future__ import annotations
