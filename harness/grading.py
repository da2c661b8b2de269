"""How grave it is that an expectation did not hold, and which requirements a result breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .model import Level, Requirement, Result, Verdict, Violation

BROKEN = (Verdict.FAIL, Verdict.WARN)
"""The verdicts by which something did not hold."""


def graded(violation: Violation, rows: Sequence[Requirement]) -> Verdict:
    """MUST: FAIL, or WARN when soft. SHOULD: WARN. MAY and INFO: a note, which is a PASS. No row: WARN."""
    row = next((row for row in rows if row.id == violation.requirement), None)
    if row is None:
        return Verdict.WARN
    if row.level is Level.MUST:
        return Verdict.WARN if violation.soft else Verdict.FAIL
    return Verdict.WARN if row.level is Level.SHOULD else Verdict.PASS


def broken(result: Result) -> Mapping[str, Verdict]:
    """The ids of the requirements that a FAIL or a WARN breaks, each with its own FAIL or WARN.

    "" stands for what belongs to no requirement, such as a target that died. A WARN made of notes breaks what these
    name.
    """
    if result.verdict not in BROKEN:
        return {}
    found: dict[str, Verdict] = {}
    for violation in result.violations or result.notes:
        grade = graded(violation, result.case.rows)
        own = found.get(violation.requirement, Verdict.WARN)
        found[violation.requirement] = Verdict.merge((own, grade))
    return found if result.verdict in found.values() else {**found, "": result.verdict}
