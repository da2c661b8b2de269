"""The columns of AG-UI: what came before the protocol had versions, and 1.0."""

from __future__ import annotations

import re

V0, V1 = "0.1", "1.0"
VERSIONS = (V0, V1)
SSE = "sse"
EVENT_STREAM = "text/event-stream"
LATEST_MILESTONE = "0.1.21"

_READABLE = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)


def column_of(declared: object) -> str | None:
    """The column of what a server declares on RUN_STARTED (basic/versioning#version-negotiation).

    None, for a major version that is not spoken here. A peer that declares nothing is from before the field; a
    version that cannot be read counts as a newer minor one.
    """
    if declared is None:
        return V0
    readable = _READABLE.fullmatch(declared) if isinstance(declared, str) else None
    return {0: V0, 1: V1}.get(int(readable[1])) if readable else V1
