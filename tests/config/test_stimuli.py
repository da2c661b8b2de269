"""Stimuli: both spellings, placeholders, and what constants tell."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.document import ConfigError, Document, Entry
from seatrial.stimuli import Filled, Stimulus, choose, stimuli


def played(role: str, value: Any) -> Stimulus:
    return stimuli(Entry(Document("s.toml"), ("stimuli",), {role: value}))[role]


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
    ],
)
def test_the_spelling_in_one_line(role: str, line: str, filled: Filled) -> None:
    assert played(role, line).fill() == filled


@pytest.mark.parametrize(
    ("value", "lasts", "count", "gap"),
    [
        ('tool slow {"seconds": 5}', 5, None, None),
        ('tool notes {"n": 20, "gap": 0.5}', 10, 20, 0.5),
        ({"tool": "t", "arguments": {"steps": 50, "duration": "{seconds}"}}, None, 50, None),
        ({"tool": "t", "arguments": {"seconds": 5}, "lasts": 7.0}, 7.0, None, None),
        ({"tool": "t", "lasts": 2, "count": 4, "gap": 0.5}, 2.0, 4, 0.5),
        ({"tool": "t", "arguments": {"n": True}}, None, None, None),
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
