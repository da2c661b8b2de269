"""How the clock of a process is shifted that is about to be started: by its environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CLOCK_SKEW = "SEATRIAL_CLOCK_SKEW"
"""A program that adds these seconds to what it takes for the time need not be deceived about it."""
LIBRARIES = (
    "/usr/lib/*/faketime/libfaketime.so.1",
    "/usr/lib*/faketime/libfaketime.so.1",
    "/usr/local/lib/faketime/*.so.1",
)


def skewing(seconds: float, env: Mapping[str, str]) -> dict[str, str]:
    """What is laid over the environment of a process. Empty where there is no way: a program that knows the variable
    says so by having it in `env`, any other needs libfaketime on this machine."""
    if CLOCK_SKEW in env:
        return {CLOCK_SKEW: f"{seconds:+}"}
    library = next((str(found) for pattern in LIBRARIES for found in sorted(Path("/").glob(pattern[1:]))), "")
    return {"LD_PRELOAD": library, "FAKETIME": f"{seconds:+}"} if library else {}
