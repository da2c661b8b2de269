"""Steps and subagents: who does something, from when to when."""

from __future__ import annotations

from .events import Event
from .rules import Rule, Sheet, shown

Step = tuple[str | None, str]
"""An owner and the name of a step."""


class Steps:
    """The open steps of a run, by owner and name."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._open: dict[Step, Event] = {}

    def see(self, event: Event) -> None:
        match event.type:
            case "STEP_STARTED":
                self._start(event)
            case "STEP_FINISHED":
                self._finish(event)
            case "RUN_FINISHED":
                for (_, name), started in self._open.items():
                    self._find("every step is closed before RUN_FINISHED", f"{shown(name)} is open", started, event)
                self._open.clear()
            case "RUN_STARTED" | "RUN_ERROR":
                self._open.clear()

    def _find(self, expected: str, actual: str, *events: Event) -> None:
        self.sheet.find(Rule.STEPS_BALANCED, expected, actual, *(event.record for event in events))

    def _start(self, event: Event) -> None:
        self.sheet.look(Rule.STEPS_BALANCED)
        name = event.text("stepName")
        if name is None:
            return
        if before := self._open.get((event.owner, name)):
            self._find("a step is not started while it is open", f"{shown(name)} again", before, event)
        self._open.setdefault((event.owner, name), event)

    def _finish(self, event: Event) -> None:
        name = event.text("stepName")
        if name is None:
            return
        if (event.owner, name) in self._open:
            del self._open[event.owner, name]
            return
        other = next((step for step in self._open if step[1] == name), None)
        if other is None:
            self._find("STEP_FINISHED of an open step", f"{shown(name)} is not open", event)
            return
        started = self._open.pop(other)
        expected = f"STEP_FINISHED of the owner of its start, {shown(other[0])}"
        self.sheet.find(Rule.SUBAGENT_OWNER, expected, f"of {shown(event.owner)}", started.record, event.record)


class Subagents:
    """The subagents that a run announced."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._active: dict[str, Event] = {}
        self._ended: set[str] = set()

    def see(self, event: Event) -> None:
        match event.type:
            case "SUBAGENT_STARTED":
                self._start(event)
            case "SUBAGENT_FINISHED" | "SUBAGENT_ERROR":
                self._finish(event)
            case "RUN_FINISHED":
                for name, started in self._active.items():
                    records = (started.record, event.record)
                    expected = "announced subagents are ended before RUN_FINISHED"
                    self.sheet.find(Rule.SUBAGENT_CLOSED, expected, f"{shown(name)} goes on", *records)
                self._reset()
            case "RUN_STARTED" | "RUN_ERROR":
                self._reset()

    def _reset(self) -> None:
        self._active.clear()
        self._ended.clear()

    def _find(self, expected: str, actual: str, event: Event) -> None:
        self.sheet.find(Rule.SUBAGENT_LIFECYCLE, expected, actual, event.record)

    def _start(self, event: Event) -> None:
        self.sheet.look(Rule.SUBAGENT_LIFECYCLE)
        self.sheet.look(Rule.SUBAGENT_CLOSED)
        name, parent = event.owner, event.text("parentSubagentRunId")
        if parent is not None:
            known = parent in self._active or parent in self._ended
            self.sheet.expect(Rule.SUBAGENT_OWNER, known, "a parent that was announced", shown(parent), event.record)
        if name is None:
            return
        if name in self._active:
            self._find("a subagent is announced once", f"{shown(name)} again", event)
        elif name in self._ended:
            self._find("the id of a subagent is not used again in its run", f"{shown(name)} again", event)
        self._active[name] = event

    def _finish(self, event: Event) -> None:
        name = event.owner
        if name is None:
            return
        if self._active.pop(name, None) is None:
            self._find(f"{event.type} of a subagent that goes on", f"{shown(name)} does not", event)
        self._ended.add(name)
