"""Run suites against the bundled servers, or mutants of them, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import anyio
from seatrial.discovery import load_suites
from seatrial.engine import Options, run
from seatrial.fixtures import agent, front, reference, websocket
from seatrial.fixtures.agent import target as agent_target
from seatrial.fixtures.agent.variants import VARIANTS
from seatrial.fixtures.front import target as front_target
from seatrial.fixtures.reference import target as reference_target
from seatrial.fixtures.serving import Build, SimulatedTarget
from seatrial.fixtures.websocket import target as websocket_target
from seatrial.model import Mutant, Result, Suite
from seatrial.planning import Selection
from trio.testing import MockClock

AGUI_VERSIONS = ("1.0", "0.1")


def targets(protocol: str, build: Build | None = None, versions: Iterable[str] = ()) -> list[SimulatedTarget]:
    """The bundled server of a protocol, or what `build` makes. One of AG-UI speaks one version only."""
    if protocol == "mcp":
        return [reference_target.simulated(build or reference.Reference)]
    if protocol == "a2a":
        return [agent_target.simulated(build or agent.Agent)]
    if protocol == "websocket":
        return [websocket_target.simulated(build or websocket.Switchboard)]
    return [front_target.simulated(build or front.Front, version) for version in tuple(versions) or AGUI_VERSIONS]


def references(protocol: str) -> list[SimulatedTarget]:
    """The bundled server and its variants, on which together every check has its subject."""
    variants = [agent_target.simulated(variant) for variant in VARIANTS.values()] if protocol == "a2a" else []
    return [*targets(protocol), *variants]


def sail(
    build: Callable[..., Any] | None = None,
    suites: Iterable[Suite] | None = None,
    *,
    protocol: str = "mcp",
    sink: Callable[[str], None] | None = None,
    attached: bool = False,
    checks: Iterable[str] = (),
    **options: Any,
) -> tuple[Result, ...]:
    """The results of a run against the bundled server (or what `build` makes), which takes no real time to wait.

    `checks` are ids; `attached`: Seatrial cannot start the target again; `options` are those of a run (versions,
    bindings, profile, seed, ...).
    """
    found: list[Result] = []
    for target in targets(protocol, build, options.get("versions", ())):
        target.spawnable = not attached
        found += voyage(target, suites, sink=sink, checks=checks, **options)
    return tuple(found)


def voyage(
    target: SimulatedTarget,
    suites: Iterable[Suite] | None = None,
    *,
    sink: Callable[[str], None] | None = None,
    checks: Iterable[str] = (),
    **options: Any,
) -> tuple[Result, ...]:
    """The results of one run."""
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


def hunt(mutant: Mutant, suites: Iterable[Suite] | None = None, **options: Any) -> tuple[Result, ...]:
    """The results of a run against a mutant, where it shows."""
    columns = {"versions": mutant.versions, "bindings": mutant.bindings}
    return sail(mutant.build, suites, protocol=mutant.protocol, **{**columns, **options})
