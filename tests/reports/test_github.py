"""Annotations and the step summary of a GitHub workflow, whatever the target says."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import unquote

import pytest
from seatrial.events import CaseFinished, Event, RunFinished
from seatrial.model import Case, Result, Verdict
from seatrial.reports.github import ANNOTATIONS, GithubReporter
from seatrial.reports.github_summary import SIZE, GithubSummaryReporter

from .report_samples import BROKEN, EVIL, LATE, RESULTS, STARTED, case, events, report, requirement

COMMAND = re.compile(r"^::(error|warning|notice) title=([^,:]*),file=([^,:]*),line=1::(.*)$")
UNREACHABLE: list[Event] = [STARTED, RunFinished((), 0.1, True, "refused::error::\r\n::warning::not this")]


def annotations(of: list[Event]) -> list[tuple[str, str, str]]:
    """(command, title, text) as the runner reads them."""
    found = [COMMAND.match(line) for line in report(GithubReporter, of).splitlines()]
    return [(match[1], unquote(match[2]), unquote(match[4])) for match in found if match]


def finished(*results: Result) -> list[Event]:
    started = replace(STARTED, cases=tuple(result.case for result in results))
    return [started, *(CaseFinished(result, 1, 1) for result in results), RunFinished(results, 1.0)]


def many(verdict: Verdict, number: int) -> list[Result]:
    cases: list[Case] = [case(requirement(f"mcp.can.{verdict.lower()}-{each}")) for each in range(number)]
    return [Result(each, verdict, violations=(replace(BROKEN, requirement=each.check.id),)) for each in cases]


class TestAnnotations:
    @pytest.mark.parametrize("of", [events(), events()[:6], UNREACHABLE, []])
    def test_every_line_is_one_command(self, of: list[Event]) -> None:
        lines = report(GithubReporter, of).split("\n")
        assert lines.pop() == ""
        assert [line for line in lines if not COMMAND.match(line)] == []

    def test_a_check_is_told_once_with_its_columns(self) -> None:
        found = annotations(events())
        assert [(command, title) for command, title, _ in found] == [
            ("error", "FAIL mcp.can.stops-work [2025-06-18,stdio,none] and 1 more"),
            ("error", "ERROR mcp.ver.echo [2026-07-28,streamable-http,none]"),
            ("warning", "WARN mcp.can.no-late-response [2025-06-18,stdio,none]"),
            ("notice", "Seatrial: shop"),
        ]
        assert "expected: work stops\nactual: work went on" in found[0][2]
        assert "rerun: seatrial run shop --check mcp.can.stops-work" in found[0][2]
        assert found[-1][2] == "FAIL 2, ERROR 1, INCONCLUSIVE 1, WARN 1, PASS 2, NOT_APPLICABLE 1"

    def test_what_the_target_says_is_no_command(self) -> None:
        hostile = f"x\n::set-output name=a::b\r\n%0A::stop-commands::t {EVIL}"
        found = annotations(finished(replace(RESULTS[0], violations=(replace(BROKEN, actual=hostile),))))
        assert [command for command, _, _ in found] == ["error", "notice"]
        assert "\n::" not in found[0][2]
        assert "%0A::stop-commands" in found[0][2]

    def test_no_more_than_github_shows_and_the_rest_is_counted(self) -> None:
        found = annotations(finished(*many(Verdict.FAIL, 25), *many(Verdict.WARN, ANNOTATIONS)))
        commands = [command for command, _, _ in found]
        assert (commands.count("error"), commands.count("warning")) == (ANNOTATIONS, ANNOTATIONS)
        assert found[ANNOTATIONS - 1][2] == "16 more checks did not hold; the reports name them"

    def test_a_run_that_is_not_whole_is_an_error(self) -> None:
        assert annotations(events()[:6])[0][::2] == ("error", "interrupted: 6 of 8 cases were not judged")
        assert [command for command, _, _ in annotations(UNREACHABLE)] == ["error", "notice"]


class TestSummary:
    def test_the_matrix_comes_before_the_findings(self) -> None:
        written = report(GithubSummaryReporter, events())
        assert "| **cancellation** | 0/2 | 0/2 |" in written
        assert written.index("| mcp.can.stops-work | **FAIL** | **FAIL** |") < written.index("<details>")
        assert "| **version\\_compatibility** | 2/2 | 0/1 |" in written

    @pytest.mark.parametrize("of", [events(), events()[:6], UNREACHABLE, []])
    def test_what_is_folded_can_be_unfolded(self, of: list[Event]) -> None:
        written = report(GithubSummaryReporter, of)
        assert written.count("<details><summary>") == written.count("\n</details>\n")

    def test_an_unfinished_run_says_so_first(self) -> None:
        written = report(GithubSummaryReporter, events()[:6])
        assert written.index("interrupted: 6 of 8 cases were not judged") < written.index("| **cancellation**")

    def test_what_the_target_says_is_text(self) -> None:
        hostile = "</details><script>x</script> @someone ![i](http://evil.example/i.png)"
        title = replace(LATE, title=hostile)
        result = Result(case(title), Verdict.FAIL, violations=(replace(BROKEN, actual=hostile, requirement=title.id),))
        written = report(GithubSummaryReporter, finished(result))
        assert len(re.findall(r"(?<!\\)</details>", written)) == written.count("<details>")
        assert not re.search(r"(?<!\\)<script", written)
        assert "@someone" not in written
        assert "![i](" not in written

    def test_it_keeps_within_what_github_shows(self) -> None:
        long = [
            replace(each, violations=(replace(each.violations[0], actual="é[" * 900),))
            for each in many(Verdict.FAIL, 600)
        ]
        written = report(GithubSummaryReporter, finished(*long))
        assert len(written.encode()) < SIZE + 200
        assert "parts are too long for a summary" in written
        assert written.startswith("# Seatrial")
        assert written.count("<details>") == written.count("</details>") > 100

    def test_a_short_one_leaves_nothing_out(self) -> None:
        assert "too long" not in report(GithubSummaryReporter, events())
