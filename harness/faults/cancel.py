"""Faults of cancellation: twice, at a bad moment, or answered too late."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..wire import jsonrpc
from ..wire.json import dumps
from ..wire.lines import LineDecoder
from ..wire.sse import SseDecoder
from .exchange import Exchange, Forward, HttpAnswer, HttpRequest, Rewritten
from .fault import Armed, Fault, FaultError, Mount
from .members import Path, found, read
from .message import MessageFault
from .stage import Action, Direction, Flow, Framing, Gap, Headers, Stage
from .trigger import Connect, Eof, Events

CANCELS = frozenset({"notifications/cancelled", "tasks/cancel", "CancelTask"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleCancel(MessageFault):
    """What the client says to cancel is said `count` times."""

    name: ClassVar[str] = "double_cancel"
    count: int = 2

    def changed(self, text: bytes) -> bytes | None:
        return text if (read(text) or {}).get("method") in CANCELS else None

    def request(self, request: HttpRequest) -> HttpRequest | None:
        plain = request.verb == "POST" and request.target.partition("?")[0].endswith(":cancel")
        return request if plain or self.changed(request.body) else None

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.fire(f"{exchange.name}, sent {self.count} times"):
            for _ in range(self.count - 1):
                await exchange.swallow()
        await forward()

    def written(self, text: bytes) -> Iterator[Action]:
        yield (text + b"\n") * self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class LateAnswer(MessageFault):
    """What the client answers to a request of the target is sent so many seconds later, cancelled meanwhile or not.

    On a pipe all that the client writes behind it waits with it.
    """

    name: ClassVar[str] = "late_answer"
    delay: float = 1.0

    def changed(self, text: bytes) -> bytes | None:
        value = read(text) or {}
        return text if "jsonrpc" in value and {"result", "error"} & value.keys() else None

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if armed.fire(f"{exchange.name}, {self.delay} s late"):
            await exchange.perform(Gap(self.delay))
        await forward()

    def written(self, text: bytes) -> Iterator[Action]:
        yield Gap(self.delay)
        yield text + b"\n"


SENDS = {
    "message/send": "tasks/cancel",
    "message/stream": "tasks/cancel",
    "SendMessage": "CancelTask",
    "SendStreamingMessage": "CancelTask",
}
"""What starts a task, and what cancels it."""
TASKS: tuple[Path, ...] = (
    ("taskId",),
    ("task", "id"),
    ("statusUpdate", "taskId"),
    ("artifactUpdate", "taskId"),
    ("id",),
)
"""Where an answer names its task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRace(Fault):
    """A call is cancelled in the client's name `offset` seconds after a moment of it: connect (it has only just been
    sent), events(n), or eof (its answer is over).

    A task is cancelled by the id that its answer named so far. On a pipe the cancellation is written right behind the
    call.
    """

    name: ClassVar[str] = "cancel_race"
    mounts: ClassVar[frozenset[Mount]] = frozenset({Mount.RELAY, Mount.PIPE})
    offset: float = 0.0

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not isinstance(self.after, Connect | Events | Eof):
            raise FaultError("cancel_race: after is connect, events(n) or eof")

    def concerns(self, request: HttpRequest) -> bool:
        return request.matches(self.on) and cancellation(request, "any") is not None

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        if isinstance(self.after, Connect):
            known = found(read(exchange.request.body), ("params", "message", "taskId"))
            self.race(armed, exchange, known)
        await forward()

    def on_answer(self, armed: Armed, exchange: Exchange, answer: HttpAnswer) -> Rewritten | None:
        return None if isinstance(self.after, Connect) else Rewritten(answer, _Racing(armed, exchange, answer, self))

    def race(self, armed: Armed, exchange: Exchange, task: str | None) -> None:
        cancel = cancellation(exchange.request, task)
        if cancel and armed.fire(f"{exchange.name}, cancelled after {self.after}"):
            exchange.send_beside(cancel, self.offset)

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        mine = flow.framing is Framing.LINES and flow.direction is Direction.UP
        return _Behind(armed, flow, self) if mine else None


def cancellation(request: HttpRequest, task: str | None) -> HttpRequest | None:
    """What cancels a call, or the task that it started. None for what cannot be cancelled so."""
    path = request.target.partition("?")[0]
    for verb in (":send", ":stream"):
        if task and path.endswith("/message" + verb):
            return replace(request, target=f"{path.removesuffix('/message' + verb)}/tasks/{task}:cancel", body=b"{}")
    cancel = cancelling(read(request.body) or {}, task)
    return (
        replace(request, headers=_mirroring(request.headers, cancel["method"]), body=dumps(cancel)) if cancel else None
    )


def cancelling(call: Mapping[str, Any], task: str | None) -> dict[str, Any] | None:
    """The message that cancels a call."""
    method, id = call.get("method"), call.get("id")
    if id is None or not isinstance(method, str) or method in CANCELS or method == "initialize":
        return None
    if method in SENDS:
        return jsonrpc.request(f"cancel-{id}", SENDS[method], {"id": task}) if task else None
    return jsonrpc.notification("notifications/cancelled", {"requestId": id})


def _mirroring(headers: Headers, method: str) -> Headers:
    """Headers of a call as those of another one: some versions of MCP repeat the method there."""
    kept = (pair for pair in headers if pair[0].lower() != "mcp-name")
    return tuple((name, method if name.lower() == "mcp-method" else value) for name, value in kept)


class _Racing(Stage):
    """Looks for the task in the answer, and cancels at the trigger."""

    def __init__(self, armed: Armed, exchange: Exchange, answer: HttpAnswer, fault: CancelRace) -> None:
        self._armed, self._exchange, self._fault = armed, exchange, fault
        self._counter = fault.after.counter(answer.framing)
        self._decoder = SseDecoder() if answer.framing is Framing.SSE else None
        self._body = bytearray()
        self._task: str | None = None

    def feed(self, data: bytes) -> Iterator[Action]:
        offset = self._counter.feed(data)
        self._look(data)
        yield data if offset is None else data[:offset]
        if offset is not None:
            self._fault.race(self._armed, self._exchange, self._task)
            yield data[offset:]

    def eof(self) -> Iterator[Action]:
        if self._counter.eof():
            self._task = self._task or _task_in(bytes(self._body))
            self._fault.race(self._armed, self._exchange, self._task)
        yield from ()

    def _look(self, data: bytes) -> None:
        if self._decoder is None:
            self._body += data[: BODY_LIMIT - len(self._body)]
        elif self._task is None:
            tasks = (_task_in((event.data or "").encode()) for event in self._decoder.feed(data))
            self._task = next(filter(None, tasks), None)


BODY_LIMIT = 1024 * 1024
"""Bytes of an answer in which its task is looked for."""


def _task_in(text: bytes) -> str | None:
    value = read(text) or {}
    result = value.get("result", value)
    named = (found(result, path) for path in TASKS)
    return next((name for name in named if isinstance(name, str)), None)


class _Behind(Stage):
    def __init__(self, armed: Armed, flow: Flow, fault: CancelRace) -> None:
        self._armed, self._flow, self._fault = armed, flow, fault
        self._decoder = LineDecoder()

    def feed(self, data: bytes) -> Iterator[Action]:
        for line in self._decoder.feed(data):
            yield line + b"\n"
            cancel = cancelling(read(line) or {}, None)
            if cancel and self._armed.fire(f"{self._flow.name}, cancelled after {self._fault.after}"):
                yield Gap(self._fault.offset)
                yield dumps(cancel) + b"\n"

    def eof(self) -> Iterator[Action]:
        yield self._decoder.close()
