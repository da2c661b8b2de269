"""What became of each case from one run to another. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from .events import RunStarted
from .grading import broken
from .model import Result, Verdict

JUDGED = (Verdict.FAIL, Verdict.WARN, Verdict.PASS)
_GRAVITY = {verdict: -number for number, verdict in enumerate(Verdict)}


class ChangeKind(StrEnum):
    """What a change is, the most important first. ACCEPTED: it would be a regression, but the baseline accepts it."""

    REGRESSION = "regression"
    ACCEPTED = "accepted"
    IMPROVEMENT = "improvement"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Change:
    """One case that is not as it was. `base` or `head` is None where that run does not have it."""

    kind: ChangeKind
    base: Result | None
    head: Result | None

    @property
    def case(self) -> str:
        found = self.head or self.base
        return found.case.id if found else ""

    @property
    def newly_broken(self) -> tuple[str, ...]:
        """The requirements that are broken now and were not before, or less gravely."""
        return tuple(_graver(self.base, self.head)) if self.head else ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, and what changed from the first to the second."""

    base: RunStarted
    head: RunStarted
    changes: tuple[Change, ...]

    @property
    def kinds(self) -> tuple[ChangeKind, ...]:
        """Those that there are, the most important first."""
        return tuple(kind for kind in ChangeKind if self.of(kind))

    def of(self, kind: ChangeKind) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind is kind)


def changes(base: Iterable[Result], head: Iterable[Result], strict: bool = False) -> tuple[Change, ...]:
    """What changed, by kind and then in the order of `head`; what does not apply is as good as not there.

    A regression is a graver verdict, a requirement that was not broken before, or a case that was judged and is not any
    more. With `strict` so is a new case that could not be judged, and a judged one that is gone.
    """
    before = {result.case.id: result for result in base}
    after = {result.case.id: result for result in head}
    pairs = [(before.get(case), after.get(case)) for case in (*after, *(case for case in before if case not in after))]
    found = [Change(kind, *pair) for pair in pairs if (kind := _kind(*pair, strict))]
    return tuple(sorted(found, key=lambda change: list(ChangeKind).index(change.kind)))


def _kind(base: Result | None, head: Result | None, strict: bool) -> ChangeKind | None:
    if _worse(base, head) or (strict and _lost(base, head)):
        return ChangeKind.ACCEPTED if head and head.accepted else ChangeKind.REGRESSION
    if not _applies(head):
        return ChangeKind.GONE if _applies(base) else None
    if not _applies(base):
        return ChangeKind.NEW
    return ChangeKind.IMPROVEMENT if _worse(head, base) else None


def _worse(base: Result | None, head: Result | None) -> bool:
    """Is a case worse than it was? One that does not apply any more is, where it was judged."""
    if head is None:
        return False
    if not _applies(base):
        return head.verdict is Verdict.FAIL
    if _judged(base) and not _judged(head):
        return True
    assert base is not None
    if head.verdict is not base.verdict:
        return _GRAVITY[head.verdict] > _GRAVITY[base.verdict]
    return any(_graver(base, head))


def _lost(base: Result | None, head: Result | None) -> bool:
    """Is something not judged that was, or that is new?"""
    return (_judged(base) and head is None) or (not _applies(base) and _applies(head) and not _judged(head))


def _applies(result: Result | None) -> bool:
    return result is not None and result.verdict is not Verdict.NOT_APPLICABLE


def _judged(result: Result | None) -> bool:
    return result is not None and result.verdict in JUDGED


def _graver(base: Result | None, head: Result) -> Iterator[str]:
    """The requirements that `head` breaks and `base` does not, or less gravely."""
    before = broken(base) if base else {}
    for requirement, verdict in broken(head).items():
        if requirement not in before or _GRAVITY[verdict] > _GRAVITY[before[requirement]]:
            yield requirement
