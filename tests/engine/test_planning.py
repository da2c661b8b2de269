"""Which cases there are, and why some are left out."""

from __future__ import annotations

from typing import Any

from seatrial.claims import Claims, Spoken
from seatrial.model import Column, Feature, Level, Need, Reason, Role
from seatrial.planning import Equipment, Selection, exclusion, plan, played_by
from seatrial.registry import check, suite
from seatrial.stimuli import Stimulus

from .declare import HTTP, STDIO, D, E, row

SPOKEN = Spoken(D, HTTP, {"capabilities": {"tools": {"listChanged": False}}}, record=7, sessions=False)
CLAIMS = Claims((SPOKEN,), {(E, HTTP): 9})
COLUMNS = (Column(D, HTTP), Column(E, HTTP))


def stimulus(role: Role, **given: Any) -> Stimulus:
    return Stimulus(role=role, verb="tool", name="t", **given)


def excluded(*needs: Need, equipment: Equipment | None = None, version: str = D) -> Reason | None:
    made = check("t.one", "It holds", needs=needs)(lambda lab: None)
    found = exclusion(made, Column(version, HTTP), CLAIMS, equipment or Equipment({}))
    return found.reason if found else None


def test_a_version_that_is_not_spoken_names_the_refusal() -> None:
    made = check("t.one", "It holds")(lambda lab: None)
    found = exclusion(made, Column(E, HTTP), CLAIMS, Equipment({}))
    assert found is not None
    assert (found.reason, found.records) == (Reason.VERSION_NOT_CLAIMED, (9,))


def test_absence_in_the_target_comes_before_what_the_user_did_not_give() -> None:
    assert excluded(Role.SLOW, Feature.PROMPTS) is Reason.CAPABILITY_ABSENT


def test_a_flag_that_is_false_is_not_declared() -> None:
    assert excluded(Feature.TOOLS) is None
    assert excluded(Feature.TOOLS_LIST_CHANGED) is Reason.CAPABILITY_ABSENT


def test_what_the_user_has_to_give_is_no_fault_of_the_target() -> None:
    assert excluded(Feature.IDENTITIES) is Reason.NO_IDENTITIES
    assert excluded(Feature.PROCESS) is Reason.NO_PROCESS
    assert excluded(Feature.REPLICAS) is Reason.NO_REPLICAS
    assert excluded(Role.WITNESS) is Reason.NO_WITNESS
    assert excluded(Role.SLOW) is Reason.NO_STIMULUS
    full = Equipment({"slow": stimulus(Role.SLOW)}, identities=2, spawnable=True, replicas=True)
    assert excluded(Feature.IDENTITIES, Feature.PROCESS, Feature.REPLICAS, Role.SLOW, equipment=full) is None


def test_a_server_without_sessions_has_no_session_rules() -> None:
    assert excluded(Feature.SESSIONS) is Reason.FEATURE_ABSENT


def test_a_stimulus_for_one_binding_plays_on_no_other() -> None:
    stimuli = {"slow": stimulus(Role.SLOW, only=STDIO)}
    assert played_by(Role.SLOW, HTTP, stimuli) is None
    assert played_by(Role.SLOW, STDIO, stimuli) is stimuli["slow"]


def test_progress_is_played_by_a_slow_call_only_when_that_reports() -> None:
    assert played_by(Role.PROGRESS, HTTP, {"slow": stimulus(Role.SLOW)}) is None
    reporting = {"slow": stimulus(Role.SLOW, progress=True)}
    assert played_by(Role.PROGRESS, HTTP, reporting) is reporting["slow"]


def planned(selection: Selection) -> list[str]:
    rows = (row("t.must"), row("t.info", Level.INFO))
    checks = [check(r.id, f"{r.id} holds")(lambda lab: None) for r in rows]
    cases = plan("x", [suite("t", checks, rows)], CLAIMS, Equipment({}), selection, COLUMNS)
    return [case.id for case in cases]


def test_cases_are_ordered_by_check_and_column() -> None:
    assert planned(Selection()) == [
        f"x/t.{name}[{version},{HTTP},none]" for name in ("must", "info") for version in (D, E)
    ]


def test_selection_by_level_check_keyword_and_requirement() -> None:
    only_must = [f"x/t.must[{version},{HTTP},none]" for version in (D, E)]
    assert planned(Selection(level=Level.SHOULD)) == only_must
    assert planned(Selection(checks=("*.must",))) == only_must
    assert planned(Selection(keyword="MUST holds")) == only_must
    assert planned(Selection(requirements=("t.must",))) == only_must
    assert planned(Selection(suites=("other",))) == []


def test_what_a_monitor_watches_is_selected_with_it() -> None:
    rows = (row("t.one"), row("t.two"), row("t.three"))
    plain = [check(r.id, f"{r.id} holds")(lambda lab: None) for r in rows[:2]]
    watching = check("t.three", "It holds", monitor=True, traffic=("t.one",))(lambda histories, spoken: None)
    suites = [suite("t", [*plain, watching], rows)]
    cases = plan("x", suites, CLAIMS, Equipment({}), Selection(checks=("t.three",)), COLUMNS[:1])
    assert [case.check.id for case in cases] == ["t.one", "t.three"]
