"""Judges of who may speak at all: requests of the server, cancellations, and what needs a capability."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..claims import Spoken
from ..model import Violation
from .operations import Histories, untouched
from .traffic import Heard, Judgement, asked, heard, key, mapping

LISTEN = "subscriptions/listen"

LIST_CHANGED = {f"notifications/{kind}/list_changed": kind for kind in ("tools", "resources", "prompts")}


def _unasked(message: Heard, expected: str) -> Violation:
    return Violation(expected, f"{message.payload.get('method')!r:.80} was sent", (message.record,))


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
