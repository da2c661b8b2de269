"""The codes of errors: those of JSON-RPC 2.0, and those that MCP gives a meaning to."""

from __future__ import annotations

from ...wire.jsonrpc import INTERNAL_ERROR as INTERNAL_ERROR
from ...wire.jsonrpc import INVALID_PARAMS as INVALID_PARAMS
from ...wire.jsonrpc import INVALID_REQUEST as INVALID_REQUEST
from ...wire.jsonrpc import METHOD_NOT_FOUND as METHOD_NOT_FOUND
from ...wire.jsonrpc import PARSE_ERROR as PARSE_ERROR

RESOURCE_NOT_FOUND = -32002
"""Until 2025-11-25."""

URL_ELICITATION_REQUIRED = -32042
"""2025-11-25 only."""

HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
"""These three from 2026-07-28 on (basic/index#error-codes)."""
