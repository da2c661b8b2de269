"""Labs and receivers for a team's own tests, on targets that stay open for a whole session of pytest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from ..config import FILE, TargetConfig, described, load, select
from ..document import ConfigError
from ..engine import Options, Unreachable, Voyage, embarked
from ..lab import Lab
from ..model import Case, Check, Column, Isolation, Level, Requirement
from ..receiver import Receiver
from ..spelling import printable
from ..target import attach
from ..transcript import Transcript
from ..transport.tcp import TcpNetwork
from ..trial import at_work
from .asked import conduct
from .thread import TrioThread

Description = str | Mapping[str, Any]
"""A URL, the name of a target in the configuration, or the keys of one."""

COLUMN = ("version", "binding")


@dataclass(slots=True, eq=False)
class Labs:
    """The open targets of one session of pytest, and the thread in which they live."""

    config: pytest.Config
    thread: TrioThread
    _open: list[tuple[TargetConfig, Voyage]] = field(default_factory=list)

    @classmethod
    @contextmanager
    def opened(cls, config: pytest.Config) -> Iterator[Labs]:
        with TrioThread.started() as thread:
            yield cls(config, thread)

    @contextmanager
    def lab(self, item: pytest.Item, description: Description) -> Iterator[Lab[Any]]:
        """A lab for one test, in the newest version that its target speaks unless the mark names another.

        Fails the test when there is no such target, skips it when the target does not speak so.
        """
        wanted = marked(item)
        voyage = self._reached(description)
        column = _column(voyage, {name: wanted.get(name, "") for name in COLUMN})
        case = _case(item, voyage.berth.target.name, column)
        recorder = voyage.berth.transcript.scope(case.id)
        with self.thread.plain(at_work(case, voyage.berth, recorder)) as lab:
            yield lab

    def receiver(self, name: str) -> AbstractContextManager[Receiver]:
        """A webhook receiver on loopback."""
        return self.thread.plain(_receiving(name))

    # Targets

    def _reached(self, description: Description) -> Voyage:
        """Fails the test when it is described wrongly, or is not there."""
        try:
            return self._voyage(self._target(description))
        except (ConfigError, Unreachable) as error:
            problem = printable(str(error))
        pytest.fail(f"seatrial: {problem}", pytrace=False)

    def _target(self, description: Description) -> TargetConfig:
        if not isinstance(description, str):
            return described("target", description, "seatrial_target")
        if "://" in description:
            return described("target", {"url": description}, "seatrial_target")
        file = self._file()
        return select(load(file), description, file)

    def _file(self) -> Path:
        """Where targets are described: what --seatrial names, else the setting, else seatrial.toml at the root."""
        config = self.config
        typed, setting = config.getoption("--seatrial"), config.getini("seatrial_config")
        file = config.invocation_params.dir / typed if typed else config.rootpath / (setting or FILE)
        if not file.is_file():
            raise ConfigError(
                f"there is no {file}; write one with seatrial init, set seatrial_config, "
                "or mark the test: @pytest.mark.seatrial(url=...)"
            )
        return file

    def _voyage(self, target: TargetConfig) -> Voyage:
        """Raises Unreachable."""
        for known, voyage in self._open:
            if known == target:
                return voyage
        typed = self.config.option
        options = Options(seed=typed.seatrial_seed or 0, tempo=typed.seatrial_tempo, conduct=conduct(self.config))
        fleet = self.thread.enter(embarked([attach(target)], (), options, lambda event: None))
        (voyage,) = fleet.voyages
        self.thread.call(voyage.chart)
        self._open.append((target, voyage))
        return voyage


def marked(item: pytest.Item) -> dict[str, Any]:
    """What the marks of a test say, the nearest last."""
    marks = [mark for mark in item.iter_markers("seatrial") if mark.kwargs]
    return {name: value for mark in reversed(marks) for name, value in mark.kwargs.items()}


def description_of(item: pytest.Item) -> Description:
    """The target that the marks of a test describe."""
    keys = {name: value for name, value in marked(item).items() if name not in COLUMN}
    name = keys.pop("target", "")
    return keys or str(name)


def _column(voyage: Voyage, wanted: Mapping[str, str]) -> Column:
    """The newest column of the target that is wanted."""
    spoken = voyage.berth.claims.spoken
    found = [s for s in spoken if all(value in ("", getattr(s, name)) for name, value in wanted.items())]
    if not found:
        told = ", ".join(f"{s.version} over {s.binding}" for s in spoken)
        pytest.skip(f"the target does not speak {' over '.join(filter(None, wanted.values()))}, but {told}")
    newest = max(found, key=lambda s: s.version)
    return Column(newest.version, newest.binding)


def _case(item: pytest.Item, target: str, column: Column) -> Case:
    """A test as a check of one requirement, what its docstring or its name says."""
    function = getattr(item, "function", None)
    title = (getattr(function, "__doc__", None) or item.name).strip().partition("\n")[0]
    row = Requirement(item.nodeid, "", "", Level.MUST, (column.version,), (column.binding,), "", title)
    check = Check(item.nodeid, title, (row.id,), lambda lab: None, isolation=Isolation.SESSION)
    return Case(target, check, column, (row,))


@asynccontextmanager
async def _receiving(name: str) -> AsyncIterator[Receiver]:
    begun = anyio.current_time()
    transcript = Transcript(lambda: anyio.current_time() - begun)
    async with anyio.create_task_group() as tasks:
        receiver = Receiver(TcpNetwork(), transcript.scope(name), tasks)
        yield receiver
        await receiver.aclose()
        tasks.cancel_scope.cancel()
