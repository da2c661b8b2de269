"""MCP: what holds for every error of a run."""

from __future__ import annotations

from seatrial import Column, Histories, Judgement, Spoken, check
from seatrial.judge import errors


@check(
    "mcp.err.error-shape",
    "An error has an integer code and a string message, and no result beside it",
    mutants=("err.code-as-text",),
    monitor=True,
)
def errors_have_their_shape(histories: Histories, spoken: Spoken) -> Judgement:
    """Every error that any case of the run was answered with."""
    return errors.error_shape(histories, Column(spoken.version, spoken.binding))


@check(
    "mcp.err.error-id-when-readable",
    "An error to a request that could be read carries the request's id",
    mutants=("err.error-without-id",),
    monitor=True,
)
def errors_name_their_request(histories: Histories, spoken: Spoken) -> Judgement:
    """Every JSON-RPC error in a 4xx answer to a well-formed request, in any case of the run."""
    return errors.error_id_when_readable(histories, Column(spoken.version, spoken.binding))
