"""From results to cells and to one exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TypeVar

from .baseline import Baseline
from .events import BaselineProblem, RunFinished
from .model import Column, Place, Reason, Result, Verdict, Violation

T = TypeVar("T")


class Exit(IntEnum):
    """The exit codes of a run."""

    WELL = 0
    BROKEN = 1
    USAGE = 2
    UNJUDGED = 3
    UNREACHABLE = 4
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a user counts as a failure. `allowed` are the reasons for which a case may stay unjudged.

    `whole`: no case is left out, so that what the baseline accepts and nobody saw is no longer so.
    """

    strict: bool = False
    strict_info: bool = False
    allowed: frozenset[Reason] = frozenset()
    baseline: Baseline = field(default_factory=Baseline)
    whole: bool = True

    def accepts(self, result: Result) -> bool:
        """Whether an INCONCLUSIVE result is one that the user allows."""
        return result.reason in self.allowed

    def applied(self, result: Result) -> Result:
        """The result as it is reported: with `strict_info` a note makes a PASS a WARN; the baseline accepts some."""
        noted = self.strict_info and result.verdict is Verdict.PASS and result.notes
        return self.baseline.applied(replace(result, verdict=Verdict.WARN) if noted else result)

    def problems(self, results: Iterable[Result]) -> tuple[BaselineProblem, ...]:
        """The entries of the baseline that fail a run with these results."""
        return self.baseline.problems(results, self.whole)

    def fails(self, result: Result) -> bool:
        """Whether a result is a failure that may end a run early, and that a user wants to run again."""
        failures = (Verdict.FAIL, Verdict.ERROR, *((Verdict.WARN,) if self.strict else ()))
        told = self.applied(result)
        return told.verdict in failures and not told.accepted


def exit_code(results: Iterable[Result], policy: Policy) -> Exit:
    """The exit code of a run that came to its end, from its results as they are reported. None at all prove nothing."""
    found = tuple(results)
    verdicts = {result.verdict for result in found if not result.accepted}
    if Verdict.FAIL in verdicts or (policy.strict and Verdict.WARN in verdicts) or policy.problems(found):
        return Exit.BROKEN
    unjudged = (r for r in found if r.verdict is Verdict.INCONCLUSIVE and not policy.accepts(r))
    return Exit.UNJUDGED if not found or Verdict.ERROR in verdicts or any(unjudged) else Exit.WELL


def conclusion(finished: RunFinished, policy: Policy) -> Exit:
    """The exit code of a run as it ended."""
    if not (finished.complete or finished.stopped or finished.failure):
        return Exit.INTERRUPTED
    code = exit_code(finished.results, policy)
    return Exit.UNREACHABLE if finished.failure and code is not Exit.BROKEN else code


def cells(results: Iterable[Result]) -> Mapping[tuple[str, Place], Verdict]:
    """The verdict of every check in every column of every target; several results of one cell are merged."""
    found: dict[tuple[str, Place], Verdict] = {}
    for result in results:
        key = (result.case.check.id, result.case.place)
        found[key] = Verdict.merge((result.verdict, found.get(key, Verdict.NOT_APPLICABLE)))
    return found


_OURS = (Reason.NO_PROCESS, Reason.NO_REPLICAS)
"""What cannot be judged because Seatrial does not start the server there: that is no matter of the way."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A check whose verdict depends on the way in which a server is reached."""

    check: str
    direct: Place
    other: Place
    verdicts: tuple[Verdict, Verdict]


def differing(results: Iterable[Result], ways: Mapping[str, str]) -> tuple[Difference, ...]:
    """Where the verdicts differ of a server that is reached directly and in another way.

    `ways`: the target that is the other way -> the one that is the direct way.
    """
    found = cells(result for result in results if result.reason not in _OURS)
    pairs = [(check, Place(ways[p.target], p.column), p) for check, p in found if p.target in ways]
    both = (pair for pair in pairs if pair[:2] in found)
    told = (Difference(check, near, far, (found[check, near], found[check, far])) for check, near, far in both)
    return tuple(difference for difference in told if len(set(difference.verdicts)) > 1)


def unshared(results: Iterable[Result], ways: Mapping[str, str]) -> tuple[Place, ...]:
    """The columns that a server has in one way and not in another, of ways that led to it."""
    columns: dict[str, dict[Column, None]] = {}
    for result in results:
        columns.setdefault(result.case.target, {})[result.case.column] = None
    pairs = [pair for pair in ways.items() if columns.keys() >= set(pair)]
    both = (*pairs, *((direct, way) for way, direct in pairs))
    lone = (Place(here, column) for here, there in both for column in columns[here] if column not in columns[there])
    return tuple(dict.fromkeys(lone))


def merged(left: Result, right: Result) -> Result:
    """One result for a case that two shards judged: the worst, with what both found.

    A monitor that saw nothing yields to any other verdict.
    """
    for one, other in ((left, right), (right, left)):
        if one.reason is Reason.NOTHING_SEEN:
            return other
    return replace(
        _worst((left, right)),
        violations=_united(left.violations, right.violations),
        notes=_united(left.notes, right.notes),
        records=_united(left.records, right.records),
        seconds=left.seconds + right.seconds,
    )


def repeated(results: Sequence[Result]) -> Result:
    """One result for a case that was run several times: the worst. Verdicts that differ are told in a note."""
    found = Counter(result.verdict for result in results)
    whole = replace(_worst(results), seconds=sum(result.seconds for result in results))
    if len(found) == 1:
        return whole
    told = ", ".join(f"{verdict} {found[verdict]}" for verdict in Verdict if found[verdict])
    flaky = Violation("the same verdict every time", f"flaky: of {len(results)} times {told}")
    return replace(whole, notes=(*whole.notes, flaky))


def _worst(results: Iterable[Result]) -> Result:
    """What no baseline accepts is worse than what one does."""
    order = list(Verdict)
    return min(results, key=lambda result: (order.index(result.verdict), bool(result.accepted)))


def _united(left: tuple[T, ...], right: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*left, *right)))
