"""One result as every report tells it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from seatrial import Acceptance, Case, Requirement, Result, RunStarted, Verdict, Violation, clause_links, rerun_words

from .advice import advice


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What became of one case, in the words of the JSON report. `rerun` is a shell command.

    `several`: the run has other targets too.
    """

    case: str
    target: str
    check: str
    title: str
    requirements: tuple[str, ...]
    suite: str
    level: str
    verdict: Verdict
    version: str
    binding: str
    fault_profile: str
    expected: str
    actual: str
    violations: tuple[Violation, ...]
    notes: tuple[Violation, ...]
    records: tuple[int, ...]
    seconds: float
    rerun: str
    reason: str
    detail: str
    traceback: str
    accepted: tuple[Acceptance, ...]
    clauses: tuple[Requirement, ...]
    several: bool = False

    @property
    def column(self) -> str:
        return f"{self.version},{self.binding},{self.fault_profile}"

    @property
    def place(self) -> str:
        """The column, and of which target where the run has several."""
        return f"{self.target} {self.column}" if self.several else self.column

    @property
    def links(self) -> tuple[str, ...]:
        """Where the clauses can be read, each once."""
        return tuple(dict.fromkeys(link for row in self.clauses for link in clause_links(row, self.version)))

    @property
    def advice(self) -> str:
        """What to add to the configuration, so that an unjudged case can be judged; "" when nothing helps."""
        described = self.target.partition("@")[0]  # Each way to a target is described where the target is.
        return advice(self.reason, self.detail, described, self.check) if self.verdict is Verdict.INCONCLUSIVE else ""

    def as_json(self) -> dict[str, Any]:
        """The finding as it stands in the JSON report."""
        told = {key: value for key, value in asdict(self).items() if key not in ("clauses", "several")}
        return {**told, "accepted": [{**asdict(why), "expires": why.expires.isoformat()} for why in self.accepted]}


def finding(result: Result, run: RunStarted) -> Finding:
    case, violations = result.case, result.violations
    return Finding(
        case=case.id,
        target=case.target,
        check=case.check.id,
        title=case.check.title,
        requirements=tuple(row.id for row in case.rows) or case.check.requirements,
        suite=suite_of(case, run),
        level=case.level.value,
        verdict=result.verdict,
        version=case.column.version,
        binding=case.column.binding,
        fault_profile=case.column.profile,
        expected="; ".join(violation.expected for violation in violations),
        actual="; ".join(violation.actual for violation in violations),
        violations=violations,
        notes=result.notes,
        records=_records(result),
        seconds=round(result.seconds, 3),
        rerun=rerun(case, run),
        reason=result.reason.value if result.reason else "",
        detail=result.detail,
        traceback=result.traceback,
        accepted=result.accepted,
        clauses=_clauses(result, run),
        several=run.target != case.target,
    )


def suite_of(case: Case, run: RunStarted) -> str:
    """The suite of a case: that of its first row."""
    rows = rows_of(case, run)
    return rows[0].suite if rows else ""


def rows_of(case: Case, run: RunStarted) -> tuple[Requirement, ...]:
    """The requirements of a case: those that hold in its column, or all of its check where none does."""
    return case.rows or tuple(run.requirements[name] for name in case.check.requirements if name in run.requirements)


def rows_used(results: Iterable[Result], run: RunStarted) -> list[Requirement]:
    """The requirements that the cases are about, in their order."""
    named = {row.id: row for result in results for row in rows_of(result.case, run)}
    return list(named.values())


