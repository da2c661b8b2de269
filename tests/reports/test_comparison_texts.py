"""What a comparison looks like: text, Markdown and JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from seatrial.comparison import ChangeKind, Comparison, changes
from seatrial.model import Result, Verdict
from seatrial.reports.comparison import SHOWN, as_json, markdown, text

from .report_samples import BROKEN, ECHO, RESULTS, STARTED, STOPS, case

HELD = tuple(Result(result.case, Verdict.PASS) for result in RESULTS)
WORSE = Comparison(STARTED, STARTED, changes(HELD, RESULTS))
SHOUTED = "work went on: a\\x1b[31mred\\x1b[0m [bold]b[/bold] | `c` <script>\\n\\u202edone"


def test_a_regression_tells_what_broke_and_what_was_seen() -> None:
    assert text(WORSE).startswith(
        "Regressions\n"
        f"  PASS           -> FAIL           shop/{STOPS.id}[2025-06-18,stdio,none]\n"
        f"      breaks: {STOPS.id}\n"
        "      expected: work stops\n"
        f"      actual: {SHOUTED}\n"
    )


def test_what_is_not_judged_any_more_tells_why() -> None:
    assert "PASS           -> INCONCLUSIVE" in text(WORSE)
    assert "detail: no stimulus plays slow" in text(WORSE)


def test_nothing_that_a_target_says_is_markup_or_moves_a_cursor() -> None:
    shown = markdown(WORSE)
    assert "<script>" not in shown
    assert "\x1b" not in shown + text(WORSE) + as_json(WORSE)
    rows = [line for line in shown.splitlines() if line.startswith("| `")]
    assert len(rows) == len(WORSE.changes)
    assert all(line.replace("\\|", "").count("|") == 6 for line in rows)


def test_a_long_text_is_whole_in_json_alone() -> None:
    long = replace(RESULTS[0], violations=(replace(BROKEN, actual="x" * 5000),))
    found = Comparison(STARTED, STARTED, changes(HELD[:1], [long]))
    assert len(text(found)) < 1000
    assert json.loads(as_json(found))["changes"][0]["head"]["actual"] == "x" * 5000


def test_many_new_cases_are_counted() -> None:
    many = [Result(replace(case(ECHO), target=f"shop{number}"), Verdict.PASS) for number in range(SHOWN + 3)]
    found = Comparison(STARTED, STARTED, changes([], many))
    assert "  3 more; --format json names them\n" in text(found)
    assert "\n3 more\n" in markdown(found)
    assert text(found).endswith(f"new: {SHOWN + 3}, gone: 0\n")
    assert len(json.loads(as_json(found))["changes"]) == SHOWN + 3


def test_json_counts_each_kind_and_has_null_for_a_case_that_is_not_there() -> None:
    found = json.loads(as_json(Comparison(STARTED, STARTED, changes(HELD[:1], HELD[4:5]))))
    assert found["counts"] == {kind.value: int(kind in (ChangeKind.NEW, ChangeKind.GONE)) for kind in ChangeKind}
    assert [(change["base"] is None, change["head"] is None) for change in found["changes"]] == [
        (True, False),
        (False, True),
    ]
