"""Shared state and activities: the values that patches apply to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...wire.patch import NotApplicable, Unfollowed, malformed, patched
from .events import Event, RunInput
from .rules import Finding, Rule, Sheet, shown


@dataclass(slots=True)
class State:
    """The state that the consumer holds. `known` is false after a patch that could not be applied."""

    sheet: Sheet
    value: Any
    known: bool = True
    _patched: bool = False
    _pending: Finding | None = None

    def see(self, event: Event) -> None:
        if event.type == "STATE_SNAPSHOT" and "snapshot" in event.payload:
            self._snapshot(event)
        elif event.type == "STATE_DELTA" and isinstance(event.payload.get("delta"), list):
            self._delta(event, event.payload["delta"])
        elif event.type == "RUN_STARTED":
            self._patched = False
        elif event.type == "RUN_FINISHED":
            self.close(True)

    def _snapshot(self, event: Event) -> None:
        """It replaces the state, and excuses a patch that did not apply."""
        snapshot = event.payload["snapshot"]
        if self._patched and self.known:
            expected = "a snapshot equal to the state that the deltas lead to"
            actual = f"{shown(snapshot)} where they lead to {shown(self.value)}"
            self.sheet.expect(Rule.CONVERGES, snapshot == self.value, expected, actual, event.record)
        self.value, self.known, self._patched, self._pending = snapshot, True, False, None

    def _delta(self, event: Event, patch: list[Any]) -> None:
        wrong = malformed(patch)
        self.sheet.expect(Rule.PATCH_VALID, not wrong, "a state delta is a valid JSON Patch", wrong, event.record)
        if wrong:
            self.known = False
        if not self.known:
            return
        self.sheet.look(Rule.PATCH_APPLIES)
        try:
            self.value, self._patched = patched(self.value, patch), True
        except Unfollowed:
            self.known = False
        except NotApplicable as error:
            self.known = False
            expected = "a state delta applies to the state that the consumer holds"
            self._pending = Finding(Rule.PATCH_APPLIES, expected, f"{error}"[:200], (event.record,))

    def close(self, complete: bool) -> None:
        """A patch that did not apply is a fault where no snapshot can follow any more."""
        if self._pending and complete:
            self.sheet.find(self._pending.rule, self._pending.expected, self._pending.actual, *self._pending.records)
            self._pending = None


class Activities:
    """The contents of activities, by message id; None where they are no longer known."""

    def __init__(self, sheet: Sheet, run_input: RunInput) -> None:
        self.sheet = sheet
        self._contents: dict[str, Any] = {}
        self._restate(run_input.objects("messages"))

    def _restate(self, messages: Any) -> None:
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict) and message.get("role") == "activity":
                self._contents[str(message.get("id"))] = message.get("content")

    def see(self, event: Event) -> None:
        name = event.text("messageId")
        if event.type == "MESSAGES_SNAPSHOT":
            self._restate(event.payload.get("messages"))
        elif event.type == "ACTIVITY_SNAPSHOT" and name is not None:
            if event.payload.get("replace") is not False or name not in self._contents:
                content = event.payload.get("content")
                self._contents[name] = content if isinstance(content, dict) else None
        elif event.type == "ACTIVITY_DELTA" and name is not None:
            self._delta(name, event)

    def _delta(self, name: str, event: Event) -> None:
        self.sheet.look(Rule.ACTIVITY_BASELINE)
        if wrong := self._wrong(name, event.payload.get("patch")):
            self._contents[name] = None
            expected = "an activity delta follows a snapshot, applies to it and keeps an object"
            self.sheet.find(Rule.ACTIVITY_BASELINE, expected, wrong, event.record)

    def _wrong(self, name: str, patch: Any) -> str:
        if name not in self._contents:
            return f"no snapshot of {shown(name)}"
        if self._contents[name] is None or not isinstance(patch, list):
            return ""
        if broken := malformed(patch):
            return broken
        try:
            content = patched(self._contents[name], patch)
        except NotApplicable as error:
            return f"{error}"[:200]
        except Unfollowed:
            content = None
        else:
            if not isinstance(content, dict):
                return f"the content becomes {shown(content)}"
        self._contents[name] = content
        return ""
