"""MCP: version compatibility."""

from __future__ import annotations
