"""The two APIs, as values: what a streamed answer consists of, and what a whole one looks like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from ..wire import sse
from ..wire.json import dumps
from .script import Asked, Saying

Object = dict[str, Any]


class Dialect(Protocol):
    """The bytes of an answer. `pieces` gives as many blocks as the saying has pieces."""

    def opening(self) -> bytes: ...
    def pieces(self) -> Iterator[bytes]: ...
    def closing(self) -> bytes: ...
    def whole(self) -> Object: ...


@dataclass(frozen=True, slots=True)
class Chat:
    """POST /v1/chat/completions."""

    id: int
    asked: Asked
    saying: Saying
    created: int

    def opening(self) -> bytes:
        first: Object = {"role": "assistant", "content": None if self.saying.tool else ""}
        return self._chunk(first | (self._call("") if self.saying.tool else {}))

    def pieces(self) -> Iterator[bytes]:
        for piece in self.saying.pieces:
            function = {"index": 0, "function": {"arguments": piece}}
            yield self._chunk({"tool_calls": [function]} if self.saying.tool else {"content": piece})

    def closing(self) -> bytes:
        return self._chunk({}, self._reason()) + b"data: [DONE]\n\n"

    def whole(self) -> Object:
        text = self.saying.text
        message = {"content": None, **self._call(text)} if self.saying.tool else {"content": text}
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": self._reason()}
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage(self, "prompt", "completion")}

    def _call(self, arguments: str) -> Object:
        function = {"name": self.saying.tool, "arguments": arguments}
        return {"tool_calls": [{"index": 0, "id": f"call_{self.id}", "type": "function", "function": function}]}

    def _chunk(self, delta: Object, reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return block({**self._head("chat.completion.chunk"), "choices": [choice]})

    def _head(self, kind: str) -> Object:
        return {"id": f"chatcmpl-{self.id}", "object": kind, "created": self.created, "model": self.asked.model}

    def _reason(self) -> str:
        return "tool_calls" if self.saying.tool else "stop"


@dataclass(frozen=True, slots=True)
class Responses:
    """POST /v1/responses."""

    id: int
    asked: Asked
    saying: Saying
    created: int

    def opening(self) -> bytes:
        told = self._event("created", response=self._response([], "in_progress"))
        told += self._event("output_item.added", output_index=0, item=self._item("", "in_progress"))
        if self.saying.tool:
            return told
        return told + self._event("content_part.added", **self._place(), content_index=0, part=self._part(""))

    def pieces(self) -> Iterator[bytes]:
        for piece in self.saying.pieces:
            if self.saying.tool:
                yield self._event("function_call_arguments.delta", **self._place(), delta=piece)
            else:
                yield self._event("output_text.delta", **self._place(), content_index=0, delta=piece)

    def closing(self) -> bytes:
        text = self.saying.text
        if self.saying.tool:
            told = self._event("function_call_arguments.done", **self._place(), arguments=text)
        else:
            told = self._event("output_text.done", **self._place(), content_index=0, text=text)
            told += self._event("content_part.done", **self._place(), content_index=0, part=self._part(text))
        told += self._event("output_item.done", output_index=0, item=self._item(text, "completed"))
        return told + self._event("completed", response=self.whole())

    def whole(self) -> Object:
        return self._response([self._item(self.saying.text, "completed")], "completed")

    def _item(self, text: str, status: str) -> Object:
        base = {"id": f"item_{self.id}", "status": status}
        if self.saying.tool:
            call = {"call_id": f"call_{self.id}", "name": self.saying.tool, "arguments": text}
            return {**base, "type": "function_call", **call}
        return {**base, "type": "message", "role": "assistant", "content": [self._part(text)] if text else []}

    def _part(self, text: str) -> Object:
        return {"type": "output_text", "text": text, "annotations": []}

    def _place(self) -> Object:
        return {"item_id": f"item_{self.id}", "output_index": 0}

    def _response(self, output: list[Object], status: str) -> Object:
        head = {"id": f"resp_{self.id}", "object": "response", "created_at": self.created, "status": status}
        rest = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        return {**head, "model": self.asked.model, "output": output, **rest, "usage": usage(self, "input", "output")}

    def _event(self, name: str, **fields: Any) -> bytes:
        type_ = f"response.{name}"
        return block({"type": type_, **fields}, type_)


def usage(answer: Chat | Responses, read: str, written: str) -> Object:
    """Tokens are words and pieces."""
    counts = {f"{read}_tokens": len(answer.asked.prompt.split()), f"{written}_tokens": len(answer.saying.pieces)}
    return {**counts, "total_tokens": sum(counts.values())}


def block(value: Object, event: str = "") -> bytes:
    return sse.encode(sse.SseEvent(event=event, data=dumps(value).decode()))
