"""The input of a run: what a client sends to have the agent work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .versions import V1

Object = dict[str, Any]
AUTO: Final[Any] = object()
"""What this version's client would send of itself."""


def user(text: Any, ident: str) -> Object:
    """A message of the user. `text`: a string, or a list of content parts."""
    return {"id": ident, "role": "user", "content": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What one run is asked for. `version`: AUTO, a text, or None to send none. `resume` None: no such field.

    `without` names fields that are left out; `extra` adds fields or replaces them.
    """

    thread: str
    run: str
    messages: Sequence[Any] = ()
    state: Any = AUTO
    tools: Sequence[Any] | None = None
    context: Sequence[Any] | None = None
    forwarded: Any = None
    resume: Sequence[Any] | None = None
    version: Any = AUTO
    without: Sequence[str] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def input(self, column: str) -> Object:
        """The JSON to send: all fields that every server of the column knows (basic/run-input)."""
        declared = (V1 if column == V1 else None) if self.version is AUTO else self.version
        whole: Object = {
            "threadId": self.thread,
            "runId": self.run,
            **({} if declared is None else {"protocolVersion": declared}),
            "state": {} if self.state is AUTO else self.state,
            "messages": list(self.messages),
            "tools": list(self.tools or ()),
            "context": list(self.context or ()),
            "forwardedProps": {} if self.forwarded is None else self.forwarded,
            **({} if self.resume is None else {"resume": list(self.resume)}),
            **self.extra,
        }
        return {name: value for name, value in whole.items() if name not in self.without}


def prompted(message: Any) -> Iterator[str]:
    """What the user says last in an input, and what is attached to it. Without messages it is none, and no run."""
    history = message.get("messages") if isinstance(message, dict) else None
    if history is None:
        return
    users = [m for m in history if isinstance(m, dict) and m.get("role") == "user"] if isinstance(history, list) else []
    content = users[-1].get("content") if users else ""
    parts = content if isinstance(content, list) else [{"text": content}]
    yield " ".join(str(part["text"]) for part in parts if isinstance(part, dict) and "text" in part)
    yield from (str(part) for part in parts if not isinstance(part, dict) or "text" not in part)
