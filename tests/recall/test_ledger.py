"""The results file is taken up again, and the summary counts what the rules count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from seatrial.fixtures.environments import Registry, SetupError
from seatrial.fixtures.recall.case import BugCase, Side
from seatrial.fixtures.recall.judge import Judgement, Outcome
from seatrial.fixtures.recall.ledger import Entry, entry, load
from seatrial.fixtures.recall.summary import lines

ENTRY = Entry("a", Side.BAD, "f", "mcp", "cancellation", "must", Outcome.RECOGNISED, "FAIL x")


@pytest.fixture
def case(tmp_path: Path) -> BugCase:
    folder = tmp_path / "shop-forgets"
    folder.mkdir()
    (folder / "pins-bad.txt").write_text("shop==1\n", "utf-8")
    return BugCase(
        folder,
        "mcp",
        ("2025-06-18",),
        "stdio",
        Registry.PYPI,
        "",
        (),
        {},
        "",
        "cancellation",
        "must",
        frozenset("r"),
        {},
    )


def test_what_was_judged_is_known_to_the_next_run(case: BugCase, tmp_path: Path) -> None:
    path = tmp_path / "out" / "recall.json"
    load(path).add(entry(case, Side.BAD, Judgement(Outcome.MISSED, "PASS x1"), info=False))
    again = load(path)
    assert again.has(case, Side.BAD)
    assert again.of([case], tuple(Side)) == [entry(case, Side.BAD, Judgement(Outcome.MISSED, "PASS x1"), info=False)]


def test_other_pins_are_judged_anew(case: BugCase, tmp_path: Path) -> None:
    path = tmp_path / "recall.json"
    load(path).add(entry(case, Side.BAD, Judgement(Outcome.MISSED, ""), info=False))
    (case.folder / "pins-bad.txt").write_text("shop==2\n", "utf-8")
    assert not load(path).has(case, Side.BAD)


@pytest.mark.parametrize("outcome", [Outcome.NOT_RUN, Outcome.NO_CHECK])
def test_what_could_not_be_judged_is_tried_again(case: BugCase, tmp_path: Path, outcome: Outcome) -> None:
    path = tmp_path / "recall.json"
    load(path).add(entry(case, Side.BAD, Judgement(outcome, "npm is missing"), info=False))
    assert not load(path).has(case, Side.BAD)


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "recall.json"
    path.write_text("[1, 2]", "utf-8")
    with pytest.raises(SetupError, match="is no file of recall results"):
        load(path)


def figures(*entries: Entry) -> list[str]:
    """The cells of the last row of the table, which counts everything."""
    total = next(line for line in lines(entries) if line.startswith("all"))
    return total.split()[1:]


def test_recall_is_recognised_bad_sides_of_those_that_count() -> None:
    others = [replace(ENTRY, case=str(outcome), outcome=outcome) for outcome in (Outcome.MISSED, Outcome.NO_CHECK)]
    assert figures(ENTRY, replace(ENTRY, case="b"), *others)[:5] == ["4", "2", "(50", "%)", "2"]


def test_a_false_alarm_is_counted_on_the_fixed_side() -> None:
    fixed = replace(ENTRY, side=Side.FIXED, outcome=Outcome.FALSELY_FAILED)
    assert figures(ENTRY, fixed, replace(fixed, case="b", outcome=Outcome.CLEAN))[-2:] == ["2", "1"]


def test_what_is_not_spoken_or_names_no_requirement_does_not_count() -> None:
    left_out = (
        replace(ENTRY, case="b", outcome=Outcome.NOT_SPOKEN),
        replace(ENTRY, case="c", outcome=Outcome.UNCOUNTED),
    )
    said = lines([ENTRY, *left_out])
    assert figures(ENTRY, *left_out)[0] == "1"
    assert said[-2:] == ["not spoken: 1 sides, not counted", "no requirement: 1 sides, not counted"]


def test_rows_that_only_record_are_counted_apart() -> None:
    said = lines([ENTRY, replace(ENTRY, case="b", info=True)])
    assert [line.split()[2:4] for line in said[1:3]] == [["must", "1"], ["must", "(info)"]]


def test_each_missed_bug_is_listed_with_what_was_seen() -> None:
    said = lines([replace(ENTRY, outcome=Outcome.MISSED, detail="PASS x2")])
    assert "missed: a (bad, must): PASS x2" in said
