"""`-k`: what an expression means, and what is said of one that means nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.keyword import KeywordError, keyword

TEXT = "reconnect_replay mcp.rec.resume-complete A resumed stream delivers every missed event mcp"
WORDS = st.sampled_from(["resume", "stream", "cancel", "a2a", "mcp"])
EXPRESSIONS = st.recursive(
    WORDS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda one: f"not {one}"),
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("expression", "meant"),
    [
        ("", True),
        ("RESUME", True),
        ("cancel", False),
        ("missed event", True),
        ("event missed", False),
        ("not cancel", True),
        ("mcp and not resume", False),
        ("cancel or mcp and stream", True),
        ("(cancel or mcp) and stream", True),
        ("cancel and (mcp or stream)", False),
        ("not (cancel or a2a)", True),
        ("not not resume", True),
        ("handor", False),
    ],
)
def test_an_expression_is_read_as_pytest_reads_it(expression: str, meant: bool) -> None:
    assert keyword(expression)(TEXT) is meant


@given(EXPRESSIONS)
def test_an_expression_means_what_python_makes_of_it(expression: str) -> None:
    spelled = re.sub(r"resume|stream|cancel|a2a|mcp", lambda word: repr(word[0]) + " in text", expression)
    assert keyword(expression)(TEXT) is eval(spelled, {"text": TEXT})


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("and", "lacks a word before 'and'"),
        ("mcp and", "lacks a word at its end"),
        ("mcp or or a2a", "lacks a word before 'or'"),
        ("(mcp", "has an opening parenthesis without its closing one"),
        ("mcp)", "has an unexpected '\\)'"),
        ("()", "lacks a word before '\\)'"),
        ("mcp not a2a", "has an unexpected 'not'"),
    ],
)
def test_what_is_no_expression_is_told(expression: str, told: str) -> None:
    with pytest.raises(KeywordError, match=f"^{told}$"):
        keyword(expression)
