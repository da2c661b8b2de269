"""A small catalogue and an engine that does as a test says, so that the command line can be tested alone."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main
from seatrial.engine import Options
from seatrial.events import CaseFinished, Event, RunFinished, RunStarted
from seatrial.model import Case, Check, Column, Level, Mutant, Reason, Requirement, Role, Suite, Verdict
from seatrial.model import Result as Outcome

ROW = Requirement(
    "mcp.can.stops-work",
    "cancellation",
    "mcp",
    Level.SHOULD,
    ("2025-06-18", "2026-07-28"),
    ("stdio", "streamable-http"),
    "basic/utilities/cancellation#behavior-requirements",
    "Work stops when a request is cancelled.",
    probe="cancel a slow call",
    expected="the witness stands still",
)


async def _body(lab: Any) -> None:
    """Cancel a slow call
    and read the witness."""


CHECK = Check(
    ROW.id, "A cancelled call stops working", (ROW.id,), _body, frozenset({Role.SLOW}), mutants=("cancel.swallowed",)
)
MUTANT = Mutant("cancel.swallowed", "a server that accepts the cancellation and works on", lambda: None)
SUITE = Suite("cancellation", (CHECK,), (ROW,), (MUTANT,))

Verdicts = Sequence[tuple[Verdict, Reason | None]]


class Engine:
    """Stands in for `engine.run`: gives the verdicts that a test asks for, and remembers what it was told."""

    def __init__(self) -> None:
        self.verdicts: Verdicts = [(Verdict.PASS, None)]
        self.failure: Exception | None = None
        self.interrupted_by: signal.Signals | None = None
        self.options: Options | None = None
        self.target: Any = None

    async def run(
        self,
        targets: Any,
        suites: Sequence[Suite],
        options: Options,
        emit: Callable[[Event], None],
        sink: Callable[[str], None] | None,
    ) -> tuple[Outcome, ...]:
        (target,) = targets
        self.options, self.target = options, target
        if self.failure:
            raise self.failure
        columns = [Column("2025-06-18", "stdio", str(number)) for number in range(len(self.verdicts))]
        cases = [Case(target.name, CHECK, column, (ROW,)) for column in columns]
        results = tuple(Outcome(c, v, r) for c, (v, r) in zip(cases, self.verdicts, strict=True))
        emit(RunStarted(target.name, target.address, options.seed, tuple(cases), {ROW.id: ROW}))
        for done, result in enumerate(results, start=1):
            emit(CaseFinished(result, done, len(results)))
        assert sink is not None
        sink('{"record":1}')
        if self.interrupted_by:
            signal.raise_signal(self.interrupted_by)
            await anyio.sleep_forever()
        emit(RunFinished(results, 0.5))
        return results


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    stand_in = Engine()
    monkeypatch.setattr("seatrial.cli.execution.run_cases", stand_in.run)
    return stand_in


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working directory and the small catalogue."""
    monkeypatch.setattr("seatrial.cli.catalogue.load_suites", lambda extra: (SUITE,))
    monkeypatch.chdir(tmp_path)
    return tmp_path


Invoke = Callable[..., Result]


@pytest.fixture
def invoke() -> Invoke:
    """`invoke("run", URL, …)` runs a command as a shell would."""

    def call(*words: str) -> Result:
        return CliRunner().invoke(main, list(words), prog_name="seatrial")

    return call
