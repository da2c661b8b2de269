"""A team's own tests: which of them are coroutines, what they get, and what becomes of what they expected."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest

from ..events import RunStarted
from ..lab import Lab
from ..logbook import redacted
from ..transcript import Record
from ..trial import STOPS, verdict
from .asked import policy
from .blocking import outside
from .labs import Description, Labs
from .thread import TrioThread
from .verdicts import Teller

LAB, THREAD = pytest.StashKey[Lab[Any]](), pytest.StashKey[TrioThread]()

RECORDS, WIDTH = 60, 240
"""So many records of a failed test are shown, the last ones, and so many characters of each."""


@contextmanager
def lab_of(request: pytest.FixtureRequest, labs: Labs, target: Description) -> Iterator[Any]:
    with labs.lab(request.node, target) as lab:
        request.node.stash[LAB], request.node.stash[THREAD] = lab, labs.thread
        yield lab if awaits(request.node) else outside(lab, labs.thread)


@contextmanager
def receiver_of(request: pytest.FixtureRequest, labs: Labs) -> Iterator[Any]:
    with labs.receiver(request.node.nodeid) as receiver:
        request.node.stash[THREAD] = labs.thread
        yield receiver if awaits(request.node) else outside(receiver, labs.thread)


def awaits(item: pytest.Item) -> bool:
    """Is the test a coroutine function?"""
    return isinstance(item, pytest.Function) and coroutine_of(item) is not None


def coroutine_of(item: pytest.Function) -> Callable[..., Any] | None:
    """The coroutine function that a test is, or that another plugin has made a plain one for a loop of its own."""
    return next((test for test in (item.obj, inspect.unwrap(item.obj)) if inspect.iscoroutinefunction(test)), None)


def called(item: pytest.Function) -> Generator[None, Any, Any]:
    """Have the test called; then its lab is judged. What the test itself raises is its failure, as always."""
    thread, lab = item.stash.get(THREAD, None), item.stash.get(LAB, None)
    if thread is None:
        return (yield)
    stop: Exception | None = None
    with _as_function(item, thread):
        try:
            yield
        except STOPS as error:
            stop = error
        except Exception:
            _show(item, lab)
            raise
    if lab is None and stop is not None:
        raise stop
    if lab is not None:
        _judge(item, lab, stop)
    return True


@contextmanager
def _as_function(item: pytest.Function, thread: TrioThread) -> Iterator[None]:
    """A coroutine function is a plain one while pytest calls it."""
    test, coroutine = item.obj, coroutine_of(item)
    if coroutine is not None:
        item.obj = _waiting(coroutine, thread)
    try:
        yield
    finally:
        item.obj = test


def _waiting(test: Callable[..., Any], thread: TrioThread) -> Callable[..., Any]:
    @wraps(test)
    def call(**fixtures: Any) -> Any:
        __tracebackhide__ = True
        return thread.call(test, **fixtures)

    return call


def _judge(item: pytest.Item, lab: Lab[Any], stop: Exception | None) -> None:
    """The verdict of the lab is that of the test. A test that came to its end has looked at what it is about."""
    if stop is None:
        lab.ledger.exercised |= {row.id for row in lab.case.rows}
    target, found = lab.berth.target, redacted(verdict(lab, stop), lab.berth.transcript.redactor)
    started = RunStarted(target.name, target.address, 0, (lab.case,), {}, options={"command": ()})
    try:
        Teller(policy(item.config), started).tell(item, found)
    except BaseException:
        _show(item, lab)
        raise


def _show(item: pytest.Item, lab: Lab[Any] | None) -> None:
    """What went over the wire, beside the failure."""
    if lab is not None and lab.recorder.records:
        item.add_report_section("call", "seatrial records", "\n".join(shown(lab.recorder.records)))


def shown(records: Sequence[Record]) -> Iterator[str]:
    """One line per record. As JSON nothing of it can move a cursor."""
    if len(records) > RECORDS:
        yield f"({len(records) - RECORDS} earlier records are left out)"
    for record in records[-RECORDS:]:
        yield f"#{record.number} {record.kind} {record.operation} {json.dumps(record.data)}"[:WIDTH]
