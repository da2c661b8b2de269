"""The matrix and the findings, for a person at a terminal or a reader of a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text
from seatrial import CaseFinished, Event, RunFinished, RunStarted, Verdict

from .findings import BAD, Finding, Group, bad, finding, lines, note_text, same_check, unjudged
from .reporter import Run, counts, surroundings
from .score import remarks, scores
from .table import MARKS, Matrix
from .text import shortened, visible
from .ways import TITLE as WAYS
from .ways import differences

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
PAGE = "report.html"
TEXT_LIMIT = 600
"""Characters of one expectation or observation that are shown; reports in files have all of them."""
VIOLATIONS_SHOWN, NOTES_SHOWN, REASONS_SHOWN, COLUMNS_SHOWN = 3, 8, 12, 4
"""So many are told to a person, the rest is counted; with `verbose` among the options of the run all are told."""


class ConsoleReporter:
    """Progress while the run goes on; then matrix, findings, what was not judged, and the counts."""

    def __init__(self, out: TextIO) -> None:
        self._console = Console(file=out, highlight=False, markup=False, emoji=False, soft_wrap=False)
        self._run = Run()
        self._progress: Live | Lines = Live(self._console) if self._console.is_terminal else Lines(self._console)

    def handle(self, event: Event) -> None:
        self._run.take(event)
        match event:
            case RunStarted():
                self._introduce(event)
                self._progress.start(len(event.cases))
            case CaseFinished():
                self._progress.advance(event)
            case RunFinished():
                self._progress.stop()

    def close(self) -> None:
        self._progress.stop()
        findings = [finding(result, self._run.started) for result in self._run.results]
        if self._run.results:
            self._matrix()
        for group in bad(findings, same_check):
            self._told(group)
        self._differences()
        self._notes(findings)
        self._unjudged(findings)
        self._slowest()
        self._problems()
        self._conclude()

    def _introduce(self, started: RunStarted) -> None:
        names = {name for said in started.server.values() if (name := _server_name(said))}
        server = f" ({', '.join(sorted(names))})" if names else ""
        about = f"{started.target}: {shortened(visible(started.address), 200)}{shortened(server, 200)}"
        self._console.print(Text(about, style="bold"))
        care = dict.fromkeys(started.options.get("care", {}).values())
        self._console.print(Text("; ".join((f"{len(started.cases)} cases, seed {started.seed}", *care))))
        for fault in surroundings(started):
            self._console.print(Text(f"around all of it: {shortened(visible(fault), 200)}"))

    @property
    def _verbose(self) -> bool:
        return bool(self._run.started.options.get("verbose"))

    def _most(self, number: int) -> int | None:
        """How many of a list are shown; None: all."""
        return None if self._verbose else number

    def _matrix(self) -> None:
        found = scores(self._run)
        matrix = Matrix(self._run.results, self._run.started, self._verbose, found)
        numbered = matrix.width() > self._console.width
        self._console.print()
        self._console.print(matrix.table(numbered))
        if numbered:
            for number, title in enumerate(matrix.titles, start=1):
                self._console.print(Text(f"  {number:>2}  {' '.join(title)}"))
        if matrix.hidden:
            about = f"Checks without a FAIL, WARN or ERROR: {matrix.hidden}; --verbose shows them"
            self._console.print(Text(about, style="dim"))
        for remark in remarks(found):
            self._console.print(Text(remark, style="dim"))

    def _told(self, group: Group) -> None:
        mark, style = MARKS[group.first.verdict]
        accepted = "accepted " if group.first.accepted else ""
        heading = Text.assemble((f"{mark} {accepted}", style), (group.first.check, "bold"), f"  {group.first.title}")
        self._console.print()
        self._console.print(heading)
        for name, text in (*lines(group.first, self._most(VIOLATIONS_SHOWN)), ("in", _where(group))):
            self._part(name, text)
        if group.first.traceback:
            self._part("error", group.first.traceback.strip().splitlines()[-1])

    def _part(self, name: str, text: str) -> None:
        """One part of a finding. What is to be copied is never broken."""
        whole = name in ("rerun", "spec", "add")
        shown = Text(visible(text) if whole else shortened(visible(text), TEXT_LIMIT))
        if whole:
            self._console.print(Text(f"  {name:<8} ") + shown, soft_wrap=True)
            return
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(Text(f"  {name:<8}"), shown)
        self._console.print(grid)

    def _differences(self) -> None:
        found = list(differences(self._run))
        self._heading(WAYS, bool(found))
        for name, told in found:
            self._console.print(Text(f"  {visible(name)}  {visible(told)}"))

    def _notes(self, findings: Sequence[Finding]) -> None:
        """What is allowed and worth knowing, of each check the first: broken MAY and INFO rows."""
        noted: dict[str, dict[str, None]] = {}
        for found in findings:
            if found.verdict not in BAD and found.notes:
                noted.setdefault(found.check, {}).update(dict.fromkeys(map(note_text, found.notes)))
        self._heading("Notes (allowed, no effect on the exit code)", bool(noted))
        shown = self._most(NOTES_SHOWN)
        for check, texts in list(noted.items())[:shown]:
            self._note(check, list(texts))
        if more := len(noted) - len(list(noted)[:shown]):
            self._console.print(Text(f"  {more} more with notes; --verbose and the reports tell them"))

    def _note(self, check: str, texts: Sequence[str]) -> None:
        """The notes of one check, or the first of them on at most two lines."""
        if self._verbose:
            for text in texts:
                self._console.print(Text(f"  {check}  {shortened(visible(text), TEXT_LIMIT)}"))
            return
        more = f" (and {len(texts) - 1} more)" if texts[1:] else ""
        room = 2 * self._console.width - len(check) - len(more) - 20
        self._console.print(Text(f"  {check}  {shortened(visible(texts[0]), max(room, 40))}{more}"))

    def _unjudged(self, findings: Sequence[Finding]) -> None:
        for verdict, heading in ((Verdict.INCONCLUSIVE, "Not judged"), (Verdict.NOT_APPLICABLE, "Not applicable")):
            found = unjudged(findings, verdict)
            self._heading(heading, bool(found))
            shown = found[: self._most(REASONS_SHOWN)]
            for group in shown:
                self._reason(group)
            if rest := sum(len(group.findings) for group in found[len(shown) :]):
                self._console.print(Text(f"  {rest:>5}  for other reasons; --verbose and the reports name them"))

    def _reason(self, group: Group) -> None:
        """How many cases share a reason, and what to add to the configuration."""
        told = shortened(visible(group.first.detail), TEXT_LIMIT)
        self._console.print(Text(f"  {len(group.findings):>5}  {group.first.reason}  {told}".rstrip()))
        if group.first.advice:
            self._console.print(Text(f"         add: {visible(group.first.advice)}"), soft_wrap=True)

    def _slowest(self) -> None:
        """The cases that took longest, as many as the options of the run ask for."""
        wanted = self._run.started.options.get("durations", 0)
        found = sorted(self._run.results, key=lambda result: -result.seconds)[:wanted]
        self._heading("Slowest cases", bool(found))
        for result in found:
            self._console.print(Text(f"  {result.seconds:>8.2f} s  {visible(result.case.id)}"), soft_wrap=True)

    def _problems(self) -> None:
        """The entries of the baseline that fail the run."""
        self._heading("Baseline (fails the run)", bool(self._run.problems))
        for problem in self._run.problems:
            self._console.print(Text(f"  {visible(str(problem))}"), soft_wrap=True)

    def _heading(self, text: str, wanted: bool) -> None:
        if wanted:
            self._console.print()
            self._console.print(Text(text, style="bold"))

    def _conclude(self) -> None:
        run = self._run
        told = Text("\n")
        for verdict, count in counts(run.results).items():
            told.append(f"{verdict} {count}", style=MARKS[verdict][1] if count else "dim").append("  ")
        if accepted := sum(bool(result.accepted) for result in run.results):
            told.append(f"accepted {accepted}")
        self._console.print(told)
        if run.outcome:
            self._console.print(Text(visible(run.outcome), style="bold red"))
        self._console.print(Text(f"{run.seconds:.1f} s, seed {run.started.seed}"))
        if run.started.evidence:
            self._where_it_is(Path(run.started.evidence))

    def _where_it_is(self, evidence: Path) -> None:
        """The evidence, and the page beside it, which a run from the command line leaves there."""
        self._console.print(Text(f"evidence: {evidence}"), soft_wrap=True)
        if (page := evidence.with_name(PAGE)).exists():
            self._console.print(Text(f"report: {page}"), soft_wrap=True)


def _where(group: Group) -> str:
    more = len(group.columns) - COLUMNS_SHOWN
    shown = "  ".join(group.columns[:COLUMNS_SHOWN]) + (f"  and {more} more" if more > 0 else "")
    return shown if group.alike else f"{shown}  (the words differ, the reports have all)"


def _server_name(said: Any) -> str:
    """What a server calls itself in its initialize or discover result; "" when it does not."""
    result = said if isinstance(said, Mapping) else {}
    meta = result.get("_meta")
    info = result.get("serverInfo") or (meta.get(SERVER_INFO) if isinstance(meta, Mapping) else None)
    return visible(f"{info.get('name', '')} {info.get('version', '')}") if isinstance(info, Mapping) else ""


class Live:
    """A bar with the time that is left, on a terminal."""

    def __init__(self, console: Console) -> None:
        parts = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
        self._progress = Progress(*parts, console=console, transient=True)
        self._task = self._progress.add_task("")

    def start(self, total: int) -> None:
        self._progress.update(self._task, total=total)
        self._progress.start()

    def advance(self, event: CaseFinished) -> None:
        said = f"{_left(event)} {event.result.case.check.id}"
        self._progress.update(self._task, completed=event.done, total=event.total, description=said)

    def stop(self) -> None:
        self._progress.stop()


class Lines:
    """A line for every tenth of the run and for every bad verdict, where there is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tenth = 0

    def start(self, total: int) -> None:
        self._tenth = 0

    def advance(self, event: CaseFinished) -> None:
        if event.result.verdict in BAD:
            accepted = ", accepted" if event.result.accepted else ""
            self._console.print(Text(f"{event.result.verdict}{accepted} {event.result.case.id}"), soft_wrap=True)
        tenth = 10 * event.done // max(event.total, 1)
        if tenth > self._tenth:
            self._tenth = tenth
            self._console.print(Text(f"{event.done} of {event.total} cases {_left(event)}".rstrip()))

    def stop(self) -> None:
        """Nothing to take away: lines stay."""


def _left(event: CaseFinished) -> str:
    return "" if event.remaining is None else f"about {event.remaining:.0f} s left"
