"""MCP, spoken as a client."""

from . import codes as codes
