"""Reading faults: the text form `cut(on="tools/call", after=events(2), how=reset)`, the JSON form, plans of both."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

from ..wire.json import JsonError, loads
from .catalogue import FAULTS, cut_after_events, limit, reset
from .fault import Fault, FaultError
from .trigger import TRIGGERS, Trigger

Value = Fault | Trigger
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
    try:
        if written.lstrip().startswith("["):
            return tuple(_item(number, value) for number, value in enumerate(loads(written), 1))
        return tuple(map(_statement, ast.parse(written).body))
    except SyntaxError as error:
        raise FaultError(f"line {error.lineno} of the fault plan is not of the form NAME(KEY=VALUE, …)") from None
    except (JsonError, RecursionError, ValueError) as error:
        raise FaultError(str(error)) from None


def _item(number: int, value: Any) -> Fault:
    try:
        return from_json(value)
    except FaultError as error:
        raise FaultError(f"fault {number} of the list: {error}") from None


def _statement(node: ast.stmt) -> Fault:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)):
        raise FaultError(f"line {node.lineno} of the fault plan is not of the form NAME(KEY=VALUE, …)")
    try:
        return _build(node.value.func.id, *_arguments(node.value))
    except FaultError as error:
        raise FaultError(f"line {node.lineno}: {error}") from None


def _arguments(call: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return tuple(map(_value, call.args)), {str(item.arg): _value(item.value) for item in call.keywords}


def _value(node: ast.expr) -> Any:
    """A trigger, a bare word (`reset`, `up`, `inf`), or a literal."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _trigger(node.func.id, *_arguments(node))
    if isinstance(node, ast.Name):
        return _trigger(node.id, (), {}) if node.id in ("connect", "eof") else node.id
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(map(_value, node.elts))
    return ast.literal_eval(node)


def _trigger(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Trigger:
    if name not in TRIGGERS:
        raise FaultError(f"unknown trigger {name!r}; there are {', '.join(TRIGGERS)}")
    kind = TRIGGERS[name]
    names = [item.name for item in fields(kind)]
    return kind(**_checked(name, kind, {**dict(zip(names, positional, strict=False)), **named}))


def _build(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Fault:
    if name not in _NAMES:
        near = get_close_matches(name, _NAMES, 3) or sorted(_NAMES)
        raise FaultError(f"unknown fault {name!r}; did you mean {', '.join(near)}?")
    if name not in FAULTS:
        return _by_other_name(name, positional, named)
    if positional:
        raise FaultError(f"{name}: every value needs its name, KEY=VALUE")
    return FAULTS[name](**_checked(name, FAULTS[name], named))


def _by_other_name(name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Fault:
    try:
        return _NAMES[name](*positional, **_checked(name, FAULTS["cut"], named))
    except TypeError:
        raise FaultError(f"{name}: write it as cut(after=…, how=…)") from None


def _checked(name: str, kind: type[Value], given: Mapping[str, Any]) -> dict[str, Any]:
    defaults = {item.name: item.default for item in fields(kind)}
    for key in given.keys() - defaults.keys():
        raise FaultError(f"{name} has no {key!r}; it has {', '.join(defaults)}")
    return {key: _coerced(f"{name}: {key}", value, defaults[key]) for key, value in given.items()}


def _coerced(place: str, value: Any, default: Any) -> Any:
    """The value in the type of the field's default."""
    if isinstance(default, StrEnum):
        return _member(place, value, type(default))
    if isinstance(default, float) and (value == "inf" or (isinstance(value, int) and not isinstance(value, bool))):
        return float(value)
    wanted = Trigger if isinstance(default, Trigger) else type(default)
    if not isinstance(value, wanted) or isinstance(value, bool) is not (wanted is bool):
        raise FaultError(f"{place} must be of kind {wanted.__name__.lower()}")
    return value


def _member(place: str, value: Any, kind: type[StrEnum]) -> StrEnum:
    try:
        return kind(str(value))
    except ValueError:
        raise FaultError(f"{place} is one of {', '.join(kind)}") from None
