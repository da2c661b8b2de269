"""Failures that a team accepts for a while: which they are, who says so, why, and until when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

from .document import Document, Entry, read
from .events import BaselineProblem
from .grading import BROKEN, broken
from .model import Acceptance, Case, Result, Verdict

FILE = Path("seatrial.baseline.toml")
TABLE = "accepted"
_SETTLED = (Verdict.PASS, Verdict.NOT_APPLICABLE)

Cell = tuple[str, str]
"""Version and binding; "" is any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Failures of one check on one target. Without a requirement, versions or bindings: of any.

    `chance`: they depend on timing, so that a run in which none shows makes nothing stale.
    """

    target: str
    check: str
    requirement: str = ""
    versions: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()
    chance: bool = False

    def spans(self, target: str, check: str, version: str, binding: str) -> bool:
        """Is that cell of a check inside?"""
        return (
            (target, check) == (self.target, self.check)
            and (not self.versions or version in self.versions)
            and (not self.bindings or binding in self.bindings)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFailure(Scope):
    """An entry. It accepts what is no graver than `verdict`. `place` is its file, line and key."""

    verdict: Verdict = Verdict.FAIL
    reason: str
    owner: str
    expires: date
    place: str = ""

    @property
    def acceptance(self) -> Acceptance:
        return Acceptance(self.reason, self.owner, self.expires)

    def covers(self, case: Case) -> bool:
        return self.spans(case.target, case.check.id, case.column.version, case.column.binding)

    def takes(self, requirement: str, verdict: Verdict) -> bool:
        """Does it accept that this requirement is broken, and so gravely?"""
        return self.requirement in ("", requirement) and BROKEN.index(self.verdict) <= BROKEN.index(verdict)

    def settled_cells(self, results: Iterable[Result]) -> list[Cell]:
        """The cells that it names in which its check was judged and what it accepts was not seen in any result."""
        cells: dict[Cell, list[Result]] = defaultdict(list)
        for result in results:
            column = result.case.column
            cells[column.version if self.versions else "", column.binding if self.bindings else ""].append(result)
        return [] if self.chance else [cell for cell, found in cells.items() if self._settled(found)]

    def _settled(self, results: Sequence[Result]) -> bool:
        noted = {note.requirement for result in results for note in result.notes}
        verdicts = {result.verdict for result in results}
        return Verdict.PASS in verdicts and verdicts.issubset(_SETTLED) and self.requirement not in noted - {""}

    def without(self, cells: Collection[Cell]) -> tuple[AcceptedFailure, ...]:
        """What is left of it without some of the cells that it names; itself without none."""
        named = product(self.versions or ("",), self.bindings or ("",))
        left = _rectangles(cell for cell in named if cell not in cells) if cells else ((self.versions, self.bindings),)
        return tuple(replace(self, versions=versions, bindings=bindings) for versions, bindings in left)


@dataclass(frozen=True, slots=True)
class Baseline:
    """All entries of a file, on a day."""

    entries: tuple[AcceptedFailure, ...] = ()
    today: date = date.min

    def expired(self, entry: AcceptedFailure) -> bool:
        return entry.expires < self.today

    def applied(self, result: Result) -> Result:
        """The result; accepted, if everything that it breaks is."""
        found = [entry for _, _, entry in self._matched(result)]
        taken = dict.fromkeys(entry.acceptance for entry in found if entry)
        return replace(result, accepted=tuple(taken) if all(found) else ())

    def _matched(self, result: Result) -> Iterator[tuple[str, Verdict, AcceptedFailure | None]]:
        """What the result breaks, each with the entry that accepts it."""
        down = broken(result)
        live = [entry for entry in self.entries if down and entry.covers(result.case) and not self.expired(entry)]
        for requirement, verdict in down.items():
            yield requirement, verdict, next((entry for entry in live if entry.takes(requirement, verdict)), None)

    def problems(self, results: Iterable[Result], whole: bool = True) -> tuple[BaselineProblem, ...]:
        """The entries about these results that are stale or expired. Not `whole`: some cases were left out."""
        found = tuple(results)
        return tuple(problem for entry in self.entries for problem in self._problems(entry, found, whole))

    def _problems(self, entry: AcceptedFailure, results: Iterable[Result], whole: bool) -> Iterator[BaselineProblem]:
        own = list(filter(_about(entry), results))
        if own and self.expired(entry):
            why = f"({_cell(entry)}) expired on {entry.expires}; repair it, or ask {entry.owner} to renew it"
            yield BaselineProblem("expired", entry.place, f"{why} with seatrial baseline update")
        elif own and (whole or _is_decidable(entry, own)):
            for cell in entry.settled_cells(own):
                why = f"is stale: {_cell(entry, cell)} holds now; remove it with seatrial baseline prune"
                yield BaselineProblem("stale", entry.place, why)

    def missing(
        self, results: Iterable[Result], verdicts: Collection[Verdict], why: Acceptance
    ) -> list[AcceptedFailure]:
        """The entries without which not every result of these verdicts is accepted."""
        cells: dict[tuple[str, str, str, Verdict], list[Cell]] = defaultdict(list)
        for result in results:
            case = result.case
            for requirement, verdict, entry in self._matched(result) if result.verdict in verdicts else ():
                if entry is None:
                    key = (case.target, case.check.id, requirement, verdict)
                    cells[key].append((case.column.version, case.column.binding))
        return [
            AcceptedFailure(
                target=target,
                check=check,
                requirement=requirement,
                versions=versions,
                bindings=bindings,
                verdict=verdict,
                reason=why.reason,
                owner=why.owner,
                expires=why.expires,
            )
            for (target, check, requirement, verdict), found in cells.items()
            for versions, bindings in _rectangles(found)
        ]

    def pruned(self, results: Iterable[Result]) -> tuple[tuple[AcceptedFailure, ...], ...]:
        """What a whole run leaves of each entry: all of it, some of its cells, or nothing."""
        found = tuple(results)
        return tuple(entry.without(entry.settled_cells(filter(_about(entry), found))) for entry in self.entries)


def _about(entry: AcceptedFailure) -> Callable[[Result], bool]:
    return lambda result: entry.covers(result.case)


def _is_decidable(entry: AcceptedFailure, results: Iterable[Result]) -> bool:
    """May a run that left cases out call it stale? Not if what it is about may have been among those: another version
    or binding, or the traffic that a monitor watches."""
    named = bool(entry.versions and entry.bindings)
    return named and not any(result.case.check.monitor for result in results)


def _cell(entry: AcceptedFailure, cell: Cell = ("", "")) -> str:
    version, binding = cell
    where = f"[{version or '*'},{binding or '*'}]" if version or binding else ""
    return f"{entry.target}/{entry.check}{where}"


def _rectangles(cells: Iterable[Cell]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The same cells as few pairs of versions and bindings: bindings with equal versions together."""
    by_binding: dict[str, dict[str, None]] = defaultdict(dict)
    for version, binding in cells:
        by_binding[binding][version] = None
    together: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for binding, versions in by_binding.items():
        together[tuple(sorted(versions))].append(binding)
    for named, bindings in together.items():
        yield tuple(filter(None, named)), tuple(filter(None, sorted(bindings)))


