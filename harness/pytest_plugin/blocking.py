"""What lives in the loop, for a test that is a plain function: it waits where a coroutine would be awaited."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import wraps
from typing import Any

from .thread import TrioThread

PACKAGE = __name__.partition(".")[0]


class Blocking:
    """Stands for an object of the engine. Attributes are those of the object, its coroutines block, its async contexts
    are plain ones, and what they give that has coroutines of its own is wrapped likewise.
    """

    def __init__(self, inner: Any, thread: TrioThread) -> None:
        self.__dict__.update(_inner=inner, _thread=thread)

    def __getattr__(self, name: str) -> Any:
        return outside(getattr(self._inner, name), self._thread)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, inside(value))

    def __repr__(self) -> str:
        return f"<blocking {type(self._inner).__name__}>"


def outside(value: Any, thread: TrioThread) -> Any:
    """A value of the loop as a plain function may use it."""
    if isinstance(value, AbstractAsyncContextManager):
        return _entered(value, thread)
    if inspect.isroutine(value):
        return _blocking(value, thread)
    return Blocking(value, thread) if _lives(type(value)) else value


def inside(value: Any) -> Any:
    """The value itself."""
    return value._inner if isinstance(value, Blocking) else value


def _lives(kind: type) -> bool:
    """Is it of the engine, and has it anything to wait for?"""
    own = kind.__module__.partition(".")[0] == PACKAGE
    return own and any(inspect.iscoroutinefunction(getattr(kind, name, None)) for name in dir(kind))


def _blocking(function: Callable[..., Any], thread: TrioThread) -> Callable[..., Any]:
    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        given = [inside(value) for value in arguments]
        return outside(thread.call(function, *given, **{key: inside(value) for key, value in named.items()}), thread)

    return call


@contextmanager
def _entered(manager: AbstractAsyncContextManager[Any], thread: TrioThread) -> Iterator[Any]:
    with thread.plain(manager) as value:
        yield outside(value, thread)
