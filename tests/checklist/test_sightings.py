"""What is seen in the evidence of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from seatrial.checklist.leaks import leaks, paths
from seatrial.checklist.sightings import KEPT, TEXT, Seen, failures, look
from seatrial.transcript import Kind, Record, encode

CASE = "shop/c[2025-11-25,stdio,none]"
NEWER, OTHER = "shop/c[2026-07-28,stdio,none]", "shop/d[2026-07-28,stdio,none]"


def lines(*told: tuple[str, Kind, dict[str, Any]], operation: str = "post:1") -> Iterator[str]:
    """Evidence: (case, kind, data) in order."""
    for number, (case, kind, data) in enumerate(told, start=1):
        yield encode(Record(number, 0.0, kind, operation, data), case)


def asked(method: str, case: str = CASE, **params: Any) -> tuple[str, Kind, dict[str, Any]]:
    return case, Kind.SENT, {"message": {"id": 1, "method": method, "params": params}}


def came(case: str = CASE, **message: Any) -> tuple[str, Kind, dict[str, Any]]:
    return case, Kind.RECEIVED, {"message": {"id": 1, **message}}


def status(code: int, *headers: tuple[str, str], kind: Kind = Kind.STATUS) -> tuple[str, Kind, dict[str, Any]]:
    return CASE, kind, {"status": code, "headers": [list(header) for header in headers]}


def raw(text: str) -> tuple[str, Kind, dict[str, Any]]:
    return CASE, Kind.RECEIVED, {"raw": text}


def listed(*names: str, case: str = CASE) -> tuple[str, Kind, dict[str, Any]]:
    return came(case, result={"tools": [{"name": name, "inputSchema": {}} for name in names]})


def names(seen: Seen) -> list[str]:
    return [tool.name for tool in seen.tools]


def told(seen: Seen) -> list[tuple[str, str, int, bool]]:
    return [(f.kind, f.text, f.record, f.mute) for f in seen.failures]


def test_the_tools_of_all_pages_are_one_list() -> None:
    pages = (asked("tools/list"), listed("a", "b"), asked("tools/list", cursor="2"), listed("c"))
    assert names(look(lines(*pages), "shop")) == ["a", "b", "c"]


def test_a_list_that_changed_is_not_added_to_the_one_before() -> None:
    twice = (asked("tools/list"), listed("a", "b"), asked("tools/list"), listed("b", "c"))
    assert names(look(lines(*twice), "shop")) == ["a", "b"]


def test_the_longest_list_of_the_newest_version_counts() -> None:
    told = (listed("a", "b", "c"), listed("a", case=NEWER), listed("a", "b", case=OTHER))
    assert names(look(lines(*told), "shop")) == ["a", "b"]
    assert names(look(lines(*reversed(told)), "shop")) == ["a", "b"]


def test_what_another_target_said_is_not_seen() -> None:
    assert look(lines(listed("a", case="shopping/c[2025-11-25,stdio,none]")), "shop") == Seen()


@pytest.mark.parametrize("line", ["", "{", "[]", "{}", '{"case": "shop/c"}', "[" * 100_000, '"text"'])
def test_a_line_that_is_no_evidence_shows_nothing(line: str) -> None:
    assert names(look([line, *lines(listed("a"))], "shop")) == ["a"]


def test_what_a_tool_returned_is_kept_by_its_name() -> None:
    text = {"content": [{"type": "text", "text": "x" * (TEXT + 1)}, {"type": "image"}]}
    seen = look(lines(asked("tools/call", name="draw"), came(result=text)), "shop")
    assert seen.results == (("draw", "x" * TEXT),)


@pytest.mark.parametrize("message", [5, None, [], [None, 7], {"result": []}, {"error": 1}, {"result": {"tools": "x"}}])
def test_a_message_of_any_shape_does_no_harm(message: Any) -> None:
    seen = look(lines((CASE, Kind.SENT, {"message": message}), (CASE, Kind.RECEIVED, {"message": message})), "shop")
    assert (seen.tools, seen.failures) == ((), ())


@pytest.mark.parametrize(
    ("message", "kind", "text"),
    [
        ({"error": {"code": -32602, "message": "No", "data": {"a": 1}}}, "error -32602", 'No {"a": 1}'),
        ({"error": {"message": 5}}, "error null", "5"),
        ({"result": {"isError": True, "content": [{"text": "a"}, {"text": "b"}]}}, "isError", "a b"),
        ({"type": "RUN_ERROR", "code": "E", "message": "No"}, "RUN_ERROR E", "No"),
        ({"result": {"status": {"state": "failed", "message": {"parts": [{"text": "No"}]}}}}, "failed task", "No"),
        ({"statusUpdate": {"status": {"state": "TASK_STATE_FAILED"}}}, "failed task", ""),
    ],
)
def test_a_failure_in_the_words_of_each_protocol(message: dict[str, Any], kind: str, text: str) -> None:
    assert list(failures(message)) == [(kind, text)]


@pytest.mark.parametrize(
    "message", [{}, {"result": {"isError": False}}, {"result": {"status": {"state": "completed"}}}]
)
def test_a_success_is_no_failure(message: dict[str, Any]) -> None:
    assert list(failures(message)) == []


def test_a_failure_is_told_once_by_the_first_record_that_shows_it() -> None:
    error = came(error={"code": 1, "message": "No"})
    assert told(look(lines(error, error), "shop")) == [("error 1", "No", 1, False)]


def test_a_body_that_is_no_message_is_a_failure_if_its_status_says_so() -> None:
    assert told(look(lines(status(500), raw("Oops")), "shop")) == [("HTTP 500", "Oops", 2, False)]
    assert told(look(lines(status(200), raw("ok")), "shop")) == []


@pytest.mark.parametrize("kind", [Kind.STATUS, Kind.THROTTLED])
def test_a_busy_target_should_say_for_how_long(kind: Kind) -> None:
    assert told(look(lines(status(429, kind=kind)), "shop")) == [("HTTP 429", "", 1, True)]
    assert told(look(lines(status(503, ("Retry-After", "1"), kind=kind)), "shop")) == [("HTTP 503", "", 1, False)]


def test_a_target_without_a_last_failure_is_cut() -> None:
    many = (came(error={"code": n, "message": ""}) for n in range(KEPT + 10))
    assert len(look(lines(*many), "shop").failures) == KEPT


def test_a_leak_is_found_behind_the_part_that_is_kept() -> None:
    text = f"{'x' * TEXT} /srv/shop/db.sqlite"
    (failure,) = look(lines(came(error={"code": 1, "message": text})), "shop").failures
    assert [leak.quote for leak in failure.leaks] == ["/srv/shop/db.sqlite"]


def test_a_path_that_the_client_named_first_is_no_leak() -> None:
    sent = asked("resources/read", uri="file:///etc/passwd", path="/etc/passwd")
    (failure,) = look(lines(sent, came(error={"code": 1, "message": "/etc/passwd is not here"})), "shop").failures
    assert failure.leaks == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('Traceback (most recent call last):\n  File "x.py", line 3', "a stack trace"),
        ("Error: no\n    at Shop.find (shop.js:10:7)", "a stack trace"),
        ("goroutine 7 [running]:", "a stack trace"),
        ("cannot open /var/lib/shop/db.sqlite", "a path of its machine"),
        (r"cannot open C:\shop\db.sqlite", "a path of its machine"),
        ("401 with Bearer abcdefghijklmnop1234", "what looks like a secret"),
        ("postgres://shop:hunter2@db/orders", "what looks like a secret"),
    ],
)
def test_what_an_error_gives_away(text: str, kind: str) -> None:
    assert [leak.kind for leak in leaks(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "See https://shop.test/srv/orders",
        "Unknown path /orders/1",
        "at least 3 (three) items",
        "file:///srv/none is refused",
        "Ask for Bearer tokens at the desk",
        "http://user:[redacted]@shop.test/",
        "",
    ],
)
def test_what_gives_nothing_away(text: str) -> None:
    assert leaks(text) == ()


def test_paths_are_found_in_the_json_of_a_message() -> None:
    assert paths(json.dumps({"path": "/srv/shop/a b"})) == {"/srv/shop/a"}