def by_suite(results: Iterable[Result], run: RunStarted) -> dict[str, list[Result]]:
    """The results by suite, suites and results in their order."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(suite_of(result.case, run), []).append(result)
    return found


def rerun(case: Case, run: RunStarted) -> str:
    """The command that runs one case again with the same seed."""
    return shlex.join(rerun_words(case, run))


def configuration(run: RunStarted) -> str:
    """The file that describes the target, as the command of the run names it: a URI reference."""
    words = list(run.options.get("command", ()))
    named = words[words.index("--config") + 1 :] if "--config" in words else []
    return quote(PurePath(named[0]).as_posix()) if named else "seatrial.toml"


def _records(result: Result) -> tuple[int, ...]:
    cited = {number for violation in (*result.violations, *result.notes) for number in violation.records}
    return tuple(sorted(cited | set(result.records)))


def _clauses(result: Result, run: RunStarted) -> tuple[Requirement, ...]:
    """The rows that were broken; all rows of the case where no violation names one."""
    named = {violation.requirement for violation in (*result.violations, *result.notes)}
    rows = rows_of(result.case, run)
    return tuple(row for row in rows if row.id in named or row.family in named) or rows


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one check in several columns."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """Where they were found, by target where the run has several."""
        return tuple(found.place for found in self.findings)

    @property
    def alike(self) -> bool:
        """Whether they say the same."""
        return len(set(map(same_words, self.findings))) == 1


def grouped(findings: Iterable[Finding], key: Callable[[Finding], tuple[str, ...]]) -> tuple[Group, ...]:
    """The findings, those of an equal key together, the worst verdict first, of each the accepted last."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for found in findings:
        groups.setdefault(key(found), []).append(found)
    order = list(Verdict)
    worst_first = sorted(groups.values(), key=lambda g: (order.index(g[0].verdict), bool(g[0].accepted)))
    return tuple(Group(tuple(g)) for g in worst_first)


def same_words(found: Finding) -> tuple[str, ...]:
    """What findings have in common that differ in their columns alone."""
    told = (found.check, found.verdict, found.reason, found.expected, found.actual, found.detail)
    return (*told, *map(acceptance_text, found.accepted))


def same_check(found: Finding) -> tuple[str, ...]:
    return (found.check, found.verdict, "accepted" if found.accepted else "")


RECORDS_SHOWN = 12
"""So many numbers of records are shown to a reader; the JSON report has all of them."""

BAD = (Verdict.FAIL, Verdict.ERROR, Verdict.WARN)
"""The verdicts whose findings are told one by one."""


def bad(findings: Iterable[Finding], key: Callable[[Finding], tuple[str, ...]] = same_words) -> tuple[Group, ...]:
    return grouped((found for found in findings if found.verdict in BAD), key)


def unjudged(findings: Iterable[Finding], verdict: Verdict) -> Sequence[Group]:
    """The findings of a verdict, those of equal reason and detail together, most frequent first."""
    found = grouped((f for f in findings if f.verdict is verdict), lambda f: (f.reason, f.detail))
    return sorted(found, key=lambda group: (-len(group.findings), group.first.reason, group.first.detail))


def lines(found: Finding, limit: int | None = None) -> Sequence[tuple[str, str]]:
    """The parts of a finding for a reader, in the order in which they are told: (name, text).

    Equal violations are told once, and no more than `limit` of them.
    """
    doubt = ", ambiguous" if any(violation.soft for violation in found.violations) else ""
    parts = [("clause", f"{row.level}{doubt}: {row.title}") for row in found.clauses]
    told = tuple(dict.fromkeys((violation.expected, violation.actual) for violation in found.violations))
    for expected, actual in told[:limit]:
        parts += [("expected", expected), ("actual", actual)]
    more = len(told) - len(told[:limit])
    parts += [("more", f"{more} more expectations did not hold; the reports name them")] if more else []
    parts += [("note", note_text(note)) for note in found.notes]
    parts += [("detail", found.detail)] if found.detail else []
    parts += [("accepted", acceptance_text(why)) for why in found.accepted]
    parts += [("add", found.advice)] if found.advice else []
    parts += [("records", _cited(found.records))] if found.records else []
    parts += [("rerun", found.rerun)] if found.rerun else []
    return [*parts, *(("spec", link) for link in found.links)]


def note_text(note: Violation) -> str:
    """A note in one text; its expectation may be empty."""
    return "; ".join(filter(None, (note.expected, note.actual)))


def acceptance_text(why: Acceptance) -> str:
    """By whom, until when and why a failure is accepted."""
    return f"by {why.owner} until {why.expires}: {why.reason}"


def _cited(records: Sequence[int]) -> str:
    more = len(records) - RECORDS_SHOWN
    return ", ".join(map(str, records[:RECORDS_SHOWN])) + (f" and {more} more" if more > 0 else "")
