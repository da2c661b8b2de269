"""From results to cells and to one exit code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum

from .model import Place, Reason, Result, Verdict


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
    """What a user counts as a failure. `allowed` are the reasons for which a case may stay unjudged."""

    strict: bool = False
    strict_info: bool = False
    allowed: frozenset[Reason] = frozenset()

    def accepts(self, result: Result) -> bool:
        """Whether an INCONCLUSIVE result is one that the user allows."""
        return result.reason in self.allowed

    def applied(self, result: Result) -> Result:
        """The result as it is reported: with `strict_info` a note makes a PASS a WARN."""
        if self.strict_info and result.verdict is Verdict.PASS and result.notes:
            return replace(result, verdict=Verdict.WARN)
        return result


def exit_code(results: Iterable[Result], policy: Policy) -> Exit:
    """The exit code of a run that came to its end."""
    found = tuple(results)
    verdicts = {result.verdict for result in found}
    if Verdict.FAIL in verdicts or (policy.strict and Verdict.WARN in verdicts):
        return Exit.BROKEN
    unjudged = (r for r in found if r.verdict is Verdict.INCONCLUSIVE and not policy.accepts(r))
    return Exit.UNJUDGED if Verdict.ERROR in verdicts or any(unjudged) else Exit.WELL


def cells(results: Iterable[Result]) -> Mapping[tuple[str, Place], Verdict]:
    """The verdict of every check in every column of every target; several results of one cell are merged."""
    found: dict[tuple[str, Place], Verdict] = {}
    for result in results:
        key = (result.case.check.id, result.case.place)
        found[key] = Verdict.merge((result.verdict, found.get(key, Verdict.NOT_APPLICABLE)))
    return found


def merged(left: Result, right: Result) -> Result:
    """One result for a case that two shards judged. A monitor that saw nothing yields to any other verdict."""
    for one, other in ((left, right), (right, left)):
        if one.reason is Reason.NOTHING_SEEN:
            return other
    order = list(Verdict)
    return min(left, right, key=lambda result: order.index(result.verdict))
