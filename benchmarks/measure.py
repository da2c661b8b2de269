"""A command, its wall time and the memory that it took."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.fixtures.processes import end, running

LIMIT = 900.0
KEPT_CODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Whoever uses a tool for the second time has its code compiled."""


@dataclass(frozen=True, slots=True)
class Measured:
    """`peak` is the largest resident set in MiB, of the command or of a child of it, whichever was larger."""

    code: int
    seconds: float
    peak: float


def measure(argv: Sequence[str], log: Path, folder: Path | None = None) -> Measured:
    """Run a command to its end, in a folder if one is named, for at most LIMIT seconds."""
    begun = time.monotonic()
    with running(argv, log=log, env=KEPT_CODE, folder=folder) as process:
        watchdog = threading.Timer(LIMIT, end, [process])
        watchdog.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        watchdog.cancel()
    return Measured(process.returncode, time.monotonic() - begun, usage.ru_maxrss / 1024)


def typical(argv: Sequence[str], log: Path, runs: int) -> float:
    """The median of the wall times, in seconds, after one run that warms the caches."""
    return statistics.median([measure(argv, log).seconds for _ in range(runs + 1)][1:])
