"""Which version an object is written in: marks of the other one, and marks of its own that are missing.

What belongs to users (metadata, data parts) is not looked into.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...protocols.a2a.versions import V03

_KINDS = frozenset({"task", "message", "status-update", "artifact-update", "text", "file", "data"})
_FREE = frozenset({"metadata", "data"})


def foreign(value: Any, version: str) -> Iterator[str]:
    """What in an answer, an event or a notification is not as this version writes it (1.0: A.2.1; 0.3: 6)."""
    judge = _unlike_03 if version == V03 else _unlike_10
    for where, holder in _objects(value, ""):
        yield from (f"{where or 'the whole'} {what}" for what in judge(holder))


def _unlike_03(holder: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"has {name} {text}" for name, text in _names(holder) if text.startswith(("TASK_STATE_", "ROLE_")))
    told = "messageId" in holder or _has_state(holder)
    if told and "kind" not in holder:
        yield "has no kind"
    if holder.get("kind") == "status-update" and not isinstance(holder.get("final"), bool):
        yield "is a status update without final"
    parts = holder.get("parts")
    if isinstance(parts, list) and any(isinstance(part, Mapping) and "kind" not in part for part in parts):
        yield "has a part without kind"


def _unlike_10(holder: Mapping[str, Any]) -> Iterator[str]:
    prefixes = {"state": "TASK_STATE_", "role": "ROLE_"}
    yield from (f"has {name} {text}" for name, text in _names(holder) if not text.startswith(prefixes[name]))
    if holder.get("kind") in _KINDS:
        yield f"has the kind {holder['kind']}"
    if "final" in holder and _has_state(holder):
        yield "has final"


def _names(holder: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names of enumerations, with the members that hold them."""
    yield from ((name, holder[name]) for name in ("state", "role") if isinstance(holder.get(name), str))


def _has_state(holder: Mapping[str, Any]) -> bool:
    status = holder.get("status")
    return isinstance(status, Mapping) and "state" in status


def _objects(value: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object within a value, with its place."""
    if isinstance(value, Mapping):
        yield where, value
        for name, inner in value.items():
            if name not in _FREE:
                yield from _objects(inner, f"{where}.{name}".lstrip("."))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _objects(inner, f"{where}[{place}]")
