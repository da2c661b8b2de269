"""The file of regressions: written, read back, refused where it cannot be meant, and made into checks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.claims import Claims, Spoken
from seatrial.discovery import load_regressions
from seatrial.document import ConfigError, Document
from seatrial.exploration import FILE, Extent, Regression, append, load, name_of, plans, suite_of
from seatrial.exploration.saved import parse
from seatrial.faults import Fault, Mount, mount_for, parse_plan
from seatrial.model import Column, Reason, Role
from seatrial.planning import Equipment, plan
from seatrial.registry import problems

FOUND = Regression(
    name="after-three",
    target="shop",
    protocol="mcp",
    stimulus=Role.PROGRESS,
    version="2025-06-18",
    binding="streamable-http",
    plan=parse_plan('cut(on="tools/call", after=events(3), how=reset); stall(on="GET", after=bytes(7), seconds=0.5)'),
    invariant="every message\n\"of\" the stream is 'delivered'",
    failed="3 of 3",
    found=date(2026, 12, 1),
)
EXTENT = Extent("tools/call", events=6, octets=900)


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    file, other = tmp_path / FILE, replace(FOUND, name="again", plan=parse_plan('cut(after=first("it\'s"))'))
    append(file, FOUND)
    append(file, other)
    assert load(file) == (FOUND, other)


def test_what_else_stands_in_the_file_stays(tmp_path: Path) -> None:
    file = tmp_path / FILE
    append(file, FOUND)
    file.write_text(file.read_text().replace("[[regression]]", "# seen in May\n[[regression]]"))
    append(file, replace(FOUND, name="again"))
    assert "# seen in May" in file.read_text()
    assert [each.name for each in load(file)] == ["after-three", "again"]


GOOD = (
    '[[regression]]\nname = "a"\ntarget = "shop"\nprotocol = "mcp"\nstimulus = "progress"\n'
    'version = "2025-06-18"\nbinding = "streamable-http"\nplan = "cut()"\n'
)


@pytest.mark.parametrize(
    ("line", "instead", "told"),
    [
        ('plan = "cut()"', 'plan = "cot()"', ":8: regression.1.plan is no plan: line 1: unknown fault 'cot'"),
        ('plan = "cut()"', 'plan = ""', "is empty; write a fault"),
        ('plan = "cut()"', "", "has no plan; write the faults"),
        ('name = "a"', 'name = "A b"', "must be small letters, digits, points and hyphens"),
        ('protocol = "mcp"', 'protocol = "mpc"', 'unknown protocol "mpc"; did you mean mcp'),
        ('stimulus = "progress"', 'stimulus = "progres"', 'unknown role "progres"; did you mean progress'),
        ('version = "2025-06-18"', 'version = "2025-06-19"', 'unknown version "2025-06-19"'),
        ('target = "shop"', 'target = "shop"\ncolour = 1', 'unknown key "colour"'),
    ],
)
def test_a_wrong_entry_is_refused_by_its_place(line: str, instead: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(Document(str(FILE), GOOD.replace(line, instead)))
    assert str(refused.value).startswith(str(FILE))
    assert told in str(refused.value)


def test_two_regressions_have_two_names() -> None:
    with pytest.raises(ConfigError, match="has the name a, which another regression has"):
        parse(Document(str(FILE), GOOD + GOOD))


def test_a_folder_without_a_file_has_no_regressions(tmp_path: Path) -> None:
    assert load_regressions(tmp_path) == ()
    append(tmp_path / FILE, FOUND)
    (suite,) = load_regressions(tmp_path)
    assert [check.id for check in suite.checks] == ["regression.after-three"]


def test_it_is_a_case_of_its_own_target_and_column_alone() -> None:
    suite = suite_of([FOUND])
    assert problems(suite) == []
    columns = [Column(version, "streamable-http") for version in ("2025-03-26", "2025-06-18")]
    claims = Claims(tuple(Spoken(column.version, column.binding, {}, 1) for column in columns))
    (case,) = plan("shop", [suite], claims, Equipment({}), columns=columns)
    assert case.id == "shop/regression.after-three[2025-06-18,streamable-http,none]"
    assert case.exclusion is not None
    assert case.exclusion.reason is Reason.NO_STIMULUS
    assert plan("cart", [suite], claims, Equipment({}), columns=columns) == ()


def test_a_name_tells_the_plan_and_is_not_taken() -> None:
    first = name_of(parse_plan('cut(on="tools/call", after=events(3), how=reset)'))
    assert first == "cut-on-tools-call-after-events-3-how-reset"
    assert name_of(parse_plan('cut(on="tools/call", after=events(3), how=reset)'), [first]) == f"{first}-2"


@given(plans(EXTENT, ("tools/call", "GET"), "streamable-http"))
def test_drawn_plans_are_of_one_to_three_different_faults_and_begin_with_the_stimulus(plan: tuple[Fault, ...]) -> None:
    assert 1 <= len(plan) <= 3
    assert len(set(plan)) == len(plan)
    assert plan[0].on == "tools/call"
    assert {fault.on for fault in plan[1:]} <= {"GET"}
    assert not any(fault.benign for fault in plan)
    assert parse_plan("; ".join(map(str, plan))) == plan


@given(st.data())
def test_drawn_plans_can_be_mounted(data: st.DataObject) -> None:
    binding = data.draw(st.sampled_from(["streamable-http", "stdio"]))
    drawn = data.draw(plans(EXTENT, ("tools/call", "GET"), binding))
    mounts = {mount_for(fault, binding) for fault in drawn}
    assert None not in mounts
    assert (Mount.PIPE in mounts) is (binding == "stdio")
