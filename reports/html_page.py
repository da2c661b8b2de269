"""The HTML report as frozen values for its template: the matrix, its filters, and what could not be judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial import Column, Level, Place, Verdict

from .findings import Finding, Group, unjudged
from .reporter import Run, counts, headings, places, surroundings
from .score import Score, remarks, scores
from .text import brief, visible
from .ways import differences

MARKS = {
    Verdict.FAIL: "FAIL",
    Verdict.ERROR: "error",
    Verdict.INCONCLUSIVE: "?",
    Verdict.WARN: "warn",
    Verdict.PASS: "pass",
    Verdict.NOT_APPLICABLE: "–",
}
"""How a verdict looks in a cell."""

NAMES = {verdict: verdict.value for verdict in Verdict} | {
    Verdict.INCONCLUSIVE: "not judged",
    Verdict.NOT_APPLICABLE: "not applicable",
}
"""What a verdict is called: by its own word, if that is not long."""

SHORT = {"streamable-http": "http"}
PART, NAME, ADDRESS = 40, 120, 300
"""Characters of a part of a heading, of a name, and of an address or a reason, that are shown."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`number` is that of the finding; `noted` says that it has notes, `accepted` that it fails nothing."""

    number: int
    verdict: Verdict
    noted: bool
    accepted: bool

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
class Tally:
    """How many checks of a suite passed in a column, of those that apply, and the worst verdict."""

    passed: int
    applicable: int
    worst: Verdict


@dataclass(frozen=True, slots=True)
class Rows:
    """A suite. There is a tally for each column, and a score for each target of a whole run."""

    suite: str
    rows: tuple[Row, ...]
    tallies: tuple[Tally, ...]
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a column: `above` is the target where the run has several, `parts` what follows the version."""

    above: tuple[str, ...]
    version: str
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join((*self.above, self.version, *self.parts))


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
    surroundings: list[str]
    seconds: float
    alerts: tuple[str, ...]
    verdicts: Mapping[Verdict, int]
    headings: tuple[Heading, ...]
    suites: tuple[Rows, ...]
    unjudged: tuple[Reason, ...]
    inapplicable: tuple[Reason, ...]
    names: Mapping[Verdict, str]
    accepted: int
    remarks: tuple[str, ...]
    ways: tuple[tuple[str, str], ...]

    @property
    def cases(self) -> int:
        return sum(self.verdicts.values())

    @property
    def shares(self) -> Iterator[tuple[Verdict, int, int]]:
        """The verdicts one after the other: where each begins, and how many cases have it."""
        start = 0
        for verdict, count in self.verdicts.items():
            yield verdict, start, count
            start += count

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
    scored = scores(run)
    return Page(
        target=brief(run.started.target, NAME),
        address=brief(run.started.address, ADDRESS),
        seed=run.started.seed,
        surroundings=surroundings(run.started),
        seconds=run.seconds,
        alerts=tuple(_alerts(run)),
        verdicts=counts(run.results),
        headings=tuple(map(_heading, shown, headings(shown))),
        suites=tuple(_suites(findings, shown, scored)),
        unjudged=_reasons(unjudged(findings, Verdict.INCONCLUSIVE), numbers),
        inapplicable=_reasons(unjudged(findings, Verdict.NOT_APPLICABLE), numbers),
        names=NAMES,
        accepted=sum(bool(found.accepted) for found in findings),
        remarks=tuple(remarks(scored)),
        ways=tuple((visible(name), visible(text)) for name, text in differences(run)),
    )


def _alerts(run: Run) -> Iterator[str]:
    """What to know before the verdicts are read: what was not judged, and what of the baseline fails the run."""
    for text in (run.outcome, *map(str, run.problems)):
        if text:
            yield brief(text, 4 * ADDRESS)


def _heading(place: Place, told: Sequence[str]) -> Heading:
    shown = tuple(brief(SHORT.get(part, part), PART) for part in told)
    version = len(told) - (2 if place.column.profile == "none" else 3)
    return Heading(shown[:version], shown[version], shown[version + 1 :])


def _suites(findings: Sequence[Finding], shown: Sequence[Place], scored: Sequence[Score]) -> Iterator[Rows]:
    for suite, checks in _numbers(findings).items():
        rows = tuple(_row(findings, numbers, shown) for numbers in checks.values())
        tallies = tuple(_tally([row.cells[place] for row in rows]) for place in range(len(shown)))
        yield Rows(suite, rows, tallies, tuple(score for score in scored if score.suite == suite))


def _numbers(findings: Sequence[Finding]) -> dict[str, dict[str, dict[Place, int]]]:
    """The numbers of the findings by suite, check and column."""
    suites: dict[str, dict[str, dict[Place, int]]] = {}
    for number, found in enumerate(findings):
        place = Place(found.target, Column(found.version, found.binding, found.fault_profile))
        suites.setdefault(found.suite, {}).setdefault(found.check, {})[place] = number
    return suites


def _row(findings: Sequence[Finding], numbers: Mapping[Place, int], shown: Sequence[Place]) -> Row:
    of = [findings[number] for number in numbers.values()]
    level = min((found.level for found in of), key=lambda level: Level(level).rank)
    cells = tuple(_cell(findings, numbers.get(place)) for place in shown)
    check = of[0].check
    return Row(check, visible(of[0].title), level, check.partition(".")[0], cells)


def _cell(findings: Sequence[Finding], number: int | None) -> Cell | None:
    if number is None:
        return None
    found = findings[number]
    return Cell(number, found.verdict, bool(found.notes), bool(found.accepted))


def _tally(cells: Sequence[Cell | None]) -> Tally:
    applicable = [cell.verdict for cell in cells if cell and cell.verdict is not Verdict.NOT_APPLICABLE]
    return Tally(applicable.count(Verdict.PASS), len(applicable), Verdict.merge(applicable))


def _reasons(groups: Sequence[Group], numbers: Mapping[str, int]) -> tuple[Reason, ...]:
    return tuple(
        Reason(
            group.first.reason,
            brief(group.first.detail, ADDRESS),
            visible(group.first.advice),
            tuple((numbers[found.case], visible(found.case)) for found in group.findings),
        )
        for group in groups
    )
