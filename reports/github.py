"""Annotations of a GitHub workflow run: workflow commands, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seatrial import Verdict

from .findings import Finding, Group, bad, configuration, finding, lines, same_check
from .reporter import Run, WholeReporter, counts
from .text import shortened, visible

ANNOTATIONS = 10
"""So many errors, and so many warnings, are shown of one step; GitHub drops the rest without a word."""

MESSAGE_LIMIT = 2000
"""Characters of one part of an annotation."""

_TOLD = ("clause", "expected", "actual", "more", "detail", "rerun", "spec")
"""The parts of a finding that an annotation has room for."""


class GithubReporter(WholeReporter):
    """An error for each check with a FAIL or an ERROR, a warning for each with a WARN, and a notice that counts.

    What the baseline accepts is only counted; an entry of it that fails the run is an error.
    """

    def render(self, run: Run) -> str:
        file = configuration(run.started)
        return "".join(f"{annotation.line(file)}\n" for annotation in _annotations(run))


@dataclass(frozen=True, slots=True)
class Annotation:
    """A workflow command: `error`, `warning` or `notice`."""

    command: str
    title: str
    text: str

    def line(self, file: str) -> str:
        """Nothing that title and text say can end the command or begin another."""
        shown = "\n".join(map(visible, self.text.split("\n")))
        return f"::{self.command} title={_property(visible(self.title))},file={_property(file)},line=1::{_data(shown)}"


def _annotations(run: Run) -> Iterator[Annotation]:
    groups = bad((finding(result, run.started) for result in run.results if not result.accepted), same_check)
    told = [Annotation("error", "Seatrial", run.outcome)] if run.outcome else []
    told += [Annotation("error", "Seatrial baseline", str(problem)) for problem in run.problems]
    told += map(_annotation, groups)
    for command in ("error", "warning"):
        yield from _capped([annotation for annotation in told if annotation.command == command])
    accepted = sum(bool(result.accepted) for result in run.results)
    said = [f"{verdict} {count}" for verdict, count in counts(run.results).items() if count]
    said += [f"accepted {accepted}"] if accepted else []
    yield Annotation("notice", f"Seatrial: {run.started.target}", ", ".join(said) or "nothing was judged")


def _capped(told: Sequence[Annotation]) -> Iterator[Annotation]:
    if len(told) <= ANNOTATIONS:
        yield from told
        return
    yield from told[: ANNOTATIONS - 1]
    more = len(told) - ANNOTATIONS + 1
    yield Annotation(told[0].command, "Seatrial", f"{more} more checks did not hold; the reports name them")


def _annotation(group: Group) -> Annotation:
    found, more = group.first, len(group.columns) - 1
    where = f" [{found.column}]" + (f" and {more} more" if more else "")
    command = "warning" if found.verdict is Verdict.WARN else "error"
    return Annotation(command, f"{found.verdict} {found.check}{where}", _text(found))


def _text(found: Finding) -> str:
    parts = (f"{name}: {shortened(visible(text), MESSAGE_LIMIT)}" for name, text in lines(found, 3) if name in _TOLD)
    return "\n".join((found.title, *parts))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
