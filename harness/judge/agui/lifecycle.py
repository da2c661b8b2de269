"""The run: what may come when, and whose it is."""

from __future__ import annotations

import re
from enum import Enum, auto

from .events import Event, RunInput, Stream
from .rules import Rule, Sheet, shown


class Phase(Enum):
    """Where a stream stands. ASSUMED: in a run that was never started. SPOILT: nothing more is said until the next run.

    LATE: after a RUN_ERROR that followed RUN_FINISHED.
    """

    BEFORE = auto()
    ASSUMED = auto()
    RUNNING = auto()
    FINISHED = auto()
    FAILED = auto()
    LATE = auto()
    SPOILT = auto()


START, FINISH, ERROR, OTHER = "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", ""

Move = tuple[Phase, Rule | None]
"""Where an event leads, and the rule that it breaks."""

MOVES: dict[tuple[Phase, str], Move] = {
    (Phase.BEFORE, START): (Phase.RUNNING, None),
    (Phase.BEFORE, FINISH): (Phase.FINISHED, Rule.RUN_STARTED_FIRST),
    (Phase.BEFORE, ERROR): (Phase.FAILED, None),
    (Phase.BEFORE, OTHER): (Phase.ASSUMED, Rule.RUN_STARTED_FIRST),
    (Phase.ASSUMED, START): (Phase.RUNNING, None),
    (Phase.ASSUMED, FINISH): (Phase.FINISHED, None),
    (Phase.ASSUMED, ERROR): (Phase.FAILED, None),
    (Phase.ASSUMED, OTHER): (Phase.ASSUMED, None),
    (Phase.RUNNING, START): (Phase.RUNNING, Rule.SINGLE_ACTIVE_RUN),
    (Phase.RUNNING, FINISH): (Phase.FINISHED, None),
    (Phase.RUNNING, ERROR): (Phase.FAILED, None),
    (Phase.RUNNING, OTHER): (Phase.RUNNING, None),
    (Phase.FINISHED, START): (Phase.RUNNING, None),
    (Phase.FINISHED, FINISH): (Phase.SPOILT, Rule.NOTHING_AFTER_FINISH),
    (Phase.FINISHED, ERROR): (Phase.LATE, None),
    (Phase.FINISHED, OTHER): (Phase.SPOILT, Rule.NOTHING_AFTER_FINISH),
    (Phase.FAILED, START): (Phase.RUNNING, None),
    (Phase.FAILED, FINISH): (Phase.SPOILT, Rule.NO_FINISH_AFTER_ERROR),
    (Phase.FAILED, ERROR): (Phase.SPOILT, Rule.RUN_ERROR_TERMINAL),
    (Phase.FAILED, OTHER): (Phase.SPOILT, Rule.RUN_ERROR_TERMINAL),
    (Phase.LATE, START): (Phase.RUNNING, None),
    (Phase.LATE, FINISH): (Phase.SPOILT, Rule.NO_FINISH_AFTER_ERROR),
    (Phase.LATE, ERROR): (Phase.SPOILT, Rule.LATE_ERROR),
    (Phase.LATE, OTHER): (Phase.SPOILT, Rule.RUN_ERROR_TERMINAL),
    (Phase.SPOILT, START): (Phase.RUNNING, None),
    (Phase.SPOILT, FINISH): (Phase.SPOILT, None),
    (Phase.SPOILT, ERROR): (Phase.SPOILT, None),
    (Phase.SPOILT, OTHER): (Phase.SPOILT, None),
}

EARLIER: dict[tuple[Phase, str], Move] = {
    (Phase.BEFORE, ERROR): (Phase.FAILED, Rule.RUN_STARTED_FIRST),
    (Phase.FINISHED, ERROR): (Phase.SPOILT, Rule.NOTHING_AFTER_FINISH),
    (Phase.FAILED, FINISH): (Phase.SPOILT, Rule.RUN_ERROR_TERMINAL),
}
"""Where 0.1 differs."""

EXPECTED = {
    Rule.RUN_STARTED_FIRST: "a stream begins with RUN_STARTED",
    Rule.SINGLE_ACTIVE_RUN: "a run is closed before the next one starts",
    Rule.NOTHING_AFTER_FINISH: "nothing of a run follows its RUN_FINISHED",
    Rule.NO_FINISH_AFTER_ERROR: "no RUN_FINISHED after RUN_ERROR of the same run",
    Rule.RUN_ERROR_TERMINAL: "nothing of a run follows its RUN_ERROR",
    Rule.LATE_ERROR: "at most one RUN_ERROR after RUN_FINISHED",
}

LOOKED: dict[tuple[Phase, str], tuple[Rule, ...]] = {
    (Phase.RUNNING, FINISH): (Rule.NOTHING_AFTER_FINISH, Rule.LATE_ERROR),
    (Phase.RUNNING, ERROR): (Rule.RUN_ERROR_TERMINAL, Rule.NO_FINISH_AFTER_ERROR),
    (Phase.BEFORE, ERROR): (Rule.RUN_ERROR_TERMINAL, Rule.NO_FINISH_AFTER_ERROR),
}
"""What an event begins to be a test of."""

GRACE = 2.0
"""Seconds in which the body ends after the last terminal event."""


