"""What the fake model answers, told by the words of the prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COUNT_LIMIT = 100_000
GAP_LIMIT = 600.0

_SLOW = re.compile(r"^\s*slow\b(?: +(\d+))?(?: +(\d+(?:\.\d+)?))?", re.MULTILINE)
_TOOL = re.compile(r"^\s*tool +(\S+)(?: +(\{.*\}))?", re.MULTILINE)
_ERROR = re.compile(r"^\s*error +(400|429|500)\b", re.MULTILINE)
_HANG = re.compile(r"^\s*hang\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Saying:
    """An answer: pieces of text, or of the arguments of a tool that is called; `gap` seconds before each of them.

    `status` is that of a failure, or 200. One that `hangs` never comes.
    """

    pieces: Sequence[str] = ()
    gap: float = 0.0
    tool: str = ""
    status: int = 200
    hangs: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Script:
    """`gap` and `count`: seconds between pieces and their number, where the prompt does not say."""

    gap: float = 0.2
    count: int = 50

    def saying(self, asked: Asked) -> Saying:
        if asked.answered:
            return Saying(("The ", "tool ", "has ", "answered."), self.gap)
        if found := _ERROR.search(asked.prompt):
            return Saying(status=int(found[1]))
        if _HANG.search(asked.prompt):
            return Saying(hangs=True)
        if found := _SLOW.search(asked.prompt):
            return self._slow(found)
        if (found := _TOOL.search(asked.prompt)) and found[1] in asked.tools:
            return Saying(_halves(found[2] or "{}"), self.gap, found[1])
        return Saying(("Aye, ", "I ", "have ", "read ", "that."), self.gap)

    def _slow(self, found: re.Match[str]) -> Saying:
        count = min(int(found[1]) if found[1] else self.count, COUNT_LIMIT)
        gap = min(float(found[2]) if found[2] else self.gap, GAP_LIMIT)
        return Saying([f"{number} " for number in range(1, count + 1)], gap)


def _halves(text: str) -> Sequence[str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


@dataclass(frozen=True, slots=True)
class Asked:
    """What matters of a request. `answered`: a tool result has come since the user spoke. `streams`: in pieces."""

    prompt: str
    tools: frozenset[str]
    answered: bool
    streams: bool
    model: str


def asked(body: Mapping[str, Any]) -> Asked:
    """From a body of either API; what is not as it should be counts as absent."""
    said = body.get("messages", body.get("input"))
    items: list[Any] = said if isinstance(said, list) else [{"role": "user", "content": said}]
    messages = [item for item in items if isinstance(item, dict)]
    last = max((at for at, item in enumerate(messages) if item.get("role") == "user"), default=-1)
    answered = any(is_result(item) for item in messages[last + 1 :])
    prompt = _text(messages[last].get("content")) if last >= 0 else ""
    return Asked(prompt, _tools(body), answered, body.get("stream") is True, str(body.get("model", "fake"))[:100])


def is_result(item: Mapping[str, Any]) -> bool:
    """Whether a message is the result of a tool."""
    return item.get("role") == "tool" or item.get("type") == "function_call_output"


def _text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)
    return content if isinstance(content, str) else ""


def _tools(body: Mapping[str, Any]) -> frozenset[str]:
    """The names of the tools that are offered."""
    offered = body.get("tools")
    entries = [entry for entry in offered if isinstance(entry, dict)] if isinstance(offered, list) else []
    functions = [entry.get("function", entry) for entry in entries]
    return frozenset(str(function.get("name")) for function in functions if isinstance(function, dict))