# The file


def load(path: Path, today: date) -> Baseline:
    """The baseline in a file. Raises ConfigError."""
    return parse(read(path), today)


def parse(document: Document, today: date) -> Baseline:
    """The baseline in a document. Raises ConfigError."""
    root = document.root().table((TABLE,), "table")
    entries = root[TABLE].tables() if TABLE in root else ()
    return Baseline(tuple(map(_entry, entries)), today)


def _entry(entry: Entry) -> AcceptedFailure:
    values = {key: _READERS[key](item) for key, item in entry.table(tuple(_READERS)).items()}
    for key in _REQUIRED:
        if key not in values:
            raise entry.error(f"has no {key}; {_REQUIRED[key]}")
    return AcceptedFailure(**values, place=entry.place)


def _said(entry: Entry) -> str:
    if not entry.text().strip():
        raise entry.error("must not be empty")
    return entry.text()


def _verdict(entry: Entry) -> Verdict:
    if entry.value not in BROKEN:
        raise entry.error(f"must be FAIL or WARN, not {entry.value!r:.40}; no other verdict can be accepted")
    return Verdict(entry.value)


_READERS: Mapping[str, Callable[[Entry], Any]] = {
    "target": _said,
    "check": _said,
    "requirement": _said,
    "versions": Entry.texts,
    "bindings": Entry.texts,
    "verdict": _verdict,
    "reason": _said,
    "owner": _said,
    "expires": Entry.day,
    "chance": Entry.flag,
}
_REQUIRED = {
    "target": 'name one of the configuration, such as target = "shop"',
    "check": "name the check that fails",
    "reason": "say why the failure is accepted",
    "owner": "say who answers for it",
    "expires": "name the last day on which it is accepted, such as expires = 2027-01-31",
}
"""The keys of an entry without a default, and what to write there."""
