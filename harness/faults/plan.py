"""Reading faults: the text form `cut(on="tools/call", after=events(2), how=reset)`, the JSON form, plans of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from ..wire.json import JsonError, loads
from .catalogue import FAULTS, cut_after_events, limit, reset
from .fault import Fault, FaultError
from .syntax import Syntax, checked
from .trigger import TRIGGERS, Trigger

_NAMES: dict[str, Callable[..., Fault]] = {
    **FAULTS,
    "reset": reset,
    "limit": limit,
    "cut_after_events": cut_after_events,
}


def from_json(value: Any) -> Fault:
    """Raises FaultError."""
    if not isinstance(value, Mapping) or not isinstance(value.get("fault"), str):
        raise FaultError('a fault in JSON is an object with "fault": NAME')
    return _build(value["fault"], (), {key: _from_json(item) for key, item in value.items() if key != "fault"})


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_from_json, value))
    if not isinstance(value, Mapping):
        return value
    return _trigger(str(value.get("trigger")), (), {key: item for key, item in value.items() if key != "trigger"})


def parse(written: str) -> Fault:
    """One fault from its text form. Raises FaultError."""
    plan = parse_plan(written)
    if len(plan) != 1:
        raise FaultError(f"expected one fault, found {len(plan)}")
    return plan[0]


def parse_plan(written: str) -> tuple[Fault, ...]:
    """Several faults: text forms parted by `;` or newlines (`#` begins a remark), or a JSON list. Raises FaultError."""
    if not written.lstrip().startswith("["):
        return _SYNTAX.read(written)
    try:
        return tuple(_item(number, value) for number, value in enumerate(loads(written), 1))
    except (JsonError, RecursionError, ValueError) as error:
        raise FaultError(str(error)) from None


def _item(number: int, value: Any) -> Fault:
    try:
        return from_json(value)
    except FaultError as error:
        raise FaultError(f"fault {number} of the list: {error}") from None


def _trigger(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Trigger:
    if name not in TRIGGERS:
        raise FaultError(f"unknown trigger {name!r}; there are {', '.join(TRIGGERS)}")
    return TRIGGERS[name](**checked(name, TRIGGERS[name], positional, named, Trigger))


def _build(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Fault:
    if name not in _NAMES:
        near = get_close_matches(name, _NAMES, 3) or sorted(_NAMES)
        raise FaultError(f"unknown fault {name!r}; did you mean {', '.join(near)}?")
    if name not in FAULTS:
        return _by_other_name(name, positional, named)
    if positional:
        raise FaultError(f"{name}: every value needs its name, KEY=VALUE")
    return FAULTS[name](**checked(name, FAULTS[name], (), named, Trigger))


def _by_other_name(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Fault:
    try:
        return _NAMES[name](*positional, **checked(name, FAULTS["cut"], (), named, Trigger))
    except TypeError:
        raise FaultError(f"{name}: write it as cut(after=…, how=…)") from None


_SYNTAX = Syntax("fault plan", _build, _trigger, frozenset({"connect", "eof"}))
