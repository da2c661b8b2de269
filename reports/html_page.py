"""The HTML report as frozen values for its template: the matrix, its filters, and what could not be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial import Column, Level, Place, Verdict

from .findings import Finding, Group, unjudged
from .reporter import Run, counts, headings, places
from .text import shortened, visible

MARKS = {
    Verdict.FAIL: "FAIL",
    Verdict.ERROR: "error",
    Verdict.INCONCLUSIVE: "?",
    Verdict.WARN: "warn",
    Verdict.PASS: "pass",
    Verdict.NOT_APPLICABLE: "–",
}
"""How a verdict looks in a cell."""

NAMES = {Verdict.INCONCLUSIVE: "not judged", Verdict.NOT_APPLICABLE: "not applicable"}
"""What a verdict is called where its own word is long."""

SHORT = {"streamable-http": "http"}
NAME, ADDRESS = 120, 300
"""Characters of a name, and of an address or a reason, that are shown."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`number` is that of the finding; `noted` says that it has notes."""

    number: int
    verdict: Verdict
    noted: bool

    @property
    def mark(self) -> str:
        return MARKS[self.verdict]


@dataclass(frozen=True, slots=True)
class Row:
    """One check. There is a cell for each column, None where the check has no case."""

    check: str
    title: str
    level: str
    protocol: str
    cells: tuple[Cell | None, ...]

    @property
    def rank(self) -> int:
        """The strongest level is 0."""
        return Level(self.level).rank


@dataclass(frozen=True, slots=True)
class Rows:
    """A suite, and how many checks of it passed of those that apply, by column; "" where none does."""

    suite: str
    rows: tuple[Row, ...]
    tallies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    version: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Cases that share why they have no judgement. `cases`: number of the finding and id."""

    reason: str
    detail: str
    advice: str
    cases: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Page:
    target: str
    address: str
    seed: int
    seconds: float
    outcome: str
    verdicts: Mapping[Verdict, int]
    headings: tuple[Heading, ...]
    suites: tuple[Rows, ...]
    unjudged: tuple[Reason, ...]
    inapplicable: tuple[Reason, ...]
    names: Mapping[Verdict, str]

    @property
    def cases(self) -> int:
        return sum(self.verdicts.values())

    @property
    def checks(self) -> int:
        return sum(len(suite.rows) for suite in self.suites)

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(sorted({heading.version for heading in self.headings}))

    @property
    def levels(self) -> tuple[str, ...]:
        present = {row.level for suite in self.suites for row in suite.rows}
        return tuple(level.value for level in Level if level.value in present)

    @property
    def protocols(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.protocol for suite in self.suites for row in suite.rows))


def page(run: Run, findings: Sequence[Finding]) -> Page:
    """The page of a run; `findings` are those of its results, in their order."""
    shown = places(run.results)
    numbers = {found.case: number for number, found in enumerate(findings)}
    return Page(
        target=shortened(visible(run.started.target), NAME),
        address=shortened(visible(run.started.address), ADDRESS),
        seed=run.started.seed,
        seconds=run.seconds,
        outcome=shortened(visible(run.outcome), 4 * ADDRESS),
        verdicts=counts(run.results),
        headings=tuple(map(_heading, shown, headings(shown))),
        suites=tuple(_suites(findings, shown)),
        unjudged=_reasons(unjudged(findings, Verdict.INCONCLUSIVE), numbers),
        inapplicable=_reasons(unjudged(findings, Verdict.NOT_APPLICABLE), numbers),
        names={verdict: NAMES.get(verdict, verdict.value) for verdict in Verdict},
    )


def _heading(place: Place, told: Sequence[str]) -> Heading:
    """The version stands out, the other parts of a heading are below it."""
    version = place.column.version
    rest = list(told)
    rest.remove(version)
    return Heading(version, tuple(shortened(visible(SHORT.get(part, part)), 40) for part in rest))


def _suites(findings: Sequence[Finding], shown: Sequence[Place]) -> Iterator[Rows]:
    suites: dict[str, dict[str, dict[Place, int]]] = {}
    for number, found in enumerate(findings):
        checks = suites.setdefault(found.suite, {}).setdefault(found.check, {})
        place = Place(found.target, Column(found.version, found.binding, found.fault_profile))
        worst = checks.setdefault(place, number)
        checks[place] = min(worst, number, key=lambda n: list(Verdict).index(findings[n].verdict))
    for suite, checks_of in suites.items():
        rows = tuple(_row(findings, numbers, shown) for numbers in checks_of.values())
        tallies = tuple(_tally([row.cells[place] for row in rows]) for place in range(len(shown)))
        yield Rows(suite, rows, tallies)


def _row(findings: Sequence[Finding], numbers: Mapping[Place, int], shown: Sequence[Place]) -> Row:
    of = [findings[number] for number in numbers.values()]
    level = min((found.level for found in of), key=lambda level: Level(level).rank)
    cells = tuple(_cell(findings, numbers.get(place)) for place in shown)
    check = of[0].check
    return Row(check, visible(of[0].title), level, check.partition(".")[0], cells)


def _cell(findings: Sequence[Finding], number: int | None) -> Cell | None:
    return None if number is None else Cell(number, findings[number].verdict, bool(findings[number].notes))


def _tally(cells: Sequence[Cell | None]) -> str:
    applicable = [cell.verdict for cell in cells if cell and cell.verdict is not Verdict.NOT_APPLICABLE]
    return f"{applicable.count(Verdict.PASS)}/{len(applicable)}" if applicable else ""


def _reasons(groups: Sequence[Group], numbers: Mapping[str, int]) -> tuple[Reason, ...]:
    return tuple(
        Reason(
            group.first.reason,
            shortened(visible(group.first.detail), ADDRESS),
            visible(group.first.advice),
            tuple((numbers[found.case], visible(found.case)) for found in group.findings),
        )
        for group in groups
    )
