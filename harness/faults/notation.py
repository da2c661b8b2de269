"""How faults and triggers are written: what differs from the defaults, or all of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from .trigger import Trigger

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from .fault import Fault

    class Written(DataclassInstance, Protocol):
        """A fault, a trigger, an act of a webhook: a frozen dataclass that is written under a name."""

        name: ClassVar[str]


def text(value: Written) -> str:
    """`cut(on="tools/call", after=events(2), how=reset)`."""
    written = _settings(value)
    return _trigger_text(value, written) if isinstance(value, Trigger) else _fault_text(value, written)


def expanded(value: Fault) -> str:
    """Every value, whatever the defaults are: another release reads the same from it."""
    return _fault_text(value, {item.name: getattr(value, item.name) for item in fields(value)})


def _fault_text(value: Written, written: Mapping[str, Any]) -> str:
    return f"{value.name}({', '.join(f'{key}={_text(item)}' for key, item in written.items())})"


def _trigger_text(value: Trigger, written: Mapping[str, Any]) -> str:
    """The position is written without its name, `n` even when it is the default."""
    names = [item.name for item in fields(value)]
    first = [_text(getattr(value, name)) for name in names[:1]]
    others = [f"{name}={_text(written[name])}" for name in names[1:] if name in written]
    return f"{value.name}({', '.join(first + others)})" if names else value.name


def _text(value: Any) -> str:
    if is_dataclass(value):
        return text(cast("Written", value))
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _settings(value: Written) -> dict[str, Any]:
    """The fields that differ from their defaults, in order."""
    pairs = ((item, getattr(value, item.name)) for item in fields(value))
    return {item.name: current for item, current in pairs if current != item.default}


def to_json(value: Fault | Trigger) -> dict[str, Any]:
    """`{"fault": "cut", "on": "tools/call", "after": {"trigger": "events", "n": 2}, "how": "reset"}`."""
    kind = "fault" if not isinstance(value, Trigger) else "trigger"
    return {kind: value.name, **{key: _to_json(item) for key, item in _settings(value).items()}}


def _to_json(value: Any) -> Any:
    if isinstance(value, Trigger):
        return to_json(value)
    if isinstance(value, StrEnum):
        return value.value
    if value == math.inf:
        return "inf"  # JSON has no such number
    return [_to_json(item) for item in value] if isinstance(value, tuple) else value
