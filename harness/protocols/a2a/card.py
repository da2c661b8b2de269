"""The agent card, in the shape of either version or of both at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from .versions import JSONRPC, V03, V10

WELL_KNOWN = ".well-known/agent-card.json"
LEGACY = ".well-known/agent.json"
"""Where 0.1 and 0.2 have it; some agents that speak 0.3 have it there only."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})


@dataclass(frozen=True, slots=True)
class Interface:
    """One address of an agent: what it speaks there, and its tenant, "" without one."""

    url: str
    binding: str
    version: str
    tenant: str = ""


def places(url: str) -> tuple[str, ...]:
    """Where the card of an agent at a URL may be: below it, and at the root of its origin (8.2), as 0.2 had it last."""
    if url.endswith(".json"):
        return (url,)
    base = url if url.endswith("/") else f"{url}/"
    found = (place for name in (WELL_KNOWN, LEGACY) for place in (urljoin(base, name), urljoin(url, f"/{name}")))
    return tuple(dict.fromkeys(found))


def is_card(found: Any) -> bool:
    """Is this JSON an agent card at all, however incomplete?"""
    marks = {"supportedInterfaces", "skills", "capabilities", "preferredTransport", "protocolVersion"}
    return isinstance(found, Mapping) and "name" in found and bool(marks & found.keys())


def interfaces(card: Mapping[str, Any]) -> tuple[Interface, ...]:
    """Every interface that the card declares, those of the newer shape first. Malformed entries are passed over."""
    return tuple(dict.fromkeys((*_newer(card), *_older(card))))


def _newer(card: Mapping[str, Any]) -> Iterator[Interface]:
    for entry in _objects(card.get("supportedInterfaces")):
        url, binding, version = (entry.get(k) for k in ("url", "protocolBinding", "protocolVersion"))
        if isinstance(url, str) and isinstance(binding, str):
            tenant = entry.get("tenant")
            yield Interface(url, binding, _minor(version or V10), tenant if isinstance(tenant, str) else "")


def _older(card: Mapping[str, Any]) -> Iterator[Interface]:
    """0.3: 5.6. The main URL speaks `preferredTransport`, JSONRPC where it is absent."""
    main = card.get("url")
    if not isinstance(main, str):
        return
    version = _minor(card.get("protocolVersion") or V03)
    version = V03 if version.startswith("0.") or card.get("supportedInterfaces") else version
    preferred = card.get("preferredTransport")
    yield Interface(main, preferred if isinstance(preferred, str) else JSONRPC, version)
    for entry in _objects(card.get("additionalInterfaces")):
        url, binding = entry.get("url"), entry.get("transport")
        if isinstance(url, str) and isinstance(binding, str):
            yield Interface(url, binding, version)


def capabilities(card: Mapping[str, Any]) -> dict[str, Any]:
    """The declared capabilities by their names of 1.0."""
    found = card.get("capabilities")
    known = dict(found) if isinstance(found, Mapping) else {}
    if card.get("supportsAuthenticatedExtendedCard") is True:
        known.setdefault("extendedAgentCard", True)
    return known


def extensions(card: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _objects(capabilities(card).get("extensions"))


def followed(url: str, target: str) -> str:
    """The URL of an interface as we may call it: on the target's own origin, or between two names of this machine.

    "" for any other: a card must not send us elsewhere.
    """
    try:
        there, here = urlsplit(url), urlsplit(target)
        if there.scheme not in ("http", "https") or not there.hostname:
            return ""
        if (there.scheme, there.hostname, there.port) == (here.scheme, here.hostname, here.port):
            return url
        if there.hostname in _LOOPBACK and here.hostname in _LOOPBACK:
            port = f":{there.port}" if there.port else ""
            return urlunsplit((there.scheme, f"{here.hostname}{port}", there.path, there.query, ""))
    except ValueError:
        return ""
    return ""


def _minor(version: Any) -> str:
    """Major.Minor of a version text (3.6)."""
    return ".".join(str(version).split(".")[:2])


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
