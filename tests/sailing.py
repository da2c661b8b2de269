"""Run suites against the bundled reference, or a mutant of it, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import anyio
from seatrial.discovery import load_suites
from seatrial.engine import Options, run
from seatrial.fixtures.reference.target import simulated
from seatrial.model import Result, Suite
from seatrial.planning import Selection
from trio.testing import MockClock


def sail(
    build: Callable[..., Any] | None = None,
    suites: Iterable[Suite] | None = None,
    *,
    sink: Callable[[str], None] | None = None,
    attached: bool = False,
    checks: Iterable[str] = (),
    **options: Any,
) -> tuple[Result, ...]:
    """The results of a run against the reference (or what `build` makes), which takes no real time to wait.

    `checks` are ids; `attached`: Seatrial cannot start the target again; `options` are those of a run (versions,
    bindings, profile, seed, ...).
    """
    target = simulated(build) if build else simulated()
    target.spawnable = not attached
    asked = Options(selection=Selection(checks=tuple(checks)), **options)
    wanted = tuple(suites if suites is not None else load_suites())
    return anyio.run(
        run,
        target,
        wanted,
        asked,
        lambda event: None,
        sink,
        backend="trio",
        backend_options={"clock": MockClock(autojump_threshold=0)},
    )
