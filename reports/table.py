"""The matrix as a terminal shows it: how much of each suite held in each column, and the checks that did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text
from seatrial import Place, Result, RunStarted, Verdict, cells

from .findings import BAD, by_suite
from .reporter import headings, places
from .score import Score
from .text import visible

MARKS = {
    Verdict.PASS: ("pass", "green"),
    Verdict.FAIL: ("FAIL", "bold red"),
    Verdict.WARN: ("warn", "yellow"),
    Verdict.INCONCLUSIVE: ("?", "magenta"),
    Verdict.NOT_APPLICABLE: ("-", "dim"),
    Verdict.ERROR: ("ERR", "bold white on red"),
}
"""How a verdict looks in a cell."""

SHORT = {"streamable-http": "http"}
"""Bindings as the matrix names them, so that more columns have room; `--binding` takes these names too."""

LEGEND = "passed/applicable"
"""What the cells of a suite count."""

Cells = Mapping[tuple[str, Place], Verdict]


class Matrix:
    """`whole` shows every check, otherwise those with a FAIL, a WARN or an ERROR stand below their suites.

    Where there are scores, those of each target are a column.
    """

    def __init__(
        self, results: Sequence[Result], started: RunStarted, whole: bool, scores: Sequence[Score] = ()
    ) -> None:
        self._scores = {(score.suite, score.target): score for score in scores}
        self._scored = tuple(dict.fromkeys(score.target for score in scores))
        self._places = places(results)
        self.titles = tuple(map(_short, headings(self._places)))
        self._cells: Cells = cells(results)
        self._suites = {
            suite: tuple(dict.fromkeys(result.case.check.id for result in found))
            for suite, found in by_suite(results, started).items()
        }
        self._shown = {suite: [c for c in checks if whole or self._bad(c)] for suite, checks in self._suites.items()}

    @property
    def hidden(self) -> int:
        """How many checks have no row."""
        return sum(map(len, self._suites.values())) - sum(map(len, self._shown.values()))

    def width(self) -> int:
        """How wide the matrix is when every column is named in full."""
        names = [LEGEND, *self._suites, *(f"  {check}" for checks in self._shown.values() for check in checks)]
        heads = sum(1 + max(map(len, title)) for title in (*self.titles, *self._score_titles))
        return max(map(len, names)) + heads

    def table(self, numbered: bool) -> Table:
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="none")
        table.add_column(Text(LEGEND, style="dim"), overflow="fold", min_width=20)
        for number, title in enumerate(self.titles, start=1):
            table.add_column(str(number) if numbered else "\n".join(title), min_width=4, no_wrap=True)
        for title in self._score_titles:
            table.add_column("\n".join(title), no_wrap=True)
        for suite, checks in self._suites.items():
            tallies = [self._tally(checks, place) for place in self._places]
            table.add_row(Text(suite, style="bold"), *tallies, *(self._score(suite, name) for name in self._scored))
            for check in self._shown[suite]:
                table.add_row(Text(f"  {check}"), *(_cell(self._cells.get((check, p))) for p in self._places))
        return table

    @property
    def _score_titles(self) -> tuple[tuple[str, ...], ...]:
        several = len(self._scored) > 1
        return tuple((visible(name), "score") if several else ("score",) for name in self._scored)

    def _score(self, suite: str, target: str) -> Text:
        score = self._scores.get((suite, target))
        return Text("" if score is None else str(score), style="bold red" if score and score.capped else "bold")

    def _bad(self, check: str) -> bool:
        return any(self._cells.get((check, place)) in BAD for place in self._places)

    def _tally(self, checks: Sequence[str], place: Place) -> Text:
        """How many checks of a suite passed of those that apply, in the colour of the worst."""
        found = [verdict for check in checks if (verdict := self._cells.get((check, place)))]
        applicable = [verdict for verdict in found if verdict is not Verdict.NOT_APPLICABLE]
        style = MARKS[Verdict.merge(applicable)][1]
        return Text(f"{applicable.count(Verdict.PASS)}/{len(applicable)}" if applicable else "", style=style)


def _cell(verdict: Verdict | None) -> Text:
    return Text("") if verdict is None else Text(*MARKS[verdict])


def _short(heading: Sequence[str]) -> tuple[str, ...]:
    """A column as the matrix names it."""
    return tuple(visible(SHORT.get(part, part)) for part in heading)
