"""Judges of A2A notifications: what each one says, held against the task's stream and against what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...expect import shown
from ...model import Violation
from ...protocols.a2a.updates import INTERRUPTED, TERMINAL, Update, read
from ...receiver import Delivery

MEMBERS = ("task", "message", "statusUpdate", "artifactUpdate")
"""The members of a StreamResponse, of which exactly one is there (1.0: 4.3.3)."""

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "task": ("id", "status.state"),
    "message": ("messageId", "role", "parts"),
    "statusUpdate": ("taskId", "contextId", "status.state"),
    "artifactUpdate": ("taskId", "contextId", "artifact.artifactId", "artifact.parts"),
}

_NAMES: Mapping[str, str] = {"status.state": "TASK_STATE_", "role": "ROLE_"}
"""How the values of enums begin in 1.0."""


def update(delivery: Delivery) -> Update:
    """What a notification says."""
    return read(delivery.payload, delivery.record, delivery.began)


def brief(said: Update) -> tuple[Any, ...]:
    """What the tellings of one event on a stream and to a webhook have in common."""
    return said.kind, said.state, *said.texts


def event(delivery: Delivery) -> tuple[Any, ...]:
    """What all attempts to deliver one event have in common, even where each was written anew."""
    said = update(delivery)
    return said.task_id, said.timestamp, *brief(said)


def states(deliveries: Iterable[Delivery]) -> list[str]:
    """Every state that was told, in order."""
    return [said.state for said in map(update, deliveries) if said.state]


def texts(deliveries: Iterable[Delivery]) -> list[str]:
    """The chunks of artifacts that were told as such, in order, repetitions included."""
    return [text for said in map(update, deliveries) if said.kind == "artifact" for text in said.texts]


# Shape


def misshapen(deliveries: Iterable[Delivery]) -> Violation | None:
    """1.0: every notification is a POST with a StreamResponse of exactly one member."""
    return _first(deliveries, "a POST with a StreamResponse that has exactly one member", _problem)


def _problem(delivery: Delivery) -> str:
    if delivery.verb != "POST":
        return f"a {delivery.verb}"
    body = delivery.payload if isinstance(delivery.payload, Mapping) else {}
    found = [name for name in MEMBERS if body.get(name) is not None]
    if len(found) != 1:
        return f"{', '.join(found) or 'none of them'} in {shown(delivery.payload)}"
    said = {path: _at(body[found[0]], path) for path in _NEEDED[found[0]]}
    if missing := [path for path, value in said.items() if not value]:
        return f"a {found[0]} without {', '.join(missing)}: {shown(body)}"
    strange = [f"{path} {value!r}" for path, value in said.items() if not str(value).startswith(_NAMES.get(path, ""))]
    return f"a {found[0]} with {', '.join(strange)}: {shown(body)}" if strange else ""


def no_task(deliveries: Iterable[Delivery]) -> Violation | None:
    """0.3: every notification is a POST with a Task."""
    return _first(deliveries, "a POST with a Task (kind task)", _problem_03)


def _problem_03(delivery: Delivery) -> str:
    body = delivery.payload if isinstance(delivery.payload, Mapping) else {}
    whole = body.get("kind") == "task" and all(_at(body, path) for path in ("id", "contextId", "status.state"))
    return "" if whole and delivery.verb == "POST" else f"{delivery.verb} {shown(delivery.payload)}"


def astray(deliveries: Iterable[Delivery], task: Update) -> Violation | None:
    """Every notification names the task, and its context where it names one."""

    def problem(delivery: Delivery) -> str:
        said = update(delivery)
        named = (said.task_id, said.context_id or task.context_id)
        return "" if named == (task.task_id, task.context_id) else f"it names {shown(list(named))}"

    return _first(deliveries, f"task {task.task_id} in context {task.context_id}", problem)


def _first(deliveries: Iterable[Delivery], expected: str, problem: Callable[[Delivery], str]) -> Violation | None:
    """The violation of the first delivery that has a problem."""
    found = ((delivery, problem(delivery)) for delivery in deliveries if delivery.whole)
    wrong = next(((delivery, text) for delivery, text in found if text), None)
    return Violation(expected, f"delivery {wrong[0].number}: {wrong[1]}", (wrong[0].record,)) if wrong else None


def _at(body: Any, path: str) -> Any:
    for name in path.split("."):
        body = body.get(name) if isinstance(body, Mapping) else None
    return body


# Order


def progress(delivery: Delivery) -> float | None:
    """How far the Task of a notification has come, in one turn: by its state, then by what its artifacts hold."""
    said = update(delivery)
    ranks = {"submitted": 0, "working": 1, **dict.fromkeys(INTERRUPTED, 2), **dict.fromkeys(TERMINAL, 3)}
    if said.kind != "task" or said.state not in ranks:
        return None
    return ranks[said.state] * 1e9 + sum(len(text) for text in said.texts)


def along(stream: Sequence[Update]) -> Callable[[Delivery], float | None]:
    """The place of a notification in the stream of its task; None for what was not there, or more than once."""
    names = [brief(said) for said in stream]

    def place(delivery: Delivery) -> float | None:
        name = brief(update(delivery))
        return names.index(name) if names.count(name) == 1 else None

    return place


def same_events(deliveries: Iterable[Delivery], stream: Iterable[Update]) -> Violation | None:
    """What was notified is what the stream showed, in its order; a Task that came first may be missing in either."""
    told = list(deliveries)
    notified = list(dict.fromkeys(brief(said) for said in map(update, told) if said.kind != "task"))
    streamed = list(dict.fromkeys(brief(said) for said in stream if said.kind != "task"))
    if notified == streamed:
        return None
    records = tuple(delivery.record for delivery in told[:20])
    return Violation(f"the events of the stream: {shown(streamed)}", shown(notified), records)


# Once


def too_often(deliveries: Iterable[Delivery], stream: Sequence[Update]) -> Violation | None:
    """No event was acknowledged more often than the stream showed it.

    The Tasks of 0.3 are no events, for two that follow each other closely may lead to equal ones: there it is no
    violation as long as there are not more deliveries than events.
    """
    received = [delivery for delivery in deliveries if delivery.acknowledged]
    names = [brief(said) for said in stream]
    for found in received:
        alike = [other for other in received if other.content == found.content]
        allowed = len(names) if _is_snapshot(found) else names.count(brief(update(found)))
        counted = len(received) if _is_snapshot(found) else len(alike)
        if len(alike) > 1 and counted > max(1, allowed):
            actual = f"{len(alike)} equal deliveries were acknowledged, beginning with {alike[0].number}"
            return Violation("each event is delivered once", actual, tuple(other.record for other in alike[:20]))
    return None


def _is_snapshot(delivery: Delivery) -> bool:
    return isinstance(delivery.payload, Mapping) and delivery.payload.get("kind") == "task"


# Agreement


def agrees(deliveries: Iterable[Delivery], stored: Update) -> Violation | None:
    """The last state and the artifacts that were told are those of the stored task."""
    told = [update(delivery) for delivery in told_once(deliveries)]
    last = next((said for said in reversed(told) if said.state), Update("", {}))
    chunks = [text for said in told if said.kind == "artifact" for text in said.texts]
    seen = (last.state, "".join(last.texts if last.kind == "task" else chunks))
    wanted = (stored.state, "".join(stored.texts))
    if seen == wanted:
        return None
    return Violation(f"as stored: {shown(list(wanted))}", shown(list(seen)), tuple(said.record for said in told[:20]))


def told_once(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """The first delivery of each content."""
    return list({delivery.content: delivery for delivery in reversed(list(deliveries))}.values())[::-1]
