"""The clock that every wait of this process is measured by."""

from __future__ import annotations

import trio


def jump(seconds: float) -> None:
    """Let virtual time jump ahead. Raises RuntimeError where time is real."""
    from trio.testing import MockClock

    clock = trio.lowlevel.current_clock()
    if not isinstance(clock, MockClock):
        raise RuntimeError("only a virtual clock can jump")
    clock.jump(seconds)
