"""The console: what a person reads."""

from __future__ import annotations

import io

import pytest
from seatrial.reports.console import ConsoleReporter

from .report_samples import events, report


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")


WIDE = """
                           2025-06-18 2026-07-28
                           stdio      http
cancellation
  mcp.can.stops-work       FAIL       FAIL
  mcp.can.no-late-response warn       ?
version_compatibility
  mcp.ver.echo             pass       ERR
  mcp.ver.noted            pass       -
"""

NARROW = """
                           1    2
cancellation
  mcp.can.stops-work       FAIL FAIL
  mcp.can.no-late-response warn ?
version_compatibility
  mcp.ver.echo             pass ERR
  mcp.ver.noted            pass -
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
        "  clause   The clause of mcp.can.stops-work holds.\n"
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
