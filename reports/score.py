"""How much of a suite holds, as one figure, to follow from run to run: beside the matrix, never instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from seatrial import Column, Level, Result, Verdict, broken

from .findings import by_suite
from .reporter import Run

WEIGHTS = {Level.MUST: 3, Level.SHOULD: 1}
"""What a requirement counts in a column. MAY and INFO do not: nobody has to do these."""

CAP = 59
"""The most that a suite can have in which a MUST is broken, however much else holds."""

NEEDED = 75
"""So many percent of a suite must have been judged: a figure from less says more about the run than the target."""

_UNJUDGED = (Verdict.INCONCLUSIVE, Verdict.ERROR)
_Key = tuple[str, Column]


@dataclass(frozen=True, slots=True)
class Score:
    """`value`: 0 to 100, None where too little was judged. `judged`: percent of what applies, which was judged.

    `capped`: a MUST is broken.
    """

    target: str
    suite: str
    value: int | None
    judged: int
    capped: bool = False

    def __str__(self) -> str:
        return "-" if self.value is None else str(self.value)


def scores(run: Run) -> tuple[Score, ...]:
    """The scores of a run by suite and target; none of a run that left cases out or did not come to its end."""
    if not run.complete or run.failure or run.started.partial:
        return ()
    targets = dict.fromkeys(result.case.target for result in run.results)
    return tuple(
        score
        for suite, results in by_suite(run.results, run.started).items()
        for target in targets
        if (score := scored(target, suite, [result for result in results if result.case.target == target]))
    )


def scored(target: str, suite: str, results: Iterable[Result]) -> Score | None:
    """The score of the results of one suite on one target; None where nothing applies.

    A requirement counts once in a column: as broken if any case breaks it, as held if any case held. What else is in a
    case that breaks one is not known to hold, and does not count.
    """
    tally = _tally(results)
    judged = len(tally.held) + len(tally.broken)
    total = judged + len(tally.open)
    if not total:
        return None
    share = 100 * judged // total
    if share < NEEDED:
        return Score(target, suite, None, share)
    weights = (sum(tally.held.values()), sum(tally.broken.values()))
    value = int(100 * Fraction(weights[0], sum(weights)))
    must = WEIGHTS[Level.MUST] in tally.broken.values()
    return Score(target, suite, min(value, CAP) if must else value, share, must)


@dataclass(frozen=True, slots=True)
class _Tally:
    """Weights of what held and of what did not, by requirement and column; `open` could not be judged."""

    held: dict[_Key, int]
    broken: dict[_Key, int]
    open: frozenset[_Key]


def _tally(results: Iterable[Result]) -> _Tally:
    held: dict[_Key, int] = {}
    down: dict[_Key, int] = {}
    unjudged: set[_Key] = set()
    for result in results:
        for key, weight in _broken(result):
            down[key] = max(weight, down.get(key, 0))
        if result.verdict is Verdict.PASS:
            held |= _rows(result)
        elif result.verdict in _UNJUDGED:
            unjudged |= _rows(result).keys()
    held = {key: weight for key, weight in held.items() if key not in down}
    return _Tally(held, down, frozenset(unjudged - held.keys() - down.keys()))


def _rows(result: Result) -> dict[_Key, int]:
    """What a case is about, with the weights."""
    column = result.case.column
    return {(row.id, column): WEIGHTS[row.level] for row in result.case.rows if row.level in WEIGHTS}


def _broken(result: Result) -> Iterator[tuple[_Key, int]]:
    """What a case breaks. An ambiguous MUST counts as a SHOULD; what belongs to no requirement, by its check."""
    for requirement, verdict in broken(result).items():
        level = Level.MUST if verdict is Verdict.FAIL else Level.SHOULD
        yield (requirement or result.case.check.id, result.case.column), WEIGHTS[level]


def remarks(found: Sequence[Score]) -> Iterator[str]:
    """What a reader has to know of scores: in which suites they are capped, and where there is none."""
    capped = dict.fromkeys(score.suite for score in found if score.capped)
    if capped:
        yield f"Score: at most {CAP} where a MUST is broken: {', '.join(capped)}"
    missing = dict.fromkeys(f"{score.suite} {score.judged} %" for score in found if score.value is None)
    if missing:
        yield f"No score where less than {NEEDED} % could be judged: {', '.join(missing)}"
