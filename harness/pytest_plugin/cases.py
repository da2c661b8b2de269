"""One test per case, below the file that describes the targets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ..cli.refusal import Refused
from ..engine import Unreachable
from ..events import BaselineProblem
from ..model import Case, Result, Verdict
from ..spelling import printable
from .asked import Asked, asked
from .passage import Passage
from .thread import TrioThread
from .verdicts import Teller


def enlist(config: pytest.Config) -> None:
    """Have the cases collected that were asked for. Raises UsageError."""
    wanted = asked(config)
    config.pluginmanager.register(Cases(wanted), "seatrial-cases")
    arguments = [config.invocation_params.dir / text.partition("::")[0] for text in config.args]
    if not any(wanted.place.is_relative_to(argument.resolve()) for argument in arguments):
        config.args.append(str(wanted.place))


@dataclass(slots=True, eq=False)
class Cases:
    """The plugin of one session that has cases."""

    asked: Asked
    _open: ExitStack = field(default_factory=ExitStack)
    _passage: Passage | None = None
    _problems: tuple[BaselineProblem, ...] = ()

    @property
    def passage(self) -> Passage:
        if self._passage is None:
            thread = self._open.enter_context(TrioThread.started())
            self._passage = Passage(self.asked, thread)
        return self._passage

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        if file_path.resolve() != self.asked.place:
            return None
        return CaseFile.from_parent(parent, path=file_path, cases=self)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker of xdist is about to start."""
        node.workerinput.update(self.asked.told)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._passage is not None:
            self._problems = self._passage.conclude(selected(session))
            if self._problems and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self._open.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for problem in self._problems:
            terminalreporter.write_line(f"seatrial: {problem}", red=True)
        for folder in sorted(self.asked.folder.parent.glob(f"{self.asked.folder.name}*")):
            terminalreporter.write_line(f"seatrial: evidence and reports are in {folder}")


class CaseFile(pytest.File):
    """The configuration file, as what holds the cases of its targets."""

    def __init__(self, *, cases: Cases, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]
        self.cases = cases

    def collect(self) -> Iterator[pytest.Item]:
        try:
            planned = self.cases.passage.plan()
        except Unreachable as error:
            raise self.CollectError(f"seatrial: {printable(str(error))}") from None
        for name, why in self.cases.passage.absent.items():
            yield AbsentTarget.from_parent(self, name=name, why=why)
        for case in planned:
            # Without its own nodeid the brackets would not count as those of parameters: --lf would not find it again.
            whole = f"{self.nodeid}::{case.id}"
            yield CaseItem.from_parent(self, name=case.id, nodeid=whole, case=case, cases=self.cases)


class AbsentTarget(pytest.Item):
    """A target that could not be reached: one failure, which stops no other target."""

    def __init__(self, *, why: str, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]
        self.why = why

    def runtest(self) -> None:
        pytest.fail(f"seatrial: {printable(self.why)}", pytrace=False)


class CaseItem(pytest.Item):
    """One case. Its setup lasts until the case is over; its call tells the verdict."""

    def __init__(self, *, case: Case, cases: Cases, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]
        self.case, self.cases = case, cases
        self.result: Result | None = None
        self.add_marker("seatrial")
        self.extra_keyword_matches.update({case.level.value, *(row.suite for row in case.rows)})

    @property
    def teller(self) -> Teller:
        passage = self.cases.passage
        return Teller(self.cases.asked.policy, passage.started, partial=bool(self.cases.asked.worker))

    def setup(self) -> None:
        try:
            self.result = self.cases.passage.result(self.case, selected(self.session))
        except Refused as error:
            pytest.fail(f"seatrial: {error}", pytrace=False)
        if self.result.verdict is Verdict.ERROR:
            self.teller.tell(self, self.result)

    def runtest(self) -> None:
        assert self.result is not None
        self.teller.tell(self, self.result)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.cases.asked.line(self.case.target), self.case.check.title


def selected(session: pytest.Session) -> list[Case]:
    """The cases that are to be run."""
    return [item.case for item in session.items if isinstance(item, CaseItem)]
