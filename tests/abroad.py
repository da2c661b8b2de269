"""Runs against a bundled server that is somebody else's, on a network of its own and in virtual time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.abc import TaskGroup
from seatrial.config import TargetConfig
from seatrial.discovery import load_suites
from seatrial.engine import Options, run
from seatrial.events import Event, RunStarted
from seatrial.fixtures.serving import Ledger
from seatrial.model import Result, Suite
from seatrial.planning import Selection
from seatrial.stimuli import Stimulus
from seatrial.target import RealTarget
from seatrial.transport.sim import SimNetwork
from trio.testing import MockClock

from .gate import SERVERS, Gate

HOST = "localhost"
"""A name that the bundled servers let themselves be called by; where it leads is for the network to say."""


class Abroad(SimNetwork):
    """A network in which every host is far away."""

    async def addresses(self, host: str) -> tuple[str, ...]:
        return ("203.0.113.7",)


@dataclass(frozen=True, slots=True)
class Visit:
    """What a run found, and what the server saw of it."""

    results: tuple[Result, ...]
    started: RunStarted
    ledger: Ledger


def visit(
    protocol: str,
    stimuli: Mapping[str, Stimulus],
    gate: Gate,
    *,
    network: SimNetwork | None = None,
    beside: Callable[[SimNetwork, TaskGroup], Awaitable[None]] | None = None,
    server: Any = None,
    suites: Iterable[Suite] | None = None,
    checks: Iterable[str] = (),
    **options: Any,
) -> Visit:
    """A run against the bundled server of a protocol, or `server`, behind a gate, at an address that is not ours.

    `beside` opens what else is to listen there.
    """
    asked = Options(selection=Selection(checks=tuple(checks)), **options)
    wanted = tuple(suites if suites is not None else load_suites())
    events: list[Event] = []

    async def voyage() -> Visit:
        sea = network or Abroad()
        async with anyio.create_task_group() as tasks:
            moored = gate.before(server or SERVERS[protocol])(tasks)
            moored.host, moored.network = HOST, sea
            listener = await sea.listen(HOST)
            moored.url = f"http://{HOST}:{listener.port}{moored.path}"
            tasks.start_soon(listener.serve, moored.serve_connection, tasks)
            if beside:
                await beside(sea, tasks)
            config = TargetConfig(name="vendor", protocol=protocol, url=moored.url, stimuli=stimuli)
            results = await run(RealTarget(config, sea), wanted, asked, events.append)
            tasks.cancel_scope.cancel()
        started = next(event for event in events if isinstance(event, RunStarted))
        return Visit(results, started, moored.ledger)

    return anyio.run(voyage, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)})
