"""MCP: what holds for every error of a run."""

from __future__ import annotations

from seatrial import check
from seatrial.judge import errors

ERROR_SHAPE = check(
    "mcp.err.error-shape",
    "An error has an integer code and a string message, and no result beside it",
    mutants=("err.code-as-text",),
    monitor=True,
)(errors.error_shape)

ERROR_ID = check(
    "mcp.err.error-id-when-readable",
    "An error to a request that could be read carries the request's id",
    mutants=("err.error-without-id",),
    monitor=True,
)(errors.error_id_when_readable)
