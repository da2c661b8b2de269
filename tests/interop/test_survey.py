"""What a run over a real server comes to, and where its figures go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from seatrial.fixtures.environments import SetupError
from seatrial.fixtures.interop.survey import Survey, table
from seatrial.fixtures.pages import insert
from seatrial.fixtures.runs import run


def finding(verdict: str, reason: str | None = None, records: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"case": f"{verdict}-{reason}", "verdict": verdict, "reason": reason, "records": list(records)}


def survey(*findings: dict[str, Any]) -> Survey:
    return Survey("shop", "http", 0, 12.4, findings)


def test_what_the_target_does_not_speak_is_no_part_of_the_share() -> None:
    found = survey(
        finding("PASS"),
        finding("INCONCLUSIVE", "no-stimulus"),
        finding("NOT_APPLICABLE", "version-not-claimed"),
        finding("NOT_APPLICABLE", "binding-not-claimed"),
    )
    assert found.judged_share == 0.5


@pytest.mark.parametrize(("verdict", "share"), [("PASS", 1.0), ("FAIL", 1.0), ("WARN", 1.0), ("ERROR", 0.0)])
def test_a_judgement_is_a_yes_or_a_no(verdict: str, share: float) -> None:
    assert survey(finding(verdict)).judged_share == share


def test_nothing_at_all_is_judged_in_an_empty_run() -> None:
    assert survey().judged_share == 0.0


def test_an_absence_must_name_its_record() -> None:
    shown = finding("NOT_APPLICABLE", "capability-absent", records=(3,))
    hidden = finding("NOT_APPLICABLE", "feature-absent")
    assert survey(shown, hidden).absences_without_record == [hidden["case"]]


def test_the_table_counts_each_verdict() -> None:
    heads, _, row = table([survey(finding("PASS"), finding("PASS"), finding("FAIL"), finding("INCONCLUSIVE", "x"))])
    cells = dict(zip(heads.strip("| ").split(" | "), row.strip("| ").split(" | "), strict=True))
    assert (cells["PASS"], cells["FAIL"], cells["INCONCLUSIVE"], cells["WARN"]) == ("2", "1", "1", "0")
    assert (cells["judged of spoken"], cells["seconds"]) == ("75 %", "12")


def test_figures_replace_what_stood_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    others = "<!-- counts -->\nseven\n<!-- end of counts -->\n"
    page.write_text(f"before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n{others}", "utf-8")
    insert(page, "new")
    insert(page, "newer")
    insert(page, "eight", "counts")
    figures = "before\n<!-- figures -->\nnewer\n<!-- end of figures -->\nafter\n"
    assert page.read_text("utf-8") == figures + others.replace("seven", "eight")


def test_a_page_without_marks_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("by hand", "utf-8")
    with pytest.raises(SetupError, match="to write between"):
        insert(page, "new")
    assert page.read_text("utf-8") == "by hand"


def test_a_run_that_gives_no_report_says_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"no report \(exit code 2\): Error: "):
        run("shop", "this is no toml", tmp_path / "run", seconds=60)
