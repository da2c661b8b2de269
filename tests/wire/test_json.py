"""JSON as it was written, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.model import Json
from seatrial.wire.json import JsonError, dumps, load, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_a_value_survives(value: Json) -> None:
    assert loads(dumps(value)) == value


def test_duplicate_keys_are_named() -> None:
    document = load('{"a": 1, "b": {"c": 1, "c": 2}, "a": 2}')
    assert set(document.duplicates) == {"a", "c"}
    assert document.value == {"a": 2, "b": {"c": 2}}


def test_a_lone_surrogate_survives_as_an_escape() -> None:
    assert dumps("\ud800") == b'"\\ud800"'
    assert loads(dumps("\ud800")) == "\ud800"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"NaN", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b'{"a":', "not JSON"),
        (b"", "not JSON"),
        (b"1" * 5000, "not JSON"),
        (b'"\x00"', "not JSON"),
        ('"a"'.encode("utf-16"), "not UTF-8"),
        (b"[" * 100_000, "nested deeper than 256"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested deeper than 256"),
    ],
)
def test_what_is_no_json_is_refused_with_a_reason(text: bytes, why: str) -> None:
    with pytest.raises(JsonError, match=why):
        load(text)


def test_brackets_inside_strings_are_not_depth() -> None:
    assert loads(dumps("[{" * 1000)) == "[{" * 1000


def test_brackets_after_an_unended_string_are_no_trouble() -> None:
    with pytest.raises(JsonError):
        load('"' + "[" * 1000)


def test_a_text_beyond_the_size_is_refused() -> None:
    with pytest.raises(JsonError, match="larger than 4 bytes"):
        load(b"12345", size=4)
