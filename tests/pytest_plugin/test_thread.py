"""The thread in which sessions live."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from seatrial.pytest_plugin.thread import TrioThread


def test_contexts_are_left_in_order_before_the_thread_ends() -> None:
    told: list[str] = []

    @asynccontextmanager
    async def opened(name: str) -> AsyncIterator[str]:
        yield name
        await anyio.sleep(0)
        told.append(name)

    with TrioThread.started() as thread:
        assert [thread.enter(opened(name)) for name in ("first", "second")] == ["first", "second"]
    assert told == ["second", "first"]


def test_what_somebody_left_behind_ends_with_the_thread() -> None:
    with TrioThread.started() as thread:
        left = thread.portal.start_task_soon(anyio.sleep_forever)
    assert left.done()
