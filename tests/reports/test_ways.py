"""One server reached in two ways: what differs is told, and by which column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from seatrial.events import Event, RunFinished, RunStarted
from seatrial.model import Column, Reason, Result, Verdict
from seatrial.reports.console import ConsoleReporter
from seatrial.reports.markdown import MarkdownReporter

from .report_samples import ECHO, HTTP, LATE, STOPS, case, report, requirement

OLD = Column("2025-06-18", "streamable-http")


def judged(target: str, verdict: Verdict, *columns: Column, check: str = STOPS.id) -> list[Result]:
    made = [replace(case(requirement(check), column), target=target) for column in columns]
    return [Result(each, verdict) for each in made]


def run(results: list[Result], ways: dict[str, str]) -> list[Event]:
    started = RunStarted(
        "shop, shop@gate",
        "http://127.0.0.1:1/, http://127.0.0.1:2/",
        7,
        tuple(result.case for result in results),
        {row.id: row for row in (STOPS, LATE, ECHO)},
        options={"ways": ways},
    )
    return [started, RunFinished(tuple(results), 1.0)]


SAME = judged("shop", Verdict.PASS, HTTP, check=ECHO.id) + judged("shop@gate", Verdict.PASS, HTTP, check=ECHO.id)
OTHER = judged("shop", Verdict.PASS, OLD, HTTP) + judged("shop@gate", Verdict.FAIL, OLD, HTTP)
WAYS = {"shop@gate": "shop"}


def told(results: list[Result], ways: dict[str, str]) -> list[str]:
    """The lines of the section, at the terminal."""
    lines = report(ConsoleReporter, run(results, ways)).split("\n\n")
    found = [part.splitlines() for part in lines if part.startswith("Differs by the way to the server\n")]
    return [" ".join(" ".join(found[0][1:]).split())] if found else []


def test_a_check_that_fails_behind_the_gateway_alone_is_told_with_its_columns() -> None:
    said = "PASS in shop, FAIL in shop@gate: 2025-06-18 streamable-http, 2026-07-28 streamable-http"
    assert told(SAME + OTHER, WAYS) == [f"{STOPS.id} {said}"]
    markdown = report(MarkdownReporter, run(SAME + OTHER, WAYS))
    row = f"| {STOPS.id} | {said.replace('@', '&#64;')} |"
    assert f"## Differs by the way to the server\n\n| what | how |\n| --- | --- |\n{row}\n" in markdown


def test_a_column_that_the_gateway_lacks_is_told() -> None:
    lacking = [result for result in SAME + OTHER if (result.case.target, result.case.column) != ("shop@gate", OLD)]
    assert told(lacking, WAYS)[0].endswith("2025-06-18 streamable-http only in shop")


@pytest.mark.parametrize("ways", [{}, {"shop@gate": "depot"}])
def test_targets_that_are_not_one_server_are_not_compared(ways: dict[str, str]) -> None:
    assert told(SAME + OTHER, ways) == []


def test_that_a_gateway_is_not_started_is_no_difference() -> None:
    unstarted = [replace(OTHER[2], verdict=Verdict.INCONCLUSIVE, reason=Reason.NO_PROCESS)]
    assert told(SAME + OTHER[:1] + unstarted, WAYS) == []


def test_equal_verdicts_need_no_section() -> None:
    assert told(SAME, WAYS) == []
    assert "Differs" not in report(MarkdownReporter, run(SAME, WAYS))
