"""The text form of values, `NAME(KEY=VALUE, …)`, read without knowing what their names mean."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Generic, TypeVar

from .fault import FaultError

T = TypeVar("T")
Make = Callable[[str, tuple[Any, ...], dict[str, Any]], T]
"""Makes a value of its name, the values that stand without a key, and those with one. Raises FaultError."""


@dataclass(frozen=True, slots=True)
class Syntax(Generic[T]):
    """`what` is the name of a text in errors, `make` makes its values, `inner` those that stand inside of others.

    `words` are names that are inner values without parentheses; any other bare word is a text.
    """

    what: str
    make: Make[T]
    inner: Make[Any]
    words: frozenset[str] = frozenset()

    def read(self, written: str) -> tuple[T, ...]:
        """Values parted by `;` or newlines; `#` begins a remark. Raises FaultError."""
        try:
            return tuple(map(self._statement, ast.parse(written).body))
        except SyntaxError as error:
            raise self._no_call(error.lineno) from None
        except (RecursionError, ValueError) as error:
            raise FaultError(str(error)) from None

    def _no_call(self, line: int | None) -> FaultError:
        return FaultError(f"line {line} of the {self.what} is not of the form NAME(KEY=VALUE, …)")

    def _statement(self, node: ast.stmt) -> T:
        call = node.value if isinstance(node, ast.Expr) else None
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise self._no_call(node.lineno)
        try:
            return self.make(call.func.id, *self._arguments(call))
        except FaultError as error:
            raise FaultError(f"line {node.lineno}: {error}") from None

    def _arguments(self, call: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
        named = {str(item.arg): self._value(item.value) for item in call.keywords}
        return tuple(map(self._value, call.args)), named

    def _value(self, node: ast.expr) -> Any:
        """An inner value, a bare word (`reset`, `up`, `inf`), or a literal."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.inner(node.func.id, *self._arguments(node))
        if isinstance(node, ast.Name):
            return self.inner(node.id, (), {}) if node.id in self.words else node.id
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(map(self._value, node.elts))
        return ast.literal_eval(node)


def checked(
    name: str, kind: type[Any], positional: tuple[Any, ...], named: Mapping[str, Any], family: type[Any]
) -> dict[str, Any]:
    """What a kind of value is made of, in the types of its defaults. `family`: the class of inner values.

    Raises FaultError.
    """
    defaults = {item.name: item.default for item in fields(kind)}
    if len(positional) > len(defaults):
        raise FaultError(f"{name} has {len(defaults)} values and no more: {', '.join(defaults)}")
    given = {**dict(zip(defaults, positional, strict=False)), **named}
    for key in given.keys() - defaults.keys():
        raise FaultError(f"{name} has no {key!r}; it has {', '.join(defaults)}")
    return {key: _coerced(f"{name}: {key}", value, defaults[key], family) for key, value in given.items()}


def _coerced(place: str, value: Any, default: Any, family: type[Any]) -> Any:
    """The value in the type of the field's default."""
    if isinstance(default, StrEnum):
        return _member(place, value, type(default))
    if isinstance(default, float) and (value == "inf" or (isinstance(value, int) and not isinstance(value, bool))):
        return float(value)
    wanted = family if isinstance(default, family) else type(default)
    if not isinstance(value, wanted) or isinstance(value, bool) is not (wanted is bool):
        raise FaultError(f"{place} must be of kind {wanted.__name__.lower()}")
    return value


def _member(place: str, value: Any, kind: type[StrEnum]) -> StrEnum:
    try:
        return kind(str(value))
    except ValueError:
        raise FaultError(f"{place} is one of {', '.join(kind)}") from None
