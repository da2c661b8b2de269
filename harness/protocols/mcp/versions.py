"""The MCP versions, their eras and their bindings."""

from __future__ import annotations

from enum import StrEnum

A, B, C, D, E = "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
VERSIONS = (A, B, C, D, E)
STATEFUL = (A, B, C, D)
MODERN = E
"""The first version that each request names for itself."""

HTTP, SSE, STDIO = "streamable-http", "http+sse", "stdio"
BINDINGS = (HTTP, STDIO)
"""The bindings that sessions speak. HTTP+SSE (2024-11-05 only) is in the tables, not spoken yet."""

PREFIX = "io.modelcontextprotocol/"
PROTOCOL_VERSION = PREFIX + "protocolVersion"
CLIENT_CAPABILITIES = PREFIX + "clientCapabilities"
CLIENT_INFO = PREFIX + "clientInfo"
LOG_LEVEL = PREFIX + "logLevel"
SERVER_INFO = PREFIX + "serverInfo"
SUBSCRIPTION_ID = PREFIX + "subscriptionId"


class Era(StrEnum):
    """Stateful: begins with `initialize`. Stateless: version and capabilities travel in every request."""

    STATEFUL = "stateful"
    STATELESS = "stateless"


def era(version: str) -> Era:
    return Era.STATELESS if version >= E else Era.STATEFUL


def exists(version: str, binding: str) -> bool:
    """Does the protocol have this column?"""
    return binding == STDIO or (binding == HTTP and version >= B) or (binding == SSE and version == A)