class Lifecycle:
    """Follows the phases of a stream and lets through what the other judges shall see."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.phase = Phase.BEFORE
        self._moves = MOVES if sheet.profile.modern else MOVES | EARLIER
        self._ended = 0
        """The record of the last terminal event."""

    def admits(self, event: Event) -> bool:
        """False for an event after the end, and for a RUN_STARTED that starts nothing."""
        place = (self.phase, event.type if event.type in (START, FINISH, ERROR) else OTHER)
        if self.phase is Phase.BEFORE:
            self.sheet.look(Rule.RUN_STARTED_FIRST)
        self.sheet.look(Rule.SINGLE_ACTIVE_RUN, event.type == START)
        for looked in LOOKED.get(place, ()):
            self.sheet.look(looked)
        before, (self.phase, rule) = self.phase, self._moves[place]
        if rule:
            self.sheet.find(rule, EXPECTED[rule], event.type, *filter(None, (self._ended, event.record)))
        self._ended = event.record if event.type in (FINISH, ERROR) else self._ended
        return self.phase is not Phase.SPOILT and not (event.type == START and before in (Phase.ASSUMED, Phase.RUNNING))

    def close(self, stream: Stream) -> None:
        """Judge how the stream ended."""
        if not stream.whole:
            return
        over = self.phase not in (Phase.BEFORE, Phase.ASSUMED, Phase.RUNNING)
        last = stream.events[-1].record if stream.events else stream.sent
        if stream.ending == "closed":
            self.sheet.expect(
                Rule.ALWAYS_TERMINAL,
                over,
                "a terminal event before a clean end",
                f"the end in phase {self.phase.name.lower()}",
                last,
            )
        if over and stream.times:
            self._promptly(stream, last)

    def _promptly(self, stream: Stream, last: int) -> None:
        """An open stream tells nothing, and neither does one that we left before its time was up."""
        delay = 0.0 if stream.ended is None else stream.ended - stream.times[-1]
        late = delay > GRACE
        if stream.ended is None or (stream.ending == "left" and not late):
            return
        prompt = stream.ending == "closed" and not late
        actual = f"{stream.ending} after {delay:.1f} s"
        self.sheet.expect(Rule.CLOSES_AFTER_TERMINAL, prompt, f"a clean end within {GRACE:g} s", actual, last)


VERSION = re.compile(r"\d+\.\d+")


class Identity:
    """The ids and the version that the boundary events of runs carry."""

    def __init__(self, sheet: Sheet, run_input: RunInput) -> None:
        self.sheet, self.input = sheet, run_input
        self._started: Event | None = None
        self._unfinished: list[Event] = []
        """More than one where a run was started inside another."""
        self._wrong = False
        self._versions: dict[str, int] = {}

    def see(self, event: Event) -> None:
        if event.type == START:
            self._start(event)
        elif event.type == FINISH:
            self._finish(event)

    def _start(self, event: Event) -> None:
        wanted = self.input.text("threadId")
        self._started, self._wrong = event, wanted is not None and event.text("threadId") != wanted
        self._unfinished.append(event)
        if self._wrong:
            self._mismatch("threadId", wanted, event)
        self.sheet.look(Rule.IDS_ECHO)
        if self.input.text("runId") in (None, event.text("runId")):
            self._declares(event)
        self._stays(event)

    def _mismatch(self, name: str, wanted: str | None, *events: Event) -> None:
        records = [event.record for event in events]
        actual = shown(events[-1].payload.get(name))
        self.sheet.find(Rule.IDS_ECHO, f"{events[-1].type} with {name} {shown(wanted)}", actual, *records)

    def _declares(self, event: Event) -> None:
        version = event.payload.get("protocolVersion")
        if version is not None and not isinstance(version, str):
            return  # the shape tells
        actual = "no protocolVersion" if version is None else shown(version)
        holds = VERSION.fullmatch(version or "") is not None
        self.sheet.expect(Rule.DECLARES_OWN, holds, "protocolVersion MAJOR.MINOR on RUN_STARTED", actual, event.record)

    def _stays(self, event: Event) -> None:
        version = event.text("protocolVersion")
        if version is None:
            return
        others = {other: record for other, record in self._versions.items() if other != version}
        self.sheet.look(Rule.VERSION_STABLE, bool(self._versions))
        if others and version not in self._versions:
            actual = ", ".join(map(shown, (*others, version)))
            self.sheet.find(Rule.VERSION_STABLE, "one version in a stream", actual, *others.values(), event.record)
        self._versions.setdefault(version, event.record)

    def _finish(self, event: Event) -> None:
        self.sheet.look(Rule.IDS_ECHO)
        started, self._unfinished = self._unfinished, []
        for name in ("threadId", "runId"):
            agreeing = [start.text(name) for start in started if start.text(name) is not None]
            if agreeing and event.text(name) not in (*agreeing, self.input.text(name)):
                self._wrong = True
                self._mismatch(name, agreeing[-1], started[-1], event)
                return

    def close(self, stream: Stream) -> None:
        """The last run is the one that was asked for."""
        wanted = self.input.text("runId")
        if self._started is None or self._wrong or wanted is None or not stream.complete:
            return
        if self._started.text("runId") != wanted:
            self._mismatch("runId", wanted, self._started)
