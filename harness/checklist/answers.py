"""From a run and its signatures to the answered checklist."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import islice

from ..events import RunStarted
from ..model import Reason, Result, Verdict
from .exhibits import EXHIBITS, FLEETING, LINTS, OF_FAILURES, SHOWN, Subject, blind
from .lines import Basis, Group, Line, Weight, Who, groups
from .lints import Remark
from .signatures import Signature


class Standing(StrEnum):
    """How a line stands."""

    MET = "met"
    SIGNED = "signed"
    WAIVED = "waived"
    ABSENT = "not applicable"
    UNMET = "not met"
    UNDECIDED = "not decided"
    UNSIGNED = "to sign"


RESOLVED = (Standing.MET, Standing.SIGNED, Standing.WAIVED, Standing.ABSENT)
_WORST_FIRST = (Standing.UNMET, Standing.UNDECIDED, Standing.MET, Standing.ABSENT)


@dataclass(frozen=True, slots=True)
class Decided:
    """What the verdicts of one check come to. `result` is the one that shows it, None where the run left it out."""

    check: str
    state: Standing
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What Seatrial can say of a line. `lints` is what they come to, None where it rests on none; `missing` is why
    they have nothing to look at, "" where they have."""

    checks: tuple[Decided, ...] = ()
    lints: Standing | None = None
    remarks: tuple[Remark, ...] = ()
    shown: tuple[str, ...] = ()
    missing: str = ""
    digest: str = ""

    @property
    def state(self) -> Standing:
        """The verdict of Seatrial alone: the worst of all."""
        states = {decided.state for decided in self.checks} | {self.lints}
        return next((state for state in _WORST_FIRST if state in states), Standing.UNDECIDED)

    @property
    def decides(self) -> bool:
        """Whether there is anything that a yes or a no could come from."""
        return bool(self.checks) or self.lints is not None

    @property
    def absent(self) -> bool:
        """Whether the target has nothing at all that the line asks about."""
        return not self.checks and self.lints is Standing.ABSENT

    @property
    def partial(self) -> bool:
        """Whether the run left out what the line rests on: a signature would end with the next whole run."""
        results = [decided.result for decided in self.checks]
        return any(result is None or result.reason is Reason.INTERRUPTED for result in results)

    @property
    def broken(self) -> bool:
        """Whether a check failed: a person may overrule a lint, not that."""
        return any(decided.state is Standing.UNMET for decided in self.checks)


@dataclass(frozen=True, slots=True)
class AnsweredLine:
    """One line for one target. `asked` is who answers it: what Seatrial cannot look at here is a question to a person.
    `stale` is why its signature does not count."""

    line: Line
    asked: Who
    state: Standing
    facts: Facts
    signature: Signature | None = None
    stale: str = ""

    @property
    def resolved(self) -> bool:
        return self.state in RESOLVED

    @property
    def blocks(self) -> bool:
        return not self.resolved and self.line.weight is Weight.BLOCKER


@dataclass(frozen=True, slots=True)
class Checklist:
    """The list of one target, from one run, on one day. `version` is what the target calls its own version."""

    target: str
    address: str
    protocol: str
    version: str
    day: date
    run: RunStarted
    answers: tuple[tuple[Group, tuple[AnsweredLine, ...]], ...]

    @property
    def all(self) -> dict[str, AnsweredLine]:
        """By id of the line."""
        return {answer.line.id: answer for _, answers in self.answers for answer in answers}

    @property
    def blockers(self) -> tuple[AnsweredLine, ...]:
        """What stands in the way of a launch."""
        return tuple(answer for answer in self.all.values() if answer.blocks)


def answered(
    subject: Subject, results: Sequence[Result], signed: Mapping[str, Signature], today: date, version: str
) -> tuple[tuple[Group, tuple[AnsweredLine, ...]], ...]:
    """Every line that is a question for the protocol of the subject, by group."""

    def answer(line: Line) -> AnsweredLine:
        seen, signature = facts(line, subject, results), signed.get(line.id)
        asked = line.kind if seen.decides or line.kind is not Who.AUTO else Who.HUMAN
        stale = signature.stale(today, seen.digest, version) if signature else ""
        return AnsweredLine(line, asked, _state(asked, seen, None if stale else signature), seen, signature, stale)

    lines = ((group, [line for line in group.lines if subject.protocol in line.protocols]) for group in groups())
    return tuple((group, tuple(map(answer, asked))) for group, asked in lines if asked)


