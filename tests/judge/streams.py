"""Streams of messages and histories of records, written short, and single corruptions of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from seatrial.claims import Spoken
from seatrial.protocols.outcome import Message
from seatrial.transcript import Kind, Record

D = Spoken("2025-11-25", "streamable-http", {}, 1)
E = Spoken("2026-07-28", "streamable-http", {}, 1)
STDIO = Spoken("2025-11-25", "stdio", {}, 1)

TOKEN = "token"
REQUEST_ID = 4


def progress(value: float, token: Any = TOKEN) -> dict[str, Any]:
    params = {"progressToken": token, "progress": value}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def notification(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def request(method: str, request_id: Any = REQUEST_ID, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def response(request_id: Any = REQUEST_ID, **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def refusal(code: Any = -32602, request_id: Any = REQUEST_ID, message: Any = "no") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def stream(payloads: Sequence[Any], ids: bool = True) -> list[Message]:
    """The payloads as messages; record n and event id e-n for the n-th."""
    return [Message(payload, n, f"e-{n}" if ids else None) for n, payload in enumerate(payloads, 1)]


@st.composite
def calls(draw: st.DrawFn, least: int = 2) -> list[Message]:
    """The stream of a call: reports that rise, then the response."""
    values = sorted(draw(st.sets(st.integers(0, 1000), min_size=least, max_size=12)))
    return stream([*map(progress, values), response()], ids=draw(st.booleans()))


def stated_version(message: Any) -> str:
    """The version in the `_meta` of a modern request, which its header repeats; empty for anything else."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return str(meta.get("io.modelcontextprotocol/protocolVersion", "")) if isinstance(meta, dict) else ""


@dataclass(slots=True)
class History:
    """Records in the making, numbered from 1."""

    records: list[Record] = field(default_factory=list)

    def add(self, kind: Kind, operation: str, **data: Any) -> int:
        self.records.append(Record(len(self.records) + 1, float(len(self.records)), kind, operation, data))
        return len(self.records)

    def sent(self, operation: str, message: Any, session: str = "", **headers: str) -> int:
        pairs = [["Mcp-Session-Id", session]] if session else []
        pairs += [[name.replace("_", "-"), value] for name, value in headers.items()]
        version = stated_version(message)
        pairs += [["MCP-Protocol-Version", version]] if version and "mcp_protocol_version" not in headers else []
        verb = operation.partition(":")[0].upper()
        return self.add(Kind.SENT, operation, verb=verb, url="/mcp", headers=pairs, message=message)

    def status(self, operation: str, status: int = 200, media_type: str = "application/json") -> int:
        return self.add(Kind.STATUS, operation, status=status, headers=[["Content-Type", media_type]])

    def heard(self, operation: str, *messages: Any, event_id: str | None = None) -> int:
        for message in messages:
            self.add(Kind.RECEIVED, operation, message=message, event_id=event_id)
        return len(self.records)

    def ended(self, operation: str, ending: str = "closed") -> int:
        return self.add(Kind.END, operation, ending=ending, error="")

    def exchange(
        self,
        operation: str,
        sent: Any,
        *heard: Any,
        session: str = "",
        status: int = 200,
        media_type: str = "application/json",
    ) -> History:
        """A whole HTTP exchange."""
        self.sent(operation, sent, session)
        self.status(operation, status, media_type)
        self.heard(operation, *heard)
        self.ended(operation)
        return self


def histories(*each: History) -> dict[str, list[Record]]:
    return {f"case-{number}": history.records for number, history in zip(itertools.count(1), each, strict=False)}


def capabilities(**declared: Any) -> History:
    """A modern exchange in which the server says what it can do."""
    return History().exchange(
        "post:1", modern("server/discover", 1), response(1, capabilities=declared, resultType="complete")
    )


def modern(method: str, request_id: Any = REQUEST_ID) -> dict[str, Any]:
    return request(method, request_id, _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})
