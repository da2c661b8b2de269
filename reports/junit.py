"""JUnit XML, in the shape that CI servers read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from seatrial import Verdict

from .findings import Finding, acceptance_text, finding, lines
from .reporter import Run, WholeReporter
from .text import visible

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

_KIND = {
    Verdict.FAIL: "failure",
    Verdict.ERROR: "error",
    Verdict.INCONCLUSIVE: "skipped",
    Verdict.NOT_APPLICABLE: "skipped",
}
"""The child element that tells a verdict. PASS and WARN have none: a WARN is told in system-out."""


class JunitReporter(WholeReporter):
    """One test suite per theme, one test case per case."""

    def render(self, run: Run) -> str:
        findings = [finding(result, run.started) for result in run.results]
        root = Element("testsuites", name=f"seatrial {visible(run.started.target)}")
        for suite in dict.fromkeys(found.suite for found in findings):
            _suite(root, suite or "other", [found for found in findings if found.suite == suite])
        _own(root, run)
        _count(root, list(root.iter("testcase")))
        indent(root)
        return f"{_DECLARATION}\n{tostring(root, encoding='unicode')}\n"


def _suite(root: Element, name: str, findings: Sequence[Finding]) -> None:
    suite = SubElement(root, "testsuite", name=name)
    for found in findings:
        _case(suite, found)
    _count(suite, list(suite))


def _case(suite: Element, found: Finding) -> None:
    case = SubElement(suite, "testcase", classname=found.suite, name=visible(found.case), time=f"{found.seconds:.3f}")
    kind, type_, message = _outcome(found)
    if kind:
        SubElement(case, kind, message=visible(message), type=type_).text = _told(found)
    elif found.verdict is Verdict.WARN or found.notes:
        SubElement(case, "system-out").text = f"{found.verdict}\n{_told(found)}"


def _outcome(found: Finding) -> tuple[str, str, str]:
    """Element, type and message of what is no success, "" the element of what is one. What is accepted is skipped."""
    if found.accepted:
        return "skipped", "accepted", "; ".join(map(acceptance_text, found.accepted))
    kind, type_ = _KIND.get(found.verdict, ""), found.reason or found.verdict.lower()
    return kind, type_, found.actual or found.detail or found.reason


def _told(found: Finding) -> str:
    told = [f"{name}: {visible(text)}" for name, text in lines(found)]
    traceback = [visible(line) for line in found.traceback.splitlines()]
    return "\n".join(["", *told, *traceback, ""])


def _own(root: Element, run: Run) -> None:
    """What is wrong with the run itself, so that no CI server takes it for a success: that it did not judge all its
    cases, and what is stale or expired in the baseline."""
    wrong = [("run", "error", "incomplete", run.outcome)] if run.outcome else []
    wrong += [(problem.place, "failure", problem.kind, str(problem)) for problem in run.problems]
    if not wrong:
        return
    suite = SubElement(root, "testsuite", name="run")
    for name, kind, type_, message in wrong:
        case = SubElement(suite, "testcase", classname="run", name=visible(name), time="0.000")
        SubElement(case, kind, message=visible(message), type=type_)
    _count(suite, list(suite))


def _count(element: Element, cases: Sequence[Element]) -> None:
    def having(kind: str) -> str:
        return str(sum(case.find(kind) is not None for case in cases))

    element.set("tests", str(len(cases)))
    element.set("failures", having("failure"))
    element.set("errors", having("error"))
    if element.tag == "testsuite":
        element.set("skipped", having("skipped"))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")
