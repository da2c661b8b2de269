"""What every message carries around its method: per era, and open to being broken on purpose."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from .versions import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION, C, Era, era

CLIENT = {"name": "seatrial", "version": "0.1.0"}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods whose subject is mirrored in the Mcp-Name header (2026-07-28), and the parameter that names it."""

Headers = dict[str, str]


class Envelope(Protocol):
    """Version-dependent parts of a message. `headers` are those of HTTP; stdio ignores them."""

    version: str
    capabilities: Mapping[str, Any]

    def params(self, params: Mapping[str, Any] | None) -> dict[str, Any] | None: ...
    def headers(self, method: str, params: Mapping[str, Any] | None) -> Headers: ...


@dataclass(slots=True)
class StatefulEnvelope:
    """2024-11-05 to 2025-11-25: the session id and, from 2025-06-18 on, the version in headers."""

    version: str
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    session_id: str | None = None
    negotiated: bool = False

    def params(self, params: Mapping[str, Any] | None) -> dict[str, Any] | None:
        return None if params is None else dict(params)

    def headers(self, method: str, params: Mapping[str, Any] | None) -> Headers:
        found: Headers = {}
        if self.session_id is not None:
            found["Mcp-Session-Id"] = self.session_id
        if self.negotiated and self.version >= C:
            found["MCP-Protocol-Version"] = self.version
        return found


@dataclass(slots=True)
class StatelessEnvelope:
    """2026-07-28: `_meta` in every request, its facts mirrored in headers."""

    version: str
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    mirrored: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Tool name -> parameter -> header suffix, learnt from `x-mcp-header` in tools/list."""

    def params(self, params: Mapping[str, Any] | None) -> dict[str, Any]:
        given = dict(params or {})
        meta = {
            PROTOCOL_VERSION: self.version,
            CLIENT_CAPABILITIES: dict(self.capabilities),
            CLIENT_INFO: CLIENT,
        }
        return {**given, "_meta": {**meta, **(given.get("_meta") or {})}}

    def headers(self, method: str, params: Mapping[str, Any] | None) -> Headers:
        found = {"MCP-Protocol-Version": self.version, "Mcp-Method": method}
        subject = (params or {}).get(NAMED.get(method, ""))
        if isinstance(subject, str):
            found["Mcp-Name"] = header_value(subject)
        return found | self._mirrored(method, params or {})

    def _mirrored(self, method: str, params: Mapping[str, Any]) -> Headers:
        if method != "tools/call":
            return {}
        names = self.mirrored.get(str(params.get("name")), {})
        arguments = params.get("arguments") or {}
        return {
            f"Mcp-Param-{names[key]}": header_value(arguments[key]) for key in names if arguments.get(key) is not None
        }


def envelope(version: str, capabilities: Mapping[str, Any]) -> StatefulEnvelope | StatelessEnvelope:
    kind = StatelessEnvelope if era(version) is Era.STATELESS else StatefulEnvelope
    return kind(version, capabilities)


def header_value(value: Any) -> str:
    """A header value as 2026-07-28 wants it: plain where it can be, else in the base64 form."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    plain = text.isascii() and text.isprintable() and text == text.strip() and text and not text.startswith("=?base64?")
    return text if plain else encoded(text)


def encoded(text: str) -> str:
    octets = text.encode("utf-8", "surrogatepass")
    return f"=?base64?{base64.b64encode(octets).decode()}?="
