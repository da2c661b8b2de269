"""Explore the bundled servers, or mutants of them, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from seatrial.exploration import Finding, Player, Regression, Search
from seatrial.exploration.draws import Extent
from seatrial.options import Options
from seatrial.target import Target
from trio.testing import MockClock

SEED = 7


def virtual(targets: Sequence[Target]) -> dict[str, Any]:
    return {"clock": MockClock(autojump_threshold=0)}


def player(make: Callable[[], Target]) -> Player:
    return Player(make, Options(), virtual)


def subject(make: Callable[[], Target], version: str, binding: str) -> tuple[Regression, Extent]:
    return player(make).subject(SEED, None, (version,), (binding,))


def explored(
    make: Callable[[], Target], version: str, binding: str, examples: int = 100, seed: int = SEED
) -> tuple[Search, Finding | None]:
    """The search and what it found. Its plans are limited by number; the time only ends what went wrong."""
    asked, extent = subject(make, version, binding)
    search = Search(asked, extent, player(make), seed, examples, seconds=60)
    return search, search.run()
