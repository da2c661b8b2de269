"""The console: what a person reads."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from seatrial.events import Event
from seatrial.model import Column, Level, Reason, Result, Verdict, Violation
from seatrial.reports.console import ConsoleReporter

from .report_samples import BROKEN, HTTP, STARTED, STDIO, STOPS, case, events, report, requirement


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")


WIDE = """
                           2025-06-18 2026-07-28
passed/applicable          stdio      http       score
cancellation               0/2        0/2        0
  mcp.can.stops-work       FAIL       FAIL
  mcp.can.no-late-response warn       ?
version_compatibility      2/2        0/1        -
  mcp.ver.echo             pass       ERR
Checks without a FAIL, WARN or ERROR: 1; --verbose shows them
Score: at most 59 where a MUST is broken: cancellation
No score where less than 75 % could be judged: version_compatibility 50 %
"""

NARROW = """
passed/applicable          1    2    score
cancellation               0/2  0/2  0
  mcp.can.stops-work       FAIL FAIL
  mcp.can.no-late-response warn ?
version_compatibility      2/2  0/1  -
  mcp.ver.echo             pass ERR
   1  2025-06-18 stdio
   2  2026-07-28 http
"""


def lines_of(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines())


def test_the_matrix_names_its_columns_where_there_is_room() -> None:
    assert WIDE in lines_of(report(ConsoleReporter, events()))


def test_the_matrix_numbers_its_columns_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "44")
    assert NARROW in lines_of(report(ConsoleReporter, events()))


def test_a_finding_tells_clause_expectation_observation_records_rerun_and_link() -> None:
    written = lines_of(report(ConsoleReporter, events()))
    assert (
        "FAIL mcp.can.stops-work  Title of mcp.can.stops-work\n"
        "  clause   MUST: The clause of mcp.can.stops-work holds.\n"
        "  expected work stops\n"
        "  actual   work went on: a\\x1b[31mred\\x1b[0m [bold]b[/bold] | `c` <script>\\n\\u202edone\n"
        "  records  1, 3, 5\n"
        "  rerun    seatrial run shop --check mcp.can.stops-work --protocol-version 2025-06-18 --binding stdio"
        " --faults none --seed 7\n"
        "  spec     https://modelcontextprotocol.io/specification/2025-06-18/basic/utilities/cancellation"
        "#behavior-requirements\n"
        "  in       2025-06-18,stdio,none  2026-07-28,streamable-http,none\n"
    ) in written


def test_the_worst_findings_come_first_and_equal_ones_once() -> None:
    written = report(ConsoleReporter, events())
    places = [written.index(f"\n{text}") for text in ("FAIL mcp.can.stops-work", "ERR mcp.ver", "warn mcp.can")]
    assert places == sorted(places)
    assert written.count("FAIL mcp.can.stops-work  Title") == 1


def test_without_a_terminal_progress_is_plain_lines() -> None:
    written = report(ConsoleReporter, events())
    assert "4 of 8 cases about 3 s left\n" in written
    assert "\x1b" not in written


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = Terminal()
    reporter = ConsoleReporter(out)
    for event in events():
        reporter.handle(event)
    reporter.close()
    return out.getvalue()


def test_a_terminal_gets_colour_and_a_bar_with_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    written = drawn(monkeypatch)
    assert "\x1b[1;31mFAIL" in written
    assert "8/8" in written
    assert "about 3 s left" in written


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[1;31m" not in drawn(monkeypatch, NO_COLOR="1")


def test_nothing_the_target_says_can_colour_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    written = drawn(monkeypatch)
    assert "\x1b[31mred" not in written
    assert "a\\x1b[31mred" in written


def test_a_note_is_told_once_and_apart() -> None:
    written = report(ConsoleReporter, events())
    assert written.count("  mcp.ver.noted  a note; ") == 1
    assert "Notes (allowed, no effect on the exit code)" in written


def verbose(of: list[Event]) -> list[Event]:
    return [replace(STARTED, options={**STARTED.options, "verbose": True}), *of[1:]]


def section(written: str, heading: str) -> list[str]:
    """The lines below a heading, up to the next blank line."""
    return written.split(f"\n{heading}")[1].split("\n\n")[0].splitlines()[1:]


def test_verbose_shows_every_check() -> None:
    written = lines_of(report(ConsoleReporter, verbose(events())))
    assert "  mcp.ver.noted            pass       -\n" in written
    assert "--verbose" not in written


def test_three_hundred_checks_that_hold_are_a_line_for_each_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = [Column(f"2025-06-{day:02}", "stdio") for day in range(1, 10)]
    rows = [requirement(f"mcp.can.{'x' * 30}{number}") for number in range(300)]
    written = lines_of(report(ConsoleReporter, events([Result(case(r, c), Verdict.PASS) for r in rows for c in shown])))
    matrix = written.split("passed/applicable")[1].split("\n\n")[0].splitlines()
    assert len(matrix) == 12  # heads, the suite, nine names of columns, and what has no row
    assert max(map(len, matrix)) <= 80


def test_a_case_that_could_not_be_judged_says_what_to_add() -> None:
    lacking = [
        Result(case(STOPS), Verdict.INCONCLUSIVE, Reason.NO_STIMULUS, "no stimulus is configured for the role slow"),
        Result(case(STOPS, HTTP), Verdict.INCONCLUSIVE, Reason.NO_PROCESS, "needs a command"),
    ]
    assert section(report(ConsoleReporter, events(lacking)), "Not judged") == [
        "      1  no-process  needs a command",
        '         add: [target.shop]  command = ["python", "server.py"]',
        "      1  no-stimulus  no stimulus is configured for the role slow",
        '         add: [target.shop.stimuli]  slow = { tool = "TOOL", arguments = { seconds = "{seconds}", '
        'key = "{key}" }, progress = true }',
    ]


NOTED = [
    Result(case(requirement(f"mcp.can.n{number}", Level.INFO)), Verdict.PASS, notes=tuple(
        Violation("a note", f"{what} {'long ' * 99}") for what in ("first", "second")
    ))
    for number in range(40)
]  # fmt: skip


def test_notes_take_no_more_than_a_screenful_and_the_rest_is_counted() -> None:
    found = section(report(ConsoleReporter, events(NOTED)), "Notes")
    assert len(found) <= 20
    assert found[0].startswith("  mcp.can.n0  a note; first long")
    assert "(and 1 more)" in found[1]
    assert found[-1] == "  32 more with notes; --verbose and the reports tell them"


def test_verbose_tells_all_notes() -> None:
    found = report(ConsoleReporter, verbose(events(NOTED)))
    assert (found.count("a note; first"), found.count("a note; second")) == (40, 40)


def test_equal_violations_are_told_once_and_many_are_counted() -> None:
    many = tuple(Violation(f"answer {number}", "silence") for number in (1, 1, 2, 3, 4, 5))
    written = report(ConsoleReporter, events([Result(case(STOPS), Verdict.FAIL, violations=many)]))
    assert [line for line in written.splitlines() if line.startswith(("  expected", "  more"))] == [
        "  expected answer 1",
        "  expected answer 2",
        "  expected answer 3",
        "  more     2 more expectations did not hold; the reports name them",
    ]


def test_one_check_is_told_once_although_its_words_differ_by_column() -> None:
    other = replace(BROKEN, actual="something else")
    of = [Result(case(STOPS, c), Verdict.FAIL, violations=(v,)) for c, v in ((STDIO, BROKEN), (HTTP, other))]
    written = report(ConsoleReporter, events(of))
    assert written.count("FAIL mcp.can.stops-work  Title") == 1
    assert "something else" not in written
    assert "the words differ" in written


def test_an_ambiguous_clause_is_called_so() -> None:
    soft = Result(case(STOPS), Verdict.WARN, violations=(replace(BROKEN, soft=True),))
    assert "  clause   MUST, ambiguous: The clause" in report(ConsoleReporter, events([soft]))
