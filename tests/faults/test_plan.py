"""Faults are values: they print, they are stored, they are read back."""

from __future__ import annotations

import json
from dataclasses import fields
from enum import StrEnum
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.faults import (
    FAULTS,
    RESET,
    UP,
    Fault,
    FaultError,
    Mount,
    Trigger,
    benign_profile,
    connect,
    cut,
    drop_response,
    eof,
    events,
    first,
    from_json,
    latency,
    messages,
    mount_for,
    octets,
    parse,
    parse_plan,
    pipe_split,
    request,
    sigkill,
    slices,
    status,
    to_json,
)
from seatrial.faults.body import Short
from seatrial.faults.connect import ConnectFault
from seatrial.faults.stage import Direction, How
from seatrial.faults.stream import INSIDES
from seatrial.faults.trigger import Messages

TRIGGERS = st.one_of(
    st.sampled_from([connect, eof]),
    st.integers(1, 9).flatmap(lambda n: st.sampled_from([events(n), request(n), octets(n), messages(n, "tools/call")])),
    st.text(max_size=8).map(first),
)
OF_FIELD: dict[str, st.SearchStrategy[Any]] = {
    "how": st.sampled_from([How.FIN, How.RESET, How.STALL]),
    "code": st.integers(200, 599),
    "inside": st.sampled_from(sorted(INSIDES)),
    "headers": st.lists(st.tuples(st.text(), st.text()), max_size=2).map(tuple),
    "smallest": st.just(3),
    "largest": st.just(5),
    "pieces": st.integers(2, 9),
    "n": st.integers(2, 9),
    "window": st.integers(2, 9),
    "codes": st.lists(st.sampled_from([100, 102, 103]), min_size=1, max_size=3).map(tuple),
    "location": st.sampled_from(["/elsewhere", "http://127.0.0.1:1/"]),
    "names": st.lists(st.text("abMcp-*"), max_size=2).map(tuple),
    "values": st.lists(st.text("ab 1"), max_size=2).map(tuple),
    "prefix": st.text("abX-"),
    "media_type": st.text("abc/;= "),
    "charset": st.text("utf-816"),
    "version": st.text("0123456789-."),
    "size": st.integers(1, 99),
}
OF_FAULT: dict[tuple[str, str], st.SearchStrategy[Any]] = {
    ("slow_close", "after"): st.just(eof),
    ("corrupt", "rate"): st.floats(0.001, 1.0),
    ("inject_comment", "text"): st.text(st.characters(categories=["L", "N"])),
    ("skew", "after"): st.just(connect),
    ("skew", "seconds"): st.sampled_from([-86400.0, 0.5, 3600.0]),
    ("harness_jump", "seconds"): st.floats(0, 1e9),
    ("stale_replica", "lag"): st.integers(1, 9),
    ("stdout_garbage", "text"): st.text(st.characters(categories=["L", "N"])),
    ("stdout_garbage", "after"): st.one_of(st.sampled_from([connect, eof]), st.integers(1, 9).map(messages)),
    **{
        (name, "after"): st.just(connect) | st.builds(messages, st.integers(0, 9))
        for name in ("fragment", "ping_flood", "close_code", "no_close_handshake", "unmasked", "rsv")
    },
    ("rsv", "bit"): st.integers(1, 3),
    ("unmasked", "direction"): st.just(UP),
    ("ping_flood", "rate"): st.floats(0.001, 1e6),
    ("truncate_body", "how"): st.sampled_from(Short),
    ("redirect", "code"): st.sampled_from([301, 302, 303, 307, 308]),
    ("cancel_race", "after"): st.one_of(st.sampled_from([connect, eof]), st.integers(0, 9).map(events)),
}


def values(name: str, default: Any, kind: type[Fault]) -> st.SearchStrategy[Any]:
    if (kind.name, name) in OF_FAULT:
        return OF_FAULT[kind.name, name]
    if issubclass(kind, ConnectFault) and name in ("on", "after"):
        return st.just(default)
    if isinstance(default, Messages):
        return st.builds(messages, st.integers(1, 9), st.sampled_from(["", "tools/call"]))
    if isinstance(default, Trigger):
        return st.integers(1, 9).map(events) if kind.mounts == {Mount.RELAY} else TRIGGERS
    if isinstance(default, StrEnum) and name not in OF_FIELD:
        return st.sampled_from(type(default))
    by_type = {
        Direction: st.sampled_from(Direction),
        bool: st.booleans(),
        int: st.integers(0, 99),
        float: st.floats(0, allow_nan=False),
        str: st.text(st.characters(exclude_categories=["Cs"])),
    }
    return OF_FIELD[name] if name in OF_FIELD else by_type[type(default)]


def built(kind: type[Fault], given: dict[str, Any]) -> Fault | None:
    """None for what the fault refuses."""
    try:
        return kind(**given)
    except FaultError:
        return None


def fault_values(kind: type[Fault]) -> st.SearchStrategy[Fault]:
    drawn = st.fixed_dictionaries({item.name: values(item.name, item.default, kind) for item in fields(kind)})
    return drawn.map(partial(built, kind)).filter(lambda fault: fault is not None)  # type: ignore[arg-type, return-value]


