"""Findings as plain text, one after the other, as they come: for a log, or for another program's own report."""

from __future__ import annotations

from typing import TextIO

from seatrial import CaseFinished, Event, RunFinished, RunStarted

from .findings import Finding, finding, lines
from .text import visible

_NAME = 9
"""Characters of the widest name of a finding's parts, and a blank."""


class PlainReporter:
    """One block per case: its verdict, its id, and the parts of the finding."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._started = RunStarted("", "", 0, (), {})

    def handle(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._started = event
            case CaseFinished(result=result):
                self._out.write(told(finding(result, self._started)))
            case RunFinished(failure=failure) if failure:
                self._out.write(f"{visible(failure)}\n")

    def close(self) -> None:
        self._out.flush()


def told(found: Finding) -> str:
    """The block of one finding. Nothing of it but its line ends moves a cursor."""
    because = f", {found.reason}" if found.reason else ""
    parts = [f"{name:{_NAME}}{visible(text)}" for name, text in lines(found)]
    traceback = [visible(line) for line in found.traceback.splitlines()]
    return "\n".join([f"{found.verdict}{because}: {visible(found.title)}", visible(found.case), *parts, *traceback, ""])