def _state(asked: Who, seen: Facts, signature: Signature | None) -> Standing:
    """How a line stands, given a signature that counts."""
    own = Standing.UNSIGNED if asked is Who.HUMAN else seen.state
    if seen.absent or (own in (Standing.MET, Standing.ABSENT) and asked is Who.AUTO):
        return own
    if signature and signature.waived:
        return Standing.WAIVED
    if asked is Who.AUTO or seen.broken:
        return own
    return Standing.SIGNED if signature else Standing.UNSIGNED


def facts(line: Line, subject: Subject, results: Sequence[Result]) -> Facts:
    """What the run says of a line."""
    basis = line.basis(subject.protocol)
    checks = tuple(_decided(name, found) for name, found in _of_checks(basis, results, subject.whole))
    remarks = {name: tuple(LINTS[name](subject)) for name in basis.lints}
    shown = {name: tuple(_bounded(EXHIBITS[name](subject))) for name in basis.shows}
    missing = next(filter(None, (blind(name, subject) for name in basis.lints)), "")
    return Facts(
        checks,
        _linted(basis, any(remarks.values()), missing, subject),
        tuple(remark for found in remarks.values() for remark in found),
        tuple(text for found in shown.values() for text in found),
        missing,
        _digest(line, checks, _lasting(remarks), _lasting(shown)),
    )


def _of_checks(basis: Basis, results: Sequence[Result], whole: bool) -> Iterator[tuple[str, list[Result]]]:
    """The checks of a basis by id, each with its results in what the target speaks.

    One that has none in a whole run is about other versions or bindings, and says nothing of this target. In any other
    run it has been left out.
    """
    spoken = [result for result in results if result.reason is not Reason.VERSION_NOT_CLAIMED]
    for pattern in basis.checks:
        found: dict[str, list[Result]] = {}
        for result in spoken:
            if fnmatch.fnmatchcase(result.case.check.id, pattern):
                found.setdefault(result.case.check.id, []).append(result)
        yield from found.items() or (() if whole else ((pattern, []),))


def _decided(check: str, results: Sequence[Result]) -> Decided:
    """What became of a check over all its columns, the worst first.

    The level of a clause says what a specification binds a server to; a line asks what its launch needs. So a SHOULD,
    or a note of a clause that binds nobody, leaves it unmet as well.
    """
    for state in _WORST_FIRST:
        for result in results:
            if _of(result) is state:
                return Decided(check, state, result)
    return Decided(check, Standing.UNDECIDED)


def _of(result: Result) -> Standing:
    noted = any(note.requirement and note.expected for note in result.notes)
    match result.verdict:
        case Verdict.FAIL | Verdict.WARN:
            return Standing.UNMET
        case Verdict.PASS:
            return Standing.UNMET if noted else Standing.MET
        case Verdict.NOT_APPLICABLE:
            return Standing.ABSENT
    return Standing.ABSENT if result.reason is Reason.NOTHING_SEEN else Standing.UNDECIDED


def _linted(basis: Basis, remarked: bool, missing: str, subject: Subject) -> Standing | None:
    """What the lints of a line come to."""
    if not basis.lints:
        return None
    if remarked:
        return Standing.UNMET
    if missing:
        return Standing.UNDECIDED
    return Standing.ABSENT if subject.toolless and not OF_FAILURES & set(basis.lints) else Standing.MET


def _bounded(texts: Iterator[str]) -> Iterator[str]:
    yield from islice(texts, SHOWN)
    more = sum(1 for _ in texts)
    if more:
        yield f"and {more} more"


def _lasting(found: Mapping[str, Sequence[object]]) -> list[str]:
    return sorted(str(item) for name, items in found.items() if name not in FLEETING for item in items)


def _digest(line: Line, checks: Iterable[Decided], remarks: Iterable[str], shown: Iterable[str]) -> str:
    """Of all that a signer is asked and shown and that an unchanged target shows again."""
    verdicts = sorted((decided.check, decided.state.value) for decided in checks)
    whole = json.dumps([line.question, verdicts, list(remarks), list(shown)])
    return hashlib.sha256(_PORT.sub(r"\1", whole).encode("utf-8", "replace")).hexdigest()[:16]


_PORT = re.compile(r"(://(?:127\.0\.0\.1|localhost|\[::1\])):\d+")
"""A server that is started for a run listens elsewhere each time."""
