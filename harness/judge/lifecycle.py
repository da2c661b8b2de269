"""Judges of who may speak when: before initialization, after an end, and without a capability."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..claims import Spoken
from ..model import Violation
from ..protocols.outcome import Message
from ..transcript import Record
from .operations import Histories, untouched
from .traffic import Heard, Judgement, asked, heard, key, mapping

BEFORE_INITIALIZED = frozenset({"ping", "notifications/message"})
"""What a server may send before it knows that the client is ready (basic/lifecycle#initialization)."""

LISTEN = "subscriptions/listen"

LIST_CHANGED = {f"notifications/{kind}/list_changed": kind for kind in ("tools", "resources", "prompts")}


def silent_before_initialized(history: Sequence[Record], version: str) -> Judgement:
    """Until the client says `notifications/initialized` nothing is sent but pings, log messages and answers.

    `seen` counts the sessions and connections with an initialize request; one in which several clients
    initialize under one name is not judged.
    """
    begun = _numbers(history, "initialize")
    ready = _numbers(history, "notifications/initialized")
    scopes = {scope for scope, numbers in begun.items() if len(numbers) == 1 and len(ready.get(scope, ())) <= 1}
    early = [
        message
        for message in heard(history, version)
        if message.scope in scopes and _pushes(message) and message.record < min(ready.get(message.scope, [1 << 62]))
    ]
    found = [_unasked(message, "before notifications/initialized only pings and log messages") for message in early]
    return Judgement(len(scopes), tuple(found))


def _numbers(history: Sequence[Record], method: str) -> dict[str, list[int]]:
    """The records in which the client sent a method, by scope."""
    found: dict[str, list[int]] = {}
    for message in asked(history):
        if message.payload.get("method") == method:
            found.setdefault(message.scope, []).append(message.record)
    return found


def _pushes(message: Heard) -> bool:
    return isinstance(message.payload, dict) and str(message.payload.get("method", "ping")) not in BEFORE_INITIALIZED


def _unasked(message: Heard, expected: str) -> Violation:
    return Violation(expected, f"{message.payload.get('method')!r:.80} was sent", (message.record,))


def silent_after(messages: Sequence[Message], record: int, expected: str) -> Violation | None:
    """Nothing was heard after a record, for instance after the end of a session or a cancellation."""
    late = tuple(message.record for message in messages if message.record > record)
    return Violation(expected, f"{len(late)} messages afterwards", (record, *late)) if late else None


def no_server_requests(histories: Histories, spoken: Spoken) -> Judgement:
    """The target sends no request in a modern exchange. `seen` counts its messages there."""
    messages = list(_of_version(histories, spoken))
    requests = [m for m in messages if isinstance(m.payload, dict) and {"method", "id"} <= m.payload.keys()]
    return Judgement(len(messages), tuple(_unasked(message, "the server sends no requests") for message in requests))


def cancels_subscriptions_only(histories: Histories, spoken: Spoken) -> Judgement:
    """The target cancels requests for subscriptions only, in a modern exchange. `seen` counts its messages there."""
    seen = 0
    found: list[Violation] = []
    for history in untouched(histories):
        listening = {key(a.payload.get("id")) for a in asked(history) if a.payload.get("method") == LISTEN}
        messages = [m for m in heard(history, spoken.version) if m.version == spoken.version]
        seen += len(messages)
        ended = [m for m in messages if mapping(m.payload).get("method") == "notifications/cancelled"]
        found += [
            Violation("notifications/cancelled for a subscription only", f"for request {named!r:.80}", (m.record,))
            for m in ended
            if key(named := mapping(m.payload, "params").get("requestId")) not in listening
        ]
    return Judgement(seen, tuple(found))


def undeclared_logging_silent(histories: Histories, spoken: Spoken) -> Judgement:
    """Without the logging capability no log message. `seen` counts the messages of a target that was asked."""
    return _undeclared(histories, spoken, {"notifications/message": ("logging",)})


def undeclared_listchanged_silent(histories: Histories, spoken: Spoken) -> Judgement:
    """For a kind without listChanged no list_changed notification. `seen` as in undeclared_logging_silent."""
    return _undeclared(histories, spoken, {method: (kind, "listChanged") for method, kind in LIST_CHANGED.items()})


def declared(messages: Iterable[Heard]) -> list[Mapping[str, Any]]:
    """The capabilities of every initialize and discover result."""
    methods = ("initialize", "server/discover")
    return [
        mapping(message.result, "capabilities")
        for message in messages
        if message.request and message.request.payload.get("method") in methods and "capabilities" in message.result
    ]


def _undeclared(histories: Histories, spoken: Spoken, needs: Mapping[str, tuple[str, ...]]) -> Judgement:
    """What the server declared when it was asked for its claims, or in any exchange: a doubt is no finding."""
    messages = list(_of_version(histories, spoken))
    capabilities = [*declared(messages), *filter(None, [mapping(spoken.server, "capabilities")])]
    if not capabilities and "capabilities" not in spoken.server:
        return Judgement(0)
    silent = {method for method, path in needs.items() if not any(_has(each, path) for each in capabilities)}
    declaration = (spoken.record,) if spoken.record else ()
    return Judgement(len(messages), tuple(_broken_silence(messages, silent, needs, declaration)))


def _broken_silence(
    messages: Iterable[Heard],
    silent: Collection[str],
    needs: Mapping[str, tuple[str, ...]],
    declaration: tuple[int, ...],
) -> Iterator[Violation]:
    """`declaration` is the record that shows that the capability is absent."""
    for message in messages:
        method = message.payload.get("method") if isinstance(message.payload, dict) else None
        if isinstance(method, str) and method in silent:
            expected = f"no {method} without the capability {'.'.join(needs[method])}"
            yield Violation(expected, "it was sent", (*declaration, message.record))


def _has(capabilities: Mapping[str, Any], path: Sequence[str]) -> bool:
    value: Any = capabilities
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None and value is not False


def _of_version(histories: Histories, spoken: Spoken) -> Iterator[Heard]:
    for history in untouched(histories):
        yield from (message for message in heard(history, spoken.version) if message.version == spoken.version)
