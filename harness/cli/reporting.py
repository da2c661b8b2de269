"""From `--report NAME=PATH` to reporters that hear the events of a run."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, TextIO

import click

from ..events import CaseFinished, Event, RunFinished, RunStarted
from ..matrix import Policy
from ..model import Result
from ..spelling import unknown
from .refusal import Refused

GROUP = "seatrial.reporters"
STANDARD_OUTPUT, STANDARD_ERROR = "-", "&2"
IN_FOLDER = {"json": "report.json", "markdown": "report.md", "junit": "junit.xml", "html": "report.html"}
"""The reports that every run leaves in its folder."""


class Reporter(Protocol):
    """What an entry point of the group `seatrial.reporters` makes from an open text stream."""

    def handle(self, event: Event) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Request:
    """A report that is wanted. `path` is a file, or `-` for standard output."""

    reporter: str
    path: str

    @classmethod
    def parse(cls, text: str) -> Request:
        """`NAME=PATH`. Raises Refused when it is malformed or the reporter does not exist."""
        name, _, path = text.partition("=")
        known = entry_points(group=GROUP).names
        if name not in known:
            raise Refused(f"--report {text}: {unknown('reporter', name, known)}")
        if not path:
            raise Refused(f"--report {text}: say where to write it, for example {name}=report.{name}")
        return cls(name, path)


@contextmanager
def opened(requests: Sequence[Request]) -> Iterator[list[Reporter]]:
    """The reporters of some requests, their files open. Raises Refused when one cannot be written."""
    with ExitStack() as files:
        yield [_made(request.reporter, _stream(request, files)) for request in requests]


def _stream(request: Request, files: ExitStack) -> TextIO:
    if request.path == STANDARD_OUTPUT:
        return sys.stdout
    if request.path == STANDARD_ERROR:
        return sys.stderr
    return files.enter_context(writable(Path(request.path), f"the {request.reporter} report"))


def writable(path: Path, what: str) -> TextIO:
    """A file opened for writing, line by line. Raises Refused."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("w", encoding="utf-8", errors="backslashreplace", buffering=1)
    except OSError as error:
        raise Refused(f"{what} cannot be written to {path}: {error.strerror}; choose another place") from None


def _made(name: str, stream: TextIO) -> Reporter:
    (point,) = entry_points(group=GROUP, name=name)
    make: Callable[[TextIO], Reporter] = point.load()
    return make(stream)


@dataclass(slots=True)
class Feed:
    """Hands the events of a run to its reporters, and sees to it that they hear a beginning and an end.

    `context` is added to the options that RunStarted tells. A reporter that cannot write is dropped, the run goes on.
    Durations are told by the clock of the person who waits, which is not the one of a target in virtual time.
    """

    reporters: list[Reporter]
    policy: Policy
    start: RunStarted
    context: dict[str, Any] = field(default_factory=dict)
    _begun: float = field(default_factory=time.monotonic)
    _started: bool = False
    _finished: RunFinished | None = None
    _results: dict[str, Result] = field(default_factory=dict)

    def emit(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._started = True
                address = self.start.address
                options = {**event.options, **self.context}
                event = replace(event, address=address, options=options, evidence=self.start.evidence)
            case CaseFinished():
                event = replace(event, result=self.policy.applied(event.result), remaining=self._remaining(event))
                self._results[event.result.case.id] = event.result
            case RunFinished():
                results = tuple(map(self.policy.applied, event.results))
                event = replace(event, results=results, seconds=self._spent(), baseline=self.policy.problems(results))
                self._finished = event
        self._each(lambda reporter: reporter.handle(event))

    @property
    def results(self) -> tuple[Result, ...]:
        return self._finished.results if self._finished else tuple(self._results.values())

    def conclude(self, failure: str = "") -> RunFinished:
        """Close every reporter, and say how the run ended; one without an end gets one that says so."""
        if not self._started:
            self.emit(self.start)
        if not self._finished:
            self.emit(RunFinished(self.results, self._spent(), bool(failure), failure))
        self._each(lambda reporter: reporter.close())
        assert self._finished
        return self._finished

    def _spent(self) -> float:
        return time.monotonic() - self._begun

    def _remaining(self, event: CaseFinished) -> float | None:
        """Seconds, as long as the engine itself dares an estimate."""
        return None if event.remaining is None else self._spent() / event.done * (event.total - event.done)

    def _each(self, tell: Callable[[Reporter], None]) -> None:
        for reporter in tuple(self.reporters):
            try:
                tell(reporter)
            except OSError as error:
                self.reporters.remove(reporter)
                click.echo(f"Error: {type(reporter).__name__} cannot write: {error.strerror or error}", err=True)


def requested(reports: Sequence[Request], folder: Path) -> tuple[Request, ...]:
    """The matrix for the person, what a run's folder always holds, and what was asked for."""
    taken = any(request.path == STANDARD_OUTPUT for request in reports)
    kept = (Request(name, str(folder / file)) for name, file in IN_FOLDER.items())
    return (Request("console", STANDARD_ERROR if taken else STANDARD_OUTPUT), *kept, *reports)


def parsed(texts: Iterable[str]) -> tuple[Request, ...]:
    return tuple(map(Request.parse, texts))
