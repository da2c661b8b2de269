"""Stimuli: both spellings, placeholders, and what constants tell."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.document import ConfigError, Document, Entry
from seatrial.stimuli import Filled, Stimulus, choose, stimuli


def played(role: str, value: Any, protocol: str = "") -> Stimulus:
    return stimuli(Entry(Document("s.toml"), ("stimuli",), {role: value}), protocol)[role]


def test_a_text_that_is_only_a_numeric_placeholder_becomes_a_number() -> None:
    slow = played("slow", {"tool": "t", "arguments": {"s": "{seconds}", "n": "{count}", "g": "{gap}"}})
    assert slow.fill(seconds=2.5, count=3, gap=0.2).arguments == {"s": 2.5, "n": 3, "g": 0.2}


def test_a_whole_number_of_seconds_suits_an_integer_parameter() -> None:
    filled = played("slow", {"tool": "t", "arguments": {"s": "{seconds}"}}).fill(seconds=3.0)
    assert repr(filled.arguments["s"]) == "3"


def test_inside_a_longer_text_values_are_inserted_and_other_braces_stay() -> None:
    echo = played("echo", {"tool": "t", "arguments": {"m": "{text} for {seconds} s {other} {}", "l": ["{key}"]}})
    assert echo.fill(text="{key}", seconds=1, key="k").arguments == {"m": "{key} for 1 s {other} {}", "l": ["k"]}


@given(st.text())
def test_a_value_is_inserted_as_it_is(text: str) -> None:
    assert played("echo", {"tool": "t", "arguments": {"m": "{text}"}}).fill(text=text).arguments == {"m": text}


@pytest.mark.parametrize(
    ("value", "keyed"),
    [
        ({"tool": "t", "arguments": {"k": "{key}"}}, True),
        ({"get": "http://h/{key}"}, True),
        ({"tool": "t", "arguments": {"k": "key"}}, False),
        ("tool log {}", False),
    ],
)
def test_keyed_tells_whether_a_key_is_asked_for(value: Any, keyed: bool) -> None:
    assert played("witness", value).keyed is keyed


@pytest.mark.parametrize(
    ("role", "line", "filled"),
    [
        ("slow", 'tool slow {"seconds": 5}: sends no progress', Filled("tool", "slow", {"seconds": 5})),
        ("call", 'tool zip {"a": {"b": "}"}}, twice in one session', Filled("tool", "zip", {"a": {"b": "}"}})),
        ("failing", "tool boom", Filled("tool", "boom", {})),
        ("failing", "tool boom: it fails", Filled("tool", "boom", {})),
        ("prompt", 'greet {"name": "x"}: name is required', Filled("prompt_name", "greet", {"name": "x"})),
        ("resource", "note://board", Filled("resource", "note://board", {})),
        ("witness", "GET /_ledger: a JSON list", Filled("get", "/_ledger", {})),
        ("echo", "text 'hello'", Filled("text", "hello", {})),
        ("fail", """text "don't": it fails; text 'never': it waits""", Filled("text", "don't", {})),
        ("raise", "text 'fail': raises; text 'failearly': before any event", Filled("text", "fail", {})),
        ("ask", "message_id 'ask-': waits", Filled("text", "hello", {"message_id": "ask-"})),
        ("chat", "prompt 'good day': answers", Filled("prompt", "good day", {})),
        ("steps", "every run: one step for each node", Filled("prompt", "hello", {})),
        ("stop", "POST /stop/{thread}: ends the run", Filled("post", "/stop/T", {})),
    ],
)
def test_the_spelling_in_one_line(role: str, line: str, filled: Filled) -> None:
    assert played(role, line).fill(thread="T") == filled


@pytest.mark.parametrize(
    ("value", "filled"),
    [
        ({"text": "ticks {count} {gap}"}, Filled("text", "ticks 3 0.2", {})),
        ({"text": "x", "message_id": "m-{key}-"}, Filled("text", "x", {"message_id": "m-k-"})),
        ({"message_id": "m-"}, Filled("text", "hello", {"message_id": "m-"})),
    ],
)
def test_a_message_has_a_text_an_id_or_both(value: Any, filled: Filled) -> None:
    assert played("ticks", value, "a2a").fill(count=3, gap=0.2, key="k") == filled


def test_a_run_is_stopped_by_a_route_with_its_ids() -> None:
    stop = played("stop", {"post": "http://h/{thread}/{run}"}, "agui")
    assert stop.fill(thread="t", run="r") == Filled("post", "http://h/t/r")


@pytest.mark.parametrize(
    ("value", "lasts", "count", "gap"),
    [
        ('tool slow {"seconds": 5}', 5, None, None),
        ('tool notes {"n": 20, "gap": 0.5}', 10, 20, 0.5),
        ({"tool": "t", "arguments": {"steps": 50, "duration": "{seconds}"}}, None, 50, None),
        ({"tool": "t", "arguments": {"seconds": 5}, "lasts": 7.0}, 7.0, None, None),
        ({"tool": "t", "lasts": 2, "count": 4, "gap": 0.5}, 2.0, 4, 0.5),
        ({"tool": "t", "arguments": {"n": True}}, None, None, None),
        ("text 'slow 10 0.2': 10 chunks of artifact a1, 0.2 s apart", 2, 10, 0.2),
        ("text 'slow 100 0.1': 10 s of chunks", 10, None, None),
        ("text 'slow': 2 s", 2, None, None),
        ("text 'flood': 3000 large chunks at once", None, 3000, None),
        ("prompt 'slow': 10 deltas, 0.2 s apart (more by a variable)", 2, 10, 0.2),
        ("text 'fail': the executor raises", None, None, None),
        ('tool slow {"seconds": 5}: 9 s in 3 steps', 5, 3, None),
    ],
)
def test_what_a_constant_amounts_to(value: Any, lasts: float | None, count: int | None, gap: float | None) -> None:
    slow = played("slow", value)
    assert (slow.lasts, slow.count, slow.gap) == (lasts, count, gap)


def test_a_constant_duration_wins_over_the_asked_one() -> None:
    assert played("slow", 'tool slow {"seconds": 5}').duration(1.0) == 5
    assert played("slow", {"tool": "t", "arguments": {"s": "{seconds}"}}).duration(1.0) == 1.0


def test_a_remark_tells_whether_progress_is_sent() -> None:
    assert played("slow", "tool t {}: one progress report per step").progress
    assert not played("slow", "tool t {}: sends no progress").progress
    assert played("progress", "tool t {}").progress


def test_only_limits_a_role_to_one_binding() -> None:
    found = {"slow": played("slow", {"tool": "t", "only": "http"})}
    assert choose(found, "slow", "streamable-http") is found["slow"]
    assert choose(found, "slow", "stdio") is None


def test_echo_plays_quick_and_nothing_else() -> None:
    found = {"echo": played("echo", {"tool": "t"})}
    assert choose(found, "quick") is found["echo"]
    assert choose(found, "slow") is None


@pytest.mark.parametrize(
    ("role", "value", "said"),
    [
        ("slow", {"arguments": {}}, "needs exactly one of tool, prompt_name, resource"),
        ("slow", {"text": "a", "prompt": "b"}, "needs exactly one of"),
        ("slow", {"text": "a", "arguments": {}}, "stimuli.slow.arguments cannot stand beside text"),
        ("slow", "text hello", "must have its words in quotes, for example: text 'hello'"),
        ("slow", "text 'hello", "must have its words in quotes"),
        ("slow", "GET /x", "must begin with one of tool"),
        ("witness", "GET x", "must be a URL, or a path"),
        ("witness", "GET //elsewhere/x", "must be a URL, or a path"),
        ("witness", {"get": "http://127.0.0.1:{port}/x"}, "stimuli.witness.get must be a URL, or a path"),
        ("slow", {"tool": "a", "resource": "b"}, "needs exactly one of"),
        ("slow", {"get": "http://h/"}, 'unknown key "get"'),
        ("slow", "call x {}", "must begin with one of tool"),
        ("slow", "", "must begin with one of tool"),
        ("slow", "tool x {oops", "has arguments that are not JSON"),
        ("slow", {"tool": "a", "count": 1.5}, "stimuli.slow.count must be a whole number"),
        ("slow", {"tool": "a", "arguments": []}, "stimuli.slow.arguments must be a table"),
    ],
)
def test_a_stimulus_that_cannot_be_understood_is_refused(role: str, value: Any, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        played(role, value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("protocol", "value", "said"),
    [
        ("a2a", {"tool": "x"}, "stimuli.echo.tool is a verb of mcp, but the target speaks a2a; use text or message_id"),
        ("agui", "text 'x'", "stimuli.echo is a verb of a2a, but the target speaks agui; use prompt"),
        ("mcp", "every run", "stimuli.echo is a verb of agui, but the target speaks mcp"),
        ("a2a", "tool x {}", "stimuli.echo is a verb of mcp, but the target speaks a2a"),
        ("a2a", {}, "needs exactly one of text, message_id"),
        ("agui", "hello", "must begin with one of prompt, for example: prompt 'hello'"),
    ],
)
def test_a_verb_of_another_protocol_is_refused(protocol: str, value: Any, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        played("echo", value, protocol)
    assert said in str(caught.value)


@pytest.mark.parametrize("protocol", ["mcp", "a2a", "agui"])
def test_a_witness_is_read_beside_the_protocol(protocol: str) -> None:
    assert played("witness", "GET /ledger", protocol).fill() == Filled("get", "/ledger")
    assert played("witness", {"command": ["cat", "a b"]}, protocol).fill() == Filled("command", "cat 'a b'")
