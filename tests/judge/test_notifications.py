"""Notifications of an orderly agent have no finding; every single misdeed has one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from seatrial import Update
from seatrial.judge import deliveries as plain
from seatrial.judge.a2a import notifications as judge
from seatrial.protocols.a2a.updates import read
from seatrial.receiver import Delivery


def delivery(number: int, payload: Any, verb: str = "POST", code: int = 200) -> Delivery:
    body, moment = json.dumps(payload).encode(), float(number)
    return Delivery("hook", number, verb, "/hook", (), body, payload, True, moment, "", number, code, moment, moment)


def delivered(payloads: Sequence[Any]) -> list[Delivery]:
    return [delivery(number, payload) for number, payload in enumerate(payloads, 1)]


def status(state: str, task: str = "t") -> dict[str, Any]:
    return {"statusUpdate": {"taskId": task, "contextId": "c", "status": {"state": f"TASK_STATE_{state}"}}}


def chunk(text: str) -> dict[str, Any]:
    artifact = {"artifactId": "a", "parts": [{"text": text}]}
    return {"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": artifact, "append": True}}


def snapshot(state: str, *texts: str) -> dict[str, Any]:
    parts = [{"kind": "text", "text": text} for text in texts]
    artifacts = [{"artifactId": "a", "parts": parts}] if texts else []
    return {"kind": "task", "id": "t", "contextId": "c", "status": {"state": state}, "artifacts": artifacts}


EVENTS = [status("WORKING"), chunk("1"), chunk("2"), status("COMPLETED")]
SNAPSHOTS = [
    snapshot("submitted"),
    snapshot("working", "1"),
    snapshot("working", "1", "2"),
    snapshot("completed", "12"),
]
STREAM = [read(event) for event in EVENTS]
TASK = Update("task", snapshot("completed", "1", "2"))


def test_orderly_notifications_have_no_finding() -> None:
    events, tasks = delivered(EVENTS), delivered(SNAPSHOTS)
    assert judge.misshapen(events) is None
    assert judge.no_task(tasks) is None
    for told in (events, tasks):
        assert judge.astray(told, TASK) is None
        assert judge.too_often(told, STREAM) is None
        assert judge.agrees(told, TASK) is None
    assert judge.same_events(events, STREAM) is None
    assert plain.in_order(events, judge.along(STREAM)) is None
    assert plain.in_order(tasks, judge.progress) is None


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {"task": None},
        status("WORKING") | chunk("1"),
        {"statusUpdate": {"taskId": "t"}},
        snapshot("working"),
    ],
    ids=repr,
)
def test_what_is_no_stream_response_is_found(payload: Any) -> None:
    found = judge.misshapen([delivery(7, payload)])
    assert found is not None and found.records == (7,)


def test_a_notification_by_another_verb_is_found() -> None:
    assert judge.misshapen([delivery(1, EVENTS[0], verb="PUT")]) is not None
    assert judge.no_task([delivery(1, SNAPSHOTS[0], verb="PUT")]) is not None


@pytest.mark.parametrize("payload", [*EVENTS, None, {"kind": "task"}, {"task": SNAPSHOTS[0]}], ids=repr)
def test_what_is_no_task_of_0_3_is_found(payload: Any) -> None:
    assert judge.no_task([delivery(1, payload)]) is not None


def test_the_task_of_another_is_found() -> None:
    found = judge.astray(delivered([EVENTS[0], status("WORKING", task="u")]), TASK)
    assert found is not None and found.records == (2,)


def test_events_out_of_their_order_are_found() -> None:
    assert plain.in_order(delivered([EVENTS[0], EVENTS[2], EVENTS[1]]), judge.along(STREAM)) is not None
    assert plain.in_order(delivered([SNAPSHOTS[0], SNAPSHOTS[2], SNAPSHOTS[1]]), judge.progress) is not None
    assert judge.same_events(delivered([EVENTS[0], EVENTS[2], EVENTS[1], EVENTS[3]]), STREAM) is not None


def test_a_missing_event_is_found() -> None:
    assert judge.same_events(delivered(EVENTS[1:]), STREAM) is not None
    assert judge.agrees(delivered(EVENTS[:2] + EVENTS[3:]), TASK) is not None
    assert judge.agrees(delivered(EVENTS[:-1]), TASK) is not None


def test_an_event_that_was_acknowledged_twice_is_found() -> None:
    assert judge.too_often(delivered([*EVENTS, EVENTS[1]]), STREAM) is not None
    assert judge.too_often(delivered([*SNAPSHOTS, SNAPSHOTS[1]]), STREAM) is not None


def test_equal_tasks_are_no_repetition_while_there_are_no_more_than_events() -> None:
    assert judge.too_often(delivered([SNAPSHOTS[0], *SNAPSHOTS[1:3], SNAPSHOTS[2]]), STREAM) is None


def test_a_retry_is_no_repetition_and_keeps_its_name() -> None:
    failed, again = delivery(1, EVENTS[0], code=503), delivery(2, EVENTS[0] | {"sentAt": 2})
    assert judge.too_often([failed, delivery(2, EVENTS[0])], STREAM) is None
    assert judge.event(failed) == judge.event(again)
