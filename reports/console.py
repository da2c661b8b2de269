"""The matrix and the findings, for a person at a terminal or a reader of a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text
from seatrial import CaseFinished, Column, Event, Result, RunFinished, RunStarted, Verdict, cells

from .findings import BAD, Finding, Group, bad, by_suite, finding, lines, note_text, unjudged
from .reporter import Run, columns, counts
from .text import shortened, visible

MARKS = {
    Verdict.PASS: ("pass", "green"),
    Verdict.FAIL: ("FAIL", "bold red"),
    Verdict.WARN: ("warn", "yellow"),
    Verdict.INCONCLUSIVE: ("?", "magenta"),
    Verdict.NOT_APPLICABLE: ("-", "dim"),
    Verdict.ERROR: ("ERR", "bold white on red"),
}
"""How a verdict looks in a cell."""

SHORT = {"streamable-http": "http", "http+sse": "sse"}
"""Bindings as the matrix names them, so that more columns have room; `--binding` takes these names too."""

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
TEXT_LIMIT, NOTE_LIMIT = 600, 200
"""Characters of one expectation or observation that are shown; reports in files have all of them."""
REASONS_SHOWN = 12
COLUMNS_SHOWN = 4


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
        for group in bad(findings):
            self._told(group)
        self._notes(findings)
        self._unjudged(findings)
        self._conclude()

    def _introduce(self, started: RunStarted) -> None:
        names = {name for said in started.server.values() if (name := _server_name(said))}
        server = f" ({', '.join(sorted(names))})" if names else ""
        about = f"{started.target}: {shortened(visible(started.address), 200)}{shortened(server, 200)}"
        self._console.print(Text(about, style="bold"))
        self._console.print(Text(f"{len(started.cases)} cases, seed {started.seed}"))

    def _matrix(self) -> None:
        results = self._run.results
        shown = columns(results)
        short = _width(results, shown) > self._console.width
        self._console.print()
        table = _empty(shown, short)
        for suite, rows in by_suite(results, self._run.started).items():
            _fill(table, suite, rows, shown)
        self._console.print(table)
        if short:
            for number, column in enumerate(shown, start=1):
                self._console.print(Text(f"  {number:>2}  {_name(column, ' ')}"))

    def _told(self, group: Group) -> None:
        mark, style = MARKS[group.first.verdict]
        heading = Text.assemble((f"{mark} ", style), (group.first.check, "bold"), f"  {group.first.title}")
        self._console.print()
        self._console.print(heading)
        for name, text in (*lines(group.first), ("in", _where(group))):
            self._part(name, text)
        if group.first.traceback:
            self._part("error", group.first.traceback.strip().splitlines()[-1])

    def _part(self, name: str, text: str) -> None:
        """One part of a finding. A command and an address are never broken, so that they can be copied."""
        whole = name in ("rerun", "spec")
        shown = Text(visible(text) if whole else shortened(visible(text), TEXT_LIMIT))
        if whole:
            self._console.print(Text(f"  {name:<8} ") + shown, soft_wrap=True)
            return
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row(Text(f"  {name:<8}"), shown)
        self._console.print(grid)

    def _notes(self, findings: Sequence[Finding]) -> None:
        """What is allowed and worth knowing: broken MAY and INFO rows."""
        noted = dict.fromkeys(
            (found.check, note_text(note)) for found in findings if found.verdict not in BAD for note in found.notes
        )
        self._heading("Notes (allowed, no effect on the exit code)", bool(noted))
        for check, text in noted:
            self._console.print(Text(f"  {check}  {shortened(visible(text), NOTE_LIMIT)}"))

    def _unjudged(self, findings: Sequence[Finding]) -> None:
        for verdict, heading in ((Verdict.INCONCLUSIVE, "Not judged"), (Verdict.NOT_APPLICABLE, "Not applicable")):
            found = list(unjudged(findings, verdict))
            self._heading(heading, bool(found))
            for count, reason, detail in found[:REASONS_SHOWN]:
                self._console.print(Text(f"  {count:>5}  {reason}  {shortened(visible(detail), TEXT_LIMIT)}".rstrip()))
            if rest := sum(count for count, _, _ in found[REASONS_SHOWN:]):
                self._console.print(Text(f"  {rest:>5}  for other reasons; the reports name them"))

    def _heading(self, text: str, wanted: bool) -> None:
        if wanted:
            self._console.print()
            self._console.print(Text(text, style="bold"))

    def _conclude(self) -> None:
        run = self._run
        told = Text("\n")
        for verdict, count in counts(run.results).items():
            told.append(f"{verdict} {count}", style=MARKS[verdict][1] if count else "dim").append("  ")
        self._console.print(told)
        if run.outcome:
            self._console.print(Text(visible(run.outcome), style="bold red"))
        self._console.print(Text(f"{run.seconds:.1f} s, seed {run.started.seed}"))
        if run.started.evidence:
            self._console.print(Text(f"evidence: {run.started.evidence}"), soft_wrap=True)


def _empty(shown: Sequence[Column], short: bool) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="none")
    table.add_column("", overflow="fold", min_width=20)
    for number, column in enumerate(shown, start=1):
        table.add_column(str(number) if short else _name(column, "\n"), min_width=4)
    return table


def _fill(table: Table, suite: str, results: Sequence[Result], shown: Sequence[Column]) -> None:
    """The rows of one suite under its name."""
    verdicts = cells(results)
    table.add_row(Text(suite, style="bold"))
    for check in dict.fromkeys(result.case.check.id for result in results):
        table.add_row(Text(f"  {check}"), *(_cell(verdicts.get((check, column))) for column in shown))


def _cell(verdict: Verdict | None) -> Text:
    return Text("") if verdict is None else Text(*MARKS[verdict])


def _name(column: Column, separator: str) -> str:
    profile = () if column.profile == "none" else (column.profile,)
    return separator.join((column.version, SHORT.get(column.binding, column.binding), *profile))


def _width(results: Sequence[Result], shown: Sequence[Column]) -> int:
    """How wide the matrix is when every column is named in full."""
    names = 2 + max(len(result.case.check.id) for result in results)
    return names + sum(1 + max(map(len, _name(column, "\n").split("\n"))) for column in shown)


def _server_name(said: Any) -> str:
    """What a server calls itself in its initialize or discover result; "" when it does not."""
    result = said if isinstance(said, Mapping) else {}
    meta = result.get("_meta")
    info = result.get("serverInfo") or (meta.get(SERVER_INFO) if isinstance(meta, Mapping) else None)
    return visible(f"{info.get('name', '')} {info.get('version', '')}") if isinstance(info, Mapping) else ""


def _where(group: Group) -> str:
    more = len(group.columns) - COLUMNS_SHOWN
    return "  ".join(group.columns[:COLUMNS_SHOWN]) + (f"  and {more} more columns" if more > 0 else "")


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
            self._console.print(Text(f"{event.result.verdict} {event.result.case.id}"), soft_wrap=True)
        tenth = 10 * event.done // max(event.total, 1)
        if tenth > self._tenth:
            self._tenth = tenth
            self._console.print(Text(f"{event.done} of {event.total} cases {_left(event)}".rstrip()))

    def stop(self) -> None:
        """Nothing to take away: lines stay."""


def _left(event: CaseFinished) -> str:
    return "" if event.remaining is None else f"about {event.remaining:.0f} s left"
