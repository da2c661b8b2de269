"""What the grammar allows is never a finding, as far as a stream comes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.judge.agui import V0, V1, Profile, judge, judge_stream
from seatrial.judge.agui.grammar import whole

from .legal import writers
from .wire import INPUT, sequence

EARLIEST = Profile((0, 1, 15))


@pytest.mark.parametrize("profile", [V1, V0, EARLIEST], ids=str)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_legal_stream_has_no_finding(profile: Profile, data: st.DataObject) -> None:
    events = sequence(data.draw(writers(profile)).stream())
    assert judge(events, profile, INPUT) == []


@pytest.mark.parametrize("profile", [V1, V0], ids=str)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_legal_stream_that_was_cut_has_no_finding(profile: Profile, data: st.DataObject) -> None:
    events = sequence(data.draw(writers(profile)).stream())
    stream = whole(events[: data.draw(st.integers(0, len(events)))], INPUT)
    for cut in (replace(stream, ending="left"), replace(stream, whole=False), replace(stream, ending="")):
        assert judge_stream(cut, profile) == []
