"""Run an async test on trio: in virtual time, where no wait costs anything, or in real time for real sockets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import ParamSpec

import trio
from trio.testing import MockClock

P = ParamSpec("P")


def virtual(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """A wait of an hour takes no time; a test that waits for nothing fails as a deadlock of its own deadline."""
    return _run(test, lambda: MockClock(autojump_threshold=0), 3600.0)


def real(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    return _run(test, lambda: None, 20.0)


def _run(
    test: Callable[P, Awaitable[None]], clock: Callable[[], trio.abc.Clock | None], limit: float
) -> Callable[P, None]:
    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def bounded() -> None:
            with trio.fail_after(limit):
                await partial(test, *args, **kwargs)()

        trio.run(bounded, clock=clock())

    return run
