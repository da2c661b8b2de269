"""What a client keeps of a thread: messages and state, as the events of its runs make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from ...wire.patch import NotApplicable, Unfollowed, malformed, patched
from .asking import Object

SNAPSHOT_KEEPS = ("reasoning", "activity")
"""Roles that a client keeps when a snapshot lists none of them."""


class History:
    """The messages of a thread, begun with those of the input, and its state."""

    def __init__(self, messages: Sequence[Any], state: Any) -> None:
        self.messages: list[Any] = deepcopy(list(messages))
        self.state: Any = deepcopy(state)
        self._latest: dict[str, str] = {}
        """What a chunk without an id goes on with, by kind."""

    def take(self, event: Object) -> None:
        """What an event changes; one that is malformed changes nothing."""
        match event.get("type"):
            case "TEXT_MESSAGE_START" | "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK":
                self._text("text", event, event.get("role", "assistant"))
            case "REASONING_MESSAGE_START" | "REASONING_MESSAGE_CONTENT" | "REASONING_MESSAGE_CHUNK":
                self._text("reasoning", event, "reasoning")
            case "TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_CHUNK":
                self._call(event)
            case "TOOL_CALL_RESULT":
                told = {"toolCallId": event.get("toolCallId"), "content": event.get("content")}
                self._add(event, event.get("messageId"), "tool", told)
            case "REASONING_ENCRYPTED_VALUE":
                self._seal(event)
            case "ACTIVITY_SNAPSHOT" | "ACTIVITY_DELTA":
                self._activity(event)
            case "MESSAGES_SNAPSHOT":
                self._restate(event.get("messages"))
            case "STATE_SNAPSHOT":
                self.state = deepcopy(event.get("snapshot"))
            case "STATE_DELTA":
                self.state = _changed(self.state, event.get("delta"))

    @property
    def calls(self) -> list[Object]:
        """The tool calls of the assistant's messages, in order."""
        lists = (m.get("toolCalls") for m in self._objects() if m.get("role") == "assistant")
        return [call for calls in lists if isinstance(calls, list) for call in calls if isinstance(call, dict)]

    def _objects(self) -> Iterable[Object]:
        return (message for message in self.messages if isinstance(message, dict))

    def _find(self, ident: Any, *roles: str) -> Object | None:
        """A message by its id, and by its role where some are named."""
        return next(
            (m for m in self._objects() if m.get("id") == ident and (not roles or m.get("role") in roles)), None
        )

    def _add(self, event: Object, ident: Any, role: Any, members: Object) -> Object:
        owner = {"subagentRunId": event["subagentRunId"]} if "subagentRunId" in event else {}
        message = {"id": ident, "role": role, **deepcopy(members), **owner}
        self.messages.append(message)
        return message

    def _named(self, kind: str, given: Any) -> str | None:
        """The id that an event means; one without goes on with the latest of its kind."""
        found = given if isinstance(given, str) else self._latest.get(kind)
        if found is not None:
            self._latest[kind] = found
        return found

    def _text(self, kind: str, event: Object, role: Any) -> None:
        if (ident := self._named(kind, event.get("messageId"))) is None:
            return
        found = self._find(ident, "reasoning") if kind == "reasoning" else self._find(ident)
        message = found or self._add(event, ident, role, {})
        written = message.get("content")
        delta = event.get("delta")
        if written is None or isinstance(written, str):
            message["content"] = (written or "") + (delta if isinstance(delta, str) else "")

    def _call(self, event: Object) -> None:
        if (ident := self._named("tool", event.get("toolCallId"))) is None:
            return
        call = next((call for call in self.calls if call.get("id") == ident), None) or self._new_call(event, ident)
        function, delta = call.get("function"), event.get("delta")
        if isinstance(function, dict) and isinstance(delta, str):
            function["arguments"] = f"{function.get('arguments', '')}{delta}"

    def _new_call(self, event: Object, ident: str) -> Object:
        """In the message that it belongs to, or in one of its own."""
        parent = event.get("parentMessageId")
        place = parent if isinstance(parent, str) else ident
        message = self._find(place, "assistant") or self._add(event, place, "assistant", {})
        call: Object = {"id": ident, "type": "function"}
        call["function"] = {"name": event.get("toolCallName", ""), "arguments": ""}
        calls = message.setdefault("toolCalls", [])
        if isinstance(calls, list):
            calls.append(call)
        return call

    def _seal(self, event: Object) -> None:
        """Keep an encrypted value with the message or the call that it belongs to."""
        ident = event.get("entityId")
        calls = (call for call in self.calls if call.get("id") == ident)
        sealed = next(calls, None) if event.get("subtype") == "tool-call" else self._find(ident)
        if sealed is not None:
            sealed["encryptedValue"] = event.get("encryptedValue")

    def _activity(self, event: Object) -> None:
        found = self._find(event.get("messageId"), "activity")
        if found is not None and event.get("type") == "ACTIVITY_DELTA":
            found["content"] = _changed(found.get("content"), event.get("patch"))
        elif event.get("type") == "ACTIVITY_SNAPSHOT" and found is None:
            told = {"activityType": event.get("activityType"), "content": event.get("content")}
            self._add(event, event.get("messageId"), "activity", told)
        elif found is not None and event.get("replace") is not False:
            found.update(activityType=event.get("activityType"), content=deepcopy(event.get("content")))

    def _restate(self, messages: Any) -> None:
        """A snapshot replaces the messages."""
        if not isinstance(messages, list):
            return
        roles = {str(m.get("role")) for m in messages if isinstance(m, dict)}
        own = [m for m in self._objects() if m.get("role") in SNAPSHOT_KEEPS and m.get("role") not in roles]
        self.messages = [*deepcopy(messages), *own]


def _changed(document: Any, patch: Any) -> Any:
    """The document after a patch; as it was, where that does not apply or leads too far."""
    if malformed(patch):
        return document
    try:
        return patched(document, patch)
    except (NotApplicable, Unfollowed):
        return document
