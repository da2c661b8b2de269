"""Where a monitor must hold its tongue: replays, several sessions, other versions, error pages, fragments."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.claims import Spoken
from seatrial.judge import dedup, errors, framing, lifecycle, shape
from seatrial.judge.traffic import Judgement, heard
from seatrial.transcript import Kind

from .monitors import CACHED, HELLO, SSE, TOOLS, newer, older, piped
from .streams import (
    STDIO,
    D,
    E,
    History,
    capabilities,
    histories,
    modern,
    notification,
    progress,
    refusal,
    request,
    response,
)


def replayed(operation: str, **headers: str) -> History:
    """The stream of `older`, and its last two events again on a GET."""
    history = older()
    history.sent(operation, None, session="s", **headers)
    history.status(operation, media_type=SSE)
    history.heard(operation, progress(1), event_id="1")
    history.heard(operation, response(4, content=[]), event_id="2")
    return history


def test_a_replay_after_last_event_id_is_no_second_response_and_no_second_event() -> None:
    history = replayed("get:1", Last_Event_ID="0")
    assert dedup.one_response_per_request(histories(history), D).violations == ()
    assert dedup.event_ids_unique(histories(history), D).violations == ()


def test_the_same_events_on_another_stream_without_a_resume_are_found() -> None:
    assert len(dedup.event_ids_unique(histories(replayed("get:1")), D).violations) == 2


def test_equal_ids_in_two_sessions_are_two_requests() -> None:
    history = History()
    for number, session in enumerate(("s", "t"), 1):
        history.exchange(f"post:{number}", request("tools/list", 1), response(1, **TOOLS), session=session)
    assert dedup.one_response_per_request(histories(history), D) == Judgement(2)


def test_an_id_that_the_client_used_twice_may_be_answered_twice() -> None:
    history = History()
    for number in (1, 2):
        history.exchange(f"post:{number}", request("tools/list", 1), response(1, **TOOLS))
    assert dedup.one_response_per_request(histories(history), D) == Judgement(2)


@pytest.mark.parametrize("text", ["{'id': 5", '{"jsonrpc":"2.0","id":5,"method":"ping"}'])
def test_a_response_to_bytes_that_were_sent_as_they_are_is_no_finding(text: str) -> None:
    history = History().exchange("post:1", text, response(5))
    assert dedup.one_response_per_request(histories(history), D) == Judgement(1)


def test_each_answer_is_judged_by_the_version_of_its_session() -> None:
    older_hello = {**HELLO, "protocolVersion": "2024-11-05"}
    history = History().exchange("post:1", request("initialize", 1), response(1, **older_hello))
    history.exchange("post:2", modern("tools/list", 2), response(2, **CACHED))
    history.exchange("post:3", request("tools/list", 3), response(3, **TOOLS))
    assert [message.version for message in heard(history.records, D.version)] == [
        "2024-11-05",
        "2026-07-28",
        "2024-11-05",
    ]
    assert shape.wire_shapes(histories(history), D) == Judgement(3)


def test_the_version_of_a_session_is_known_by_its_id() -> None:
    history = History()
    history.sent("post:1", request("initialize", 1))
    history.add(Kind.STATUS, "post:1", status=200, headers=[["mcp-session-id", "s"]])
    history.heard("post:1", response(1, **{**HELLO, "protocolVersion": "2025-03-26"}))
    history.exchange("post:2", request("ping", 2), response(2), session="s")
    assert [message.version for message in heard(history.records, D.version)] == ["2025-03-26"] * 2


def test_an_exchange_that_names_two_versions_is_not_judged_by_shape() -> None:
    history = History()
    history.sent("post:1", notification("notifications/x"), MCP_Protocol_Version="2025-06-18")
    history.sent("post:1", modern("tools/list", 2))
    history.status("post:1", media_type=SSE)
    history.heard("post:1", notification("notifications/progress"))
    assert shape.wire_shapes(histories(history), D) == Judgement(0)


def test_an_error_page_and_a_metadata_document_are_no_messages() -> None:
    history = History().exchange("post:1", request("ping", 1), {"error": "invalid_token"}, status=401)
    history.exchange("get:1", None, {"resource": "/mcp"})
    for monitor in (shape.jsonrpc_2, shape.wire_shapes, errors.error_shape):
        assert monitor(histories(history), D) == Judgement(0)


def test_a_batch_is_judged_message_by_message() -> None:
    history = History().exchange("post:1", [request("ping", 1), request("ping", 2)], [response(1), response(2)])
    assert dedup.one_response_per_request(histories(history), D) == Judgement(2)
    assert shape.jsonrpc_2(histories(history), D) == Judgement(2)


@pytest.mark.parametrize(("status", "request_id", "soft"), [(404, None, True), (400, None, True), (404, 9, False)])
def test_an_error_without_an_id_is_soft_in_the_older_era(status: int, request_id: Any, soft: bool) -> None:
    history = History().exchange("post:1", request("ping", 1), refusal(request_id=request_id), status=status)
    (finding,) = errors.error_id_when_readable(histories(history), D).violations
    assert finding.soft is soft


@pytest.mark.parametrize(("status", "soft"), [(400, [False]), (404, [True]), (415, [])])
def test_a_modern_error_needs_its_id_where_the_body_had_to_be_read(status: int, soft: list[bool]) -> None:
    history = History().exchange("post:1", modern("tools/list", 1), refusal(request_id=None), status=status)
    findings = errors.error_id_when_readable(histories(history), E).violations
    assert [finding.soft for finding in findings] == soft


def test_a_modern_body_under_another_version_header_may_be_taken_for_the_older_era() -> None:
    history = History()
    history.sent("post:1", modern("tools/list", 1), mcp_protocol_version="2025-11-25")
    history.status("post:1", 400)
    history.heard("post:1", refusal(request_id=None))
    history.ended("post:1")
    (finding,) = errors.error_id_when_readable(histories(history), E).violations
    assert finding.soft


def test_a_response_in_a_replay_is_no_second_response() -> None:
    history = History().exchange("post:1", request("ping", 1), response(1))
    history.sent("get:1", None, last_event_id="7")
    history.status("get:1", media_type=SSE)
    history.heard("get:1", response("of-another-session"))
    history.ended("get:1")
    assert dedup.one_response_per_request(histories(history), D).violations == ()


def test_an_odd_id_that_we_sent_is_no_fault_of_its_response() -> None:
    history = History().exchange("post:1", request("ping", 1.5), response(1.5))
    assert shape.wire_shapes(histories(history), D).violations == ()


@pytest.mark.parametrize(
    "sent", [{"jsonrpc": "2.0", "id": 1}, request("ping", None), {"method": "ping", "id": 1}, [], "{"]
)
def test_an_error_to_a_malformed_request_may_have_any_id(sent: Any) -> None:
    history = History().exchange("post:1", sent, refusal(request_id=None), status=400)
    assert errors.error_id_when_readable(histories(history), E) == Judgement(0)


@pytest.mark.parametrize(
    ("media_type", "found"),
    [("application/json; charset=utf-8", 0), ("Text/Event-Stream", 0), ("text/html", 1), ("", 1)],
)
def test_the_media_type_of_a_reply(media_type: str, found: int) -> None:
    history = History().exchange("post:1", request("ping", 1), media_type=media_type)
    assert len(framing.content_type_of_reply(histories(history), D).violations) == found


def test_the_media_type_of_a_refusal_and_of_an_accepted_notification_is_free() -> None:
    history = History().exchange("post:1", request("ping", 1), status=406, media_type="text/plain")
    history.exchange("post:2", notification("notifications/initialized"), status=202, media_type="")
    assert framing.content_type_of_reply(histories(history), D) == Judgement(0)


@pytest.mark.parametrize(
    ("event", "ending", "found"),
    [
        ({"data": "hello", "event": ""}, "closed", 1),
        ({"data": "/messages", "event": "endpoint"}, "closed", 0),
        ({"data": None, "comment": "keep alive"}, "closed", 0),
        ({"data": '{"jsonr', "complete": False}, "torn", 0),
        ({"data": '{"jsonr', "complete": False}, "closed", 1),
        ({"data": "", "faults": ["unknown field: 'dta'"]}, "closed", 1),
        ({"data": None, "faults": ["unknown field: 'da'"], "complete": False}, "left", 0),
    ],
)
def test_events_that_carry_no_message(event: dict[str, Any], ending: str, found: int) -> None:
    history = History()
    history.sent("post:1", request("ping", 1))
    history.status("post:1", media_type=SSE)
    history.add(Kind.EVENT, "post:1", **event)
    history.ended("post:1", ending)
    assert len(framing.sse_framing(histories(history), D).violations) == found


@pytest.mark.parametrize(
    ("line", "ending", "found", "soft"),
    [("ready", "closed", 1, False), ("", "closed", 1, True), ('{"j', "torn", 0, False)],
)
def test_lines_on_standard_output_that_are_no_json(line: str, ending: str, found: int, soft: bool) -> None:
    history = History()
    history.add(Kind.RECEIVED, "stdio:0", raw=line)
    history.ended("stdio:0", ending)
    findings = framing.stdio_stdout_pure(histories(history), STDIO).violations
    assert [finding.soft for finding in findings] == [soft] * found


def test_a_fragment_of_a_process_that_we_killed_is_no_finding() -> None:
    history = piped()
    history.add(Kind.PROCESS, "stdio:0", event="signal", signal="SIGKILL")
    history.add(Kind.RECEIVED, "stdio:0", raw='{"jsonrpc":')
    history.ended("stdio:0")
    assert framing.stdio_stdout_pure(histories(history), STDIO).violations == ()


def test_a_declared_capability_frees_its_notifications() -> None:
    history = capabilities(logging={}, tools={"listChanged": True}, prompts={"listChanged": False})
    for method in ("notifications/message", "notifications/tools/list_changed", "notifications/prompts/list_changed"):
        history.exchange("post:9", modern("tools/call", 9), notification(method), media_type=SSE)
    assert lifecycle.undeclared_logging_silent(histories(history), E).violations == ()
    (finding,) = lifecycle.undeclared_listchanged_silent(histories(history), E).violations
    assert "prompts.listChanged" in finding.expected


def test_without_a_declaration_silence_is_not_judged() -> None:
    history = History().exchange(
        "post:1", modern("tools/call", 1), notification("notifications/message"), media_type=SSE
    )
    assert lifecycle.undeclared_logging_silent(histories(history), E) == Judgement(0)


def test_what_the_server_declared_when_it_was_asked_decides_too() -> None:
    history = History().exchange(
        "post:1", modern("tools/call", 1), notification("notifications/message"), media_type=SSE
    )
    silent = Spoken(E.version, E.binding, {"capabilities": {}}, 1)
    talker = Spoken(E.version, E.binding, {"capabilities": {"logging": {}}}, 1)
    assert len(lifecycle.undeclared_logging_silent(histories(history), silent).violations) == 1
    assert lifecycle.undeclared_logging_silent(histories(history), talker) == Judgement(1)


def test_the_result_type_of_an_advertised_extension_is_known() -> None:
    tasks = capabilities(extensions={"io.modelcontextprotocol/tasks": {}})
    tasks.exchange("post:2", modern("tools/call", 2), response(2, resultType="task"))
    assert shape.resulttype_present(histories(tasks), E) == Judgement(2)
    vendor = capabilities(extensions={"com.example/x": {}})
    vendor.exchange("post:2", modern("tools/call", 2), response(2, resultType="x"))
    assert shape.resulttype_present(histories(vendor), E) == Judgement(2)


def test_older_exchanges_in_a_modern_column_are_left_to_their_own_rules() -> None:
    history = newer().exchange("post:8", request("initialize", 8), response(8, **HELLO))
    history.exchange("post:9", request("resources/read", 9), refusal(-32002, 9))
    assert errors.no_legacy_codes(histories(history), E).violations == ()
    assert shape.resulttype_present(histories(history), E).violations == ()
