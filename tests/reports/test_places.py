"""Several targets in one matrix: each has columns of its own."""

from __future__ import annotations

from dataclasses import replace

from seatrial.events import RunFinished, RunStarted
from seatrial.matrix import cells
from seatrial.model import Place, Result, Verdict
from seatrial.reports.console import ConsoleReporter
from seatrial.reports.markdown import MarkdownReporter
from seatrial.reports.reporter import headings, places

from .report_samples import ECHO, STDIO, case, report

SHOP = Result(case(ECHO), Verdict.PASS)
DEPOT = Result(replace(case(ECHO), target="depot [x]"), Verdict.FAIL)
STARTED = RunStarted("shop, depot [x]", "http://127.0.0.1:1/", 7, (SHOP.case, DEPOT.case), {ECHO.id: ECHO})
EVENTS = [STARTED, RunFinished((SHOP, DEPOT), 1.0)]


def test_the_same_check_has_a_cell_per_target() -> None:
    found = cells([SHOP, DEPOT])
    assert found[ECHO.id, Place("shop", STDIO)] is Verdict.PASS
    assert found[ECHO.id, Place("depot [x]", STDIO)] is Verdict.FAIL


def test_a_heading_names_the_target_only_where_there_are_several() -> None:
    assert headings(places([SHOP])) == (("2025-06-18", "stdio"),)
    assert headings(places([SHOP, DEPOT])) == (("shop", "2025-06-18", "stdio"), ("depot [x]", "2025-06-18", "stdio"))


def test_console_and_markdown_show_a_column_per_target() -> None:
    console = report(ConsoleReporter, EVENTS).splitlines()
    heads = next(number for number, line in enumerate(console) if "shop" in line and "depot [x]" in line and number > 1)
    assert console[heads + 1].split() == ["2025-06-18", "2025-06-18", "shop", "depot", "[x]"]
    assert console[heads + 2].split() == ["passed/applicable", "stdio", "stdio", "score", "score"]
    (row,) = (line for line in console if line.startswith(f"  {ECHO.id}"))
    assert row.split()[1:] == ["pass", "FAIL"]
    markdown = report(MarkdownReporter, EVENTS)
    assert "| shop 2025-06-18 stdio | depot \\[x\\] 2025-06-18 stdio |" in markdown
    assert f"| {ECHO.id} | pass | **FAIL** |" in markdown
