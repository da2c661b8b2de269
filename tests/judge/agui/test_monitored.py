"""Monitors count what they looked at, and see only what the target said itself."""

from __future__ import annotations

from seatrial.claims import Spoken
from seatrial.judge.agui import Rule, monitored

from .recorded import histories, recorded
from .wire import call, e, error, finished, result, run, started, text

SPOKEN = Spoken("1.0", "sse", {}, 1)
EARLY = Spoken("0.1", "sse", {}, 1)


def test_a_run_without_tool_calls_shows_nothing_about_them() -> None:
    judgement = monitored(histories(recorded(run(text("m", "x")))), SPOKEN, {Rule.TOOL_TRIAD})
    assert (judgement.seen, judgement.violations) == (0, ())


def test_the_things_of_all_histories_are_counted() -> None:
    history = recorded(run(call("c", "{}"), result("c", "m"), call("d"), result("d", "n")))
    judgement = monitored(histories(history, history), SPOKEN, {Rule.TOOL_TRIAD})
    assert (judgement.seen, judgement.violations) == (4, ())


def test_a_violation_has_the_records_that_show_it() -> None:
    judgement = monitored(histories(recorded(run(text("m", "x")[:-1]))), SPOKEN, {Rule.TEXT_TRIAD})
    assert judgement.seen == 1
    assert [violation.records for violation in judgement.violations] == [(4, 6)]


def test_only_the_rules_of_the_monitor_are_told() -> None:
    judgement = monitored(histories(recorded(run(text("m", "x")[:-1]))), SPOKEN, {Rule.NOTHING_AFTER_FINISH})
    assert (judgement.seen, judgement.violations) == (1, ())


def test_what_a_fault_put_into_the_stream_is_not_judged() -> None:
    history = recorded(run(text("m", "x")[:-1])).fired("drop_event(n=3)")
    assert monitored(histories(history), SPOKEN, set(Rule)).seen == 0


def test_a_rule_of_1_0_has_nothing_to_see_in_0_1() -> None:
    history = recorded([started(), *text("m", "x"), finished()])
    assert monitored(histories(history), EARLY, {Rule.NO_UNKNOWN_FIELDS}).seen == 0
    assert monitored(histories(history), EARLY, {Rule.TEXT_TRIAD}).seen == 1


def test_the_milestone_decides_inside_0_1() -> None:
    history = recorded([started(), {"type": "SUBAGENT_STARTED", "subagentRunId": "u", "name": "n"}, finished()])
    rules = {Rule.SUBAGENT_CLOSED}
    assert len(monitored(histories(history), EARLY, rules).violations) == 1
    assert monitored(histories(history), EARLY, rules, milestone="0.1.19").seen == 0


def test_a_stream_of_1_0_without_a_version_is_judged_as_one_of_0_1() -> None:
    late = [started(), *text("m", "x"), {"type": "RAW", "event": 1, "extra": 2}, finished()]
    judgement = monitored(histories(recorded(late)), SPOKEN, set(Rule))
    assert [violation.expected for violation in judgement.violations] == ["protocolVersion MAJOR.MINOR on RUN_STARTED"]


def test_a_warning_stays_one() -> None:
    history = recorded([started(), {"type": "THINKING_START"}, {"type": "THINKING_END"}, finished()])
    judgement = monitored(histories(history), SPOKEN, {Rule.NO_RETIRED_EVENTS})
    assert [violation.soft for violation in judgement.violations] == [True, True]


def test_the_runs_of_a_thread_are_judged_together() -> None:
    history = recorded(run(text("m", "x")))
    history.asked("post:2", runId="r-2").replied("post:2")
    history.heard(started("r-2", protocolVersion="1.0"), *text("m", "y"), finished("r-2"), operation="post:2")
    judgement = monitored(histories(history), SPOKEN, {Rule.MESSAGE_ID_UNIQUE})
    assert len(judgement.violations) == 1


def test_a_run_that_finished_is_seen_to_have_no_late_error() -> None:
    judgement = monitored(histories(recorded(run(text("m", "x")))), SPOKEN, {Rule.LATE_ERROR})
    assert (judgement.seen, judgement.violations) == (1, ())


def test_an_error_without_a_code_is_seen_like_one_with_it() -> None:
    for members in ({}, {"code": "broken"}):
        history = recorded([started(protocolVersion="1.0"), error(**members)])
        judgement = monitored(histories(history), SPOKEN, {Rule.ERROR_CODE})
        assert (judgement.seen, judgement.violations) == (1, ())


def test_runs_that_declare_no_version_are_not_judged_together_by_1_0() -> None:
    history = recorded([started(), *text("m", "x"), finished()])
    history.asked("post:2", runId="r-2").replied("post:2")
    history.heard(started("r-2"), *text("m", "y"), finished("r-2"), operation="post:2")
    assert monitored(histories(history), SPOKEN, {Rule.MESSAGE_ID_UNIQUE}).seen == 0


def test_line_ends_that_are_not_those_of_ag_ui_are_told_once() -> None:
    history = recorded(run(text("m", "x")))
    for record in history.records:
        record.data["framing"] = ["CR in the line ends"]
    judgement = monitored(histories(history), SPOKEN, {Rule.SSE_FRAMING})
    assert [violation.actual for violation in judgement.violations] == ["CR in the line ends, in 5 blocks"]


def test_what_a_replayed_run_restates_need_not_be_complete() -> None:
    past = [started("r-0", protocolVersion="1.0"), e("MESSAGES_SNAPSHOT", messages=[]), finished("r-0")]
    own = run([e("MESSAGES_SNAPSHOT", messages=[])])
    assert monitored(histories(recorded(past)), SPOKEN, {Rule.SNAPSHOT_COMPLETE}).violations == ()
    assert len(monitored(histories(recorded([*past, *own])), SPOKEN, {Rule.SNAPSHOT_COMPLETE}).violations) == 1
