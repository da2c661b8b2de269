"""Where reads end changes nothing: at any split of a flow, every fault does the same at the same byte."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import FAULTS, Direction, Fault, Mount
from seatrial.faults.fault import Armed
from seatrial.faults.stage import Action, Flow, Framing, Gap, Lag, Stage, Take
from seatrial.wire import jsonrpc, sse
from seatrial.wire.json import dumps

from tests.faults.test_plan import fault_values

TEXTS = st.text('aé😀"\\ ', max_size=12)
MESSAGES = st.one_of(
    st.builds(lambda n, text: jsonrpc.request(n, "tools/call", {"name": text}), st.integers(1, 9), TEXTS),
    st.builds(lambda n, text: jsonrpc.response(n, {"text": text}), st.integers(1, 9), TEXTS),
    st.just(jsonrpc.notification("notifications/cancelled", {"requestId": 1})),
).map(lambda message: dumps(message).decode())
EVENTS = st.builds(sse.SseEvent, id=st.none() | st.text("ab0", max_size=3), data=MESSAGES | TEXTS)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def events_of(events: list[sse.SseEvent], end: str, tail: str) -> bytes:
    return (b"".join(map(sse.encode, events)).decode() + tail).replace("\n", end).encode()


STREAMS = st.builds(events_of, st.lists(EVENTS, max_size=5), ENDS, st.sampled_from(["", "\n", ": c\n\n", "data: x\n"]))
LINES = st.lists(MESSAGES, max_size=5).map(lambda lines: "".join(f"{line}\n" for line in lines).encode())
FLOWS = st.one_of(
    st.tuples(st.just(Flow("get:1", Direction.DOWN, Framing.SSE)), STREAMS),
    st.tuples(st.sampled_from([Flow("stdio:1", way, Framing.LINES) for way in (Direction.UP, Direction.DOWN)]), LINES),
    st.tuples(st.sampled_from([Flow("connection:1", way) for way in (Direction.UP, Direction.DOWN)]), STREAMS | LINES),
)
CUTS = st.lists(st.integers(0, 300), max_size=12)
STAGED = [kind for kind in FAULTS.values() if kind().mounts != {Mount.RELAY} or kind.stage is not Fault.stage]
TIMING = (Gap, Lag, Take)

Told = list[tuple[int, str]]
"""What was done beside passing bytes on, each at its byte."""


def outcome(stage: Stage, chunks: Iterable[bytes]) -> tuple[bytes, Told]:
    """The bytes that come out and what else is done. A stall without end lets nothing more out."""
    passed, told = bytearray(), Told()
    for action in actions(stage, chunks):
        if isinstance(action, bytes):
            passed += action
        elif not isinstance(action, TIMING) or action == Gap(math.inf):
            told.append((len(passed), str(action)))
            if "End(" in str(action) or action == Gap(math.inf):
                break
    return bytes(passed), told


def actions(stage: Stage, chunks: Iterable[bytes]) -> Iterator[Action]:
    for chunk in (b"", *chunks):
        yield from stage.feed(chunk)
    yield from stage.eof()


def split(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    return [data[start:end] for start, end in pairwise(places)]


def through(
    fault: Fault, flow: Flow, chunks: Iterable[bytes], *, spent: bool = False
) -> tuple[bytes, Told, list[str]] | None:
    """What comes out of a fault of its own, and its firings; None where it has nothing to do.

    Of a benign one only the bytes count: all that many of them change is where reads end.
    """
    fired: list[str] = []
    armed = Armed(fault, Chance(7), lambda _, where: fired.append(where))
    armed.firings = fault.times if spent else 0
    stage = fault.stage(armed, flow)
    if stage is None:
        return None
    passed, told = outcome(stage, chunks)
    return (passed, [], []) if fault.benign else (passed, told, fired)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(STAGED).flatmap(fault_values), FLOWS, CUTS)
def test_a_fault_does_the_same_at_any_split(fault: Fault, flow: tuple[Flow, bytes], cuts: list[int]) -> None:
    where, data = flow
    whole = through(fault, where, [data])
    assume(whole is not None)
    assert through(fault, where, split(data, cuts)) == whole
    assert through(fault, where, split(data, range(len(data)))) == whole


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(STAGED).flatmap(fault_values), FLOWS, CUTS)
def test_a_fault_that_is_spent_changes_nothing(fault: Fault, flow: tuple[Flow, bytes], cuts: list[int]) -> None:
    where, data = flow
    left = through(fault, where, split(data, cuts), spent=True)
    assume(left is not None and fault.times)
    assert left == (data, [], [])