FAULT_VALUES = st.sampled_from(list(FAULTS.values())).flatmap(fault_values)


@given(FAULT_VALUES)
def test_every_fault_survives_its_text_form(fault: Fault) -> None:
    assert parse(str(fault)) == fault


@given(FAULT_VALUES)
def test_every_fault_survives_its_json_form(fault: Fault) -> None:
    assert from_json(json.loads(json.dumps(to_json(fault)))) == fault


@given(st.lists(FAULT_VALUES, max_size=4).map(tuple), st.sampled_from(["; ", "\n", "\n# and\n\n"]))
def test_a_plan_survives_both_forms(plan: tuple[Fault, ...], between: str) -> None:
    assert parse_plan(between.join(map(str, plan))) == plan
    assert parse_plan(json.dumps([to_json(fault) for fault in plan])) == plan


@pytest.mark.parametrize(
    ("fault", "written"),
    [
        (cut(on="tools/call", after=events(2), how=RESET), 'cut(on="tools/call", after=events(2), how=reset)'),
        (cut(), "cut()"),
        (slices(smallest=2), "slice(smallest=2)"),
        (cut(after=octets(0), direction=UP), "cut(after=bytes(0), direction=up)"),
        (cut(after=first('a"b')), 'cut(after=first("a\\"b"))'),
        (sigkill(after=messages(1, "tools/call")), 'sigkill(after=messages(1, method="tools/call"))'),
        (cut(after=eof), "cut(after=eof)"),
        (drop_response(how=How.GATEWAY_TIMEOUT), "drop_response(how=504)"),
        (status(headers=(("Retry-After", "1"),)), 'status(headers=(("Retry-After", "1"),))'),
    ],
)
def test_the_text_form(fault: Fault, written: str) -> None:
    assert str(fault) == written
    assert parse(written) == fault


def test_the_names_of_cut() -> None:
    assert parse('reset(on="GET", after=events(3))') == cut(on="GET", after=events(3), how=RESET)
    assert parse("cut_after_events(3, how=reset)") == cut(after=events(3), how=RESET)


def test_a_plan_is_several_faults() -> None:
    plan = (latency(seconds=1.0), cut())
    assert parse_plan("latency(seconds=1); cut()") == plan
    assert parse_plan("# rough sea\nlatency(seconds=1)\n\ncut()  # the end\n") == plan
    assert parse_plan(json.dumps([to_json(fault) for fault in plan])) == plan


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("cot()", "unknown fault 'cot'; did you mean cut?"),
        ("cut(after=3)", "cut: after must be of kind trigger"),
        ("cut(after=evnts(2))", "unknown trigger 'evnts'; there are connect, request, bytes,"),
        ("cut(after=events('x'))", "events: n must be of kind int"),
        ("cut(how=sideways)", "cut: how is one of fin, reset, stall"),
        ("cut(how=504)", "cut: how is fin, reset or stall"),
        ("cut(speed=1)", "cut has no 'speed'; it has on, after, times"),
        ("cut('tools/call')", "cut: every value needs its name, KEY=VALUE"),
        ("cut(times=-1)", "cut: times is negative"),
        ("cut(times=True)", "cut: times must be of kind int"),
        ("status(code=99)", "status: code is from 200 to 599"),
        ("split_at(inside='ship')", "split_at: inside is one of code-point, field, crlf, chunk-size, escape, any"),
        ("drop_event(after=eof)", "drop_event: after is events\\(n\\)"),
        ("latency()\ncut", "line 2 of the fault plan is not of the form"),
        ("cut(", "line 1 of the fault plan is not of the form"),
        ("[1]", 'a fault in JSON is an object with "fault": NAME'),
        ("[", "not JSON"),
        ("cut(on=open('x'))", "unknown trigger 'open'"),
        ("cut(on=1 + 1)", "malformed"),
        ("", "expected one fault, found 0"),
    ],
)
def test_a_bad_plan_gets_one_sentence(written: str, sentence: str) -> None:
    with pytest.raises(FaultError, match=sentence):
        parse(written)


@pytest.mark.parametrize(
    ("fault", "http", "stdio"),
    [
        (slices(), Mount.LINK, Mount.PIPE),
        (cut(after=octets(9)), Mount.LINK, Mount.PIPE),
        (cut(on="tools/call", after=events(2)), Mount.RELAY, None),
        (cut(after=messages(1)), Mount.RELAY, Mount.PIPE),
        (drop_response(), Mount.RELAY, None),
        (sigkill(), None, Mount.PIPE),
        (pipe_split(), None, Mount.PIPE),
    ],
)
def test_where_a_fault_is_mounted(fault: Fault, http: Mount | None, stdio: Mount | None) -> None:
    assert mount_for(fault, "streamable-http") is http
    assert mount_for(fault, "stdio") is stdio


def test_the_benign_profile_is_benign_and_mountable() -> None:
    assert all(fault.benign for fault in benign_profile())
    assert all({mount_for(fault, "http"), mount_for(fault, "stdio")} - {None} for fault in benign_profile())
    assert not any(fault.benign for fault in (cut(), drop_response(), sigkill()))
