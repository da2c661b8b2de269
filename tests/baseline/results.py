"""Results to compare and to accept, made in one line, and at random."""

from __future__ import annotations

from hypothesis import strategies as st
from seatrial.model import Case, Check, Column, Level, Reason, Requirement, Result, Verdict, Violation

VERSIONS, BINDINGS, CHECKS = ("2025-11-25", "2026-07-28"), ("stdio", "streamable-http"), ("a.first", "a.second")
ROWS = {
    "a.must": Level.MUST,
    "a.should": Level.SHOULD,
    "a.info": Level.INFO,
}
JUDGED = (Verdict.FAIL, Verdict.WARN, Verdict.PASS)


def row(name: str) -> Requirement:
    return Requirement(name, "a", "mcp", ROWS[name], VERSIONS, BINDINGS, "basic", f"The clause of {name}.")


ALL_ROWS = tuple(map(row, ROWS))


def case(check: str = CHECKS[0], version: str = VERSIONS[0], binding: str = BINDINGS[0], target: str = "shop") -> Case:
    declared = Check(check, f"Title of {check}", tuple(ROWS), body=lambda lab: None)
    return Case(target, declared, Column(version, binding), ALL_ROWS)


def result(verdict: Verdict, *broken: str, of: Case | None = None, noted: tuple[str, ...] = ()) -> Result:
    """A result that breaks these requirements."""
    violations = tuple(Violation("this", "that", (1,), name) for name in broken)
    notes = tuple(Violation("this", "that", (1,), name) for name in noted)
    unjudged = None if verdict in (*JUDGED, Verdict.NOT_APPLICABLE) else Reason.DEADLINE
    return Result(of or case(), verdict, unjudged, violations=violations, notes=notes)


def failed(*broken: str, of: Case | None = None) -> Result:
    return result(Verdict.FAIL, *(broken or ("a.must",)), of=of)


CASES = st.builds(case, st.sampled_from(CHECKS), st.sampled_from(VERSIONS), st.sampled_from(BINDINGS))


@st.composite
def results(draw: st.DrawFn) -> Result:
    """Any result that the engine can give: what it breaks fits its verdict."""
    verdict = draw(st.sampled_from(Verdict))
    broken: list[str] = []
    if verdict is Verdict.FAIL:
        broken = ["a.must", *draw(st.lists(st.sampled_from(["a.should", ""]), unique=True))]
    elif verdict is Verdict.WARN:
        broken = draw(st.lists(st.sampled_from(["a.should", ""]), unique=True, min_size=1))
    return result(verdict, *broken, of=draw(CASES))


def _by_case(found: list[Result]) -> list[Result]:
    return list({each.case.id: each for each in found}.values())


RUNS = st.lists(results()).map(_by_case)
"""The results of a run: one for each of some cases."""
