"""Every monitor, and clean histories that pass all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from seatrial.claims import Spoken
from seatrial.judge import dedup, errors, framing, lifecycle, shape
from seatrial.judge.traffic import Judgement
from seatrial.transcript import Kind, Record

from .streams import (
    STDIO,
    D,
    E,
    History,
    capabilities,
    modern,
    notification,
    progress,
    refusal,
    request,
    response,
)

Monitor = Callable[[Mapping[str, Sequence[Record]], Spoken], Judgement]

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
TOOLS = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
CACHED = {**TOOLS, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
SSE = "text/event-stream"

EVERY: dict[Monitor, Spoken] = {
    dedup.one_response_per_request: D,
    dedup.event_ids_unique: D,
    errors.error_shape: D,
    errors.error_id_when_readable: D,
    errors.no_legacy_codes: E,
    errors.no_undefined_reserved_codes: E,
    errors.new_codes_outside_legacy_band: E,
    framing.content_type_of_reply: D,
    framing.sse_framing: D,
    framing.stdio_stdout_pure: STDIO,
    lifecycle.cancels_subscriptions_only: E,
    lifecycle.no_server_requests: E,
    lifecycle.undeclared_logging_silent: D,
    lifecycle.undeclared_listchanged_silent: D,
    shape.wire_shapes: D,
    shape.jsonrpc_2: D,
    shape.resulttype_present: E,
}


def older() -> History:
    """A clean session: handshake, a list, a refused call, a call on a stream with event ids."""
    history = History().exchange("post:1", request("initialize", 1), response(1, **HELLO))
    history.exchange("post:2", notification("notifications/initialized"), session="s", status=202)
    history.exchange("post:3", request("tools/list", 2), response(2, **TOOLS), session="s")
    history.exchange("post:4", request("tools/call", 3), refusal(request_id=3), session="s", status=400)
    history.sent("post:5", request("tools/call", 4), session="s")
    history.status("post:5", media_type=SSE)
    history.add(Kind.EVENT, "post:5", id="0", event="", data="", retry=None, comment=None, complete=True)
    history.heard("post:5", progress(1), event_id="1")
    history.heard("post:5", response(4, content=[]), event_id="2")
    history.ended("post:5")
    return history


def newer() -> History:
    """A clean modern history: discovery, a list, a refusal."""
    history = capabilities(tools={})
    history.records[2].data["message"]["result"].update(supportedVersions=["2026-07-28"], ttlMs=0, cacheScope="public")
    history.exchange("post:2", modern("tools/list", 2), response(2, **CACHED))
    return history.exchange("post:3", modern("tools/call", 3), refusal(request_id=3), status=400)


def piped() -> History:
    """A clean stdio history."""
    history = History()
    history.sent("stdio:1", request("initialize", 1))
    history.heard("stdio:1", response(1, **HELLO))
    history.sent("stdio:2", notification("notifications/initialized"))
    history.sent("stdio:3", request("tools/list", 2))
    history.heard("stdio:3", response(2, **TOOLS))
    history.ended("stdio:0")
    return history
