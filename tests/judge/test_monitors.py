"""A clean history passes a monitor with something seen; each corruption is found with its record."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.claims import Spoken
from seatrial.judge import dedup, errors, framing, lifecycle, shape
from seatrial.judge.traffic import Judgement
from seatrial.transcript import Kind

from .monitors import EVERY, TOOLS, Monitor, newer, older, piped
from .streams import (
    STDIO,
    D,
    E,
    History,
    histories,
    notification,
    progress,
    refusal,
    request,
    response,
)


@pytest.mark.parametrize(("monitor", "spoken"), EVERY.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_a_clean_history_passes_and_something_was_seen(monitor: Monitor, spoken: Spoken) -> None:
    clean = newer() if spoken == E else piped() if spoken == STDIO else older()
    judgement = monitor(histories(clean), spoken)
    assert judgement.violations == ()
    assert judgement.seen > 0


@pytest.mark.parametrize(("monitor", "spoken"), EVERY.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_an_empty_run_has_nothing_to_pass(monitor: Monitor, spoken: Spoken) -> None:
    assert monitor({}, spoken) == Judgement(0)
    assert monitor(histories(History()), spoken) == Judgement(0)


def with_heard(history: History, operation: str, payload: Any, **data: Any) -> History:
    history.add(Kind.RECEIVED, operation, message=payload, **data)
    return history


FOREIGN: list[tuple[Monitor, Spoken, History]] = [
    (dedup.one_response_per_request, D, with_heard(older(), "post:3", response(2, **TOOLS))),
    (dedup.one_response_per_request, D, with_heard(older(), "post:5", response("4", content=[]), event_id="3")),
    (dedup.one_response_per_request, D, with_heard(older(), "post:5", response(99), event_id="3")),
    (dedup.one_response_per_request, STDIO, with_heard(piped(), "stdio:3", response(2, **TOOLS))),
    (dedup.event_ids_unique, D, with_heard(older(), "post:5", progress(2), event_id="1")),
    (dedup.event_ids_unique, D, with_heard(older(), "post:5", progress(1), event_id="1")),
    (dedup.event_ids_unique, D, with_heard(older(), "post:5", progress(3), event_id="0")),
    (errors.error_shape, D, with_heard(older(), "post:4", refusal("1", 3))),
    (errors.error_shape, D, with_heard(older(), "post:4", refusal(1.5, 3))),
    (errors.error_shape, D, with_heard(older(), "post:4", refusal(1, 3, None))),
    (errors.error_shape, D, with_heard(older(), "post:4", {**refusal(1, 3), "result": {}})),
    (errors.error_shape, D, with_heard(older(), "post:3", {"jsonrpc": "2.0", "id": 2, "error": "no"})),
    (errors.error_id_when_readable, D, with_heard(older(), "post:4", refusal(request_id="3"))),
    (errors.error_id_when_readable, D, with_heard(older(), "post:4", refusal(request_id="server-error"))),
    (errors.no_legacy_codes, E, with_heard(newer(), "post:3", refusal(-32002, 3))),
    (errors.no_legacy_codes, E, with_heard(newer(), "post:3", refusal(-32042, 3))),
    (errors.no_undefined_reserved_codes, E, with_heard(newer(), "post:3", refusal(-32023, 3))),
    (errors.no_undefined_reserved_codes, E, with_heard(newer(), "post:3", refusal(-32099, 3))),
    (errors.new_codes_outside_legacy_band, E, with_heard(newer(), "post:3", refusal(-32000, 3))),
    (errors.new_codes_outside_legacy_band, E, with_heard(newer(), "post:3", refusal(-32019, 3))),
    (framing.sse_framing, D, with_heard(older(), "post:5", [progress(2)])),
    (framing.sse_framing, D, with_heard(older(), "post:5", progress(2), faults=["not UTF-8"])),
    (framing.stdio_stdout_pure, STDIO, with_heard(piped(), "stdio:0", "ready")),
    (
        lifecycle.cancels_subscriptions_only,
        E,
        with_heard(newer(), "post:2", notification("notifications/cancelled", requestId=2)),
    ),
    (lifecycle.no_server_requests, E, with_heard(newer(), "post:2", request("ping", 1))),
    (lifecycle.undeclared_logging_silent, D, with_heard(older(), "post:3", notification("notifications/message"))),
    (
        lifecycle.undeclared_listchanged_silent,
        E,
        with_heard(newer(), "post:2", notification("notifications/tools/list_changed")),
    ),
    (shape.wire_shapes, D, with_heard(older(), "post:3", response(2, tools=[{}]))),
    (shape.wire_shapes, E, with_heard(newer(), "post:2", response(2, **TOOLS))),
    (shape.wire_shapes, STDIO, with_heard(piped(), "stdio:3", response(2, tools=None))),
    (shape.wire_shapes, STDIO, with_heard(piped(), "stdio:0", notification("notifications/progress", progress=1))),
    (shape.jsonrpc_2, D, with_heard(older(), "post:3", {"id": 2, "result": {}})),
    (shape.jsonrpc_2, D, with_heard(older(), "post:3", {"jsonrpc": 2.0, "id": 2, "result": {}})),
    (shape.resulttype_present, E, with_heard(newer(), "post:2", response(2))),
    (shape.resulttype_present, E, with_heard(newer(), "post:2", response(2, resultType="finished"))),
    (shape.resulttype_present, E, with_heard(newer(), "post:2", response(2, resultType="task"))),
]


@pytest.mark.parametrize(("monitor", "spoken", "history"), FOREIGN)
def test_one_wrong_message_is_found_with_its_record(monitor: Monitor, spoken: Spoken, history: History) -> None:
    found = monitor(histories(older() if spoken == D else History(), history), spoken).violations
    assert len(found) == 1
    assert history.records[-1].number in found[0].records
    assert not found[0].soft


@pytest.mark.parametrize(("monitor", "spoken", "history"), FOREIGN)
def test_what_a_fault_rewrote_says_nothing_about_the_target(monitor: Monitor, spoken: Spoken, history: History) -> None:
    blamed = History([*history.records])
    blamed.add(Kind.FIRED, "post:1", fault="duplicate_event(on='', after=events(1))", at="events 1")
    assert monitor(histories(blamed), spoken) == Judgement(0)
