"""Configurations of notifications, as agents show them: flat in 1.0, in two in 0.3, with a name in its proto form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PushConfig:
    """One configuration. What an agent leaves out, or gives in another type, is ""."""

    id: str
    task_id: str
    url: str
    token: str
    scheme: str
    credentials: str

    @classmethod
    def read(cls, shown: Any) -> PushConfig:
        """From the result of a create or a get, or from an entry of a list."""
        outer = _object(shown)
        inner = _object(outer.get("pushNotificationConfig")) or outer
        place = _text(outer.get("name")).split("/")
        task, ident = (place[1], place[3]) if len(place) == 4 else ("", "")
        authentication = _object(inner.get("authentication"))
        schemes = authentication.get("schemes") or [authentication.get("scheme")]
        return cls(
            id=_text(inner.get("id")) or ident,
            task_id=_text(outer.get("taskId")) or task,
            url=_text(inner.get("url")),
            token=_text(inner.get("token")),
            scheme=_text(schemes[0]) if isinstance(schemes, list) else "",
            credentials=_text(authentication.get("credentials")),
        )

    @classmethod
    def listed(cls, result: Any) -> list[PushConfig]:
        """From the result of a list: a list in 0.3, an object with one otherwise."""
        found = result.get("configs") if isinstance(result, Mapping) else result
        return [cls.read(entry) for entry in found] if isinstance(found, list) else []


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
