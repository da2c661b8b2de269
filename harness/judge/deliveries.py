"""Judges of webhook deliveries: once, in order, with credentials, retried with patience, and to whom they belong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ..model import Violation
from ..receiver import Delivery

Name = Callable[[Delivery], Hashable]
"""What two deliveries of one event have in common."""


def content(delivery: Delivery) -> Hashable:
    """Byte-identical bodies are one event."""
    return delivery.content


def attempts(deliveries: Iterable[Delivery], name: Name = content) -> list[list[Delivery]]:
    """The deliveries of each event in their order. One whose body was not read as a whole cannot be told apart."""
    found: dict[Hashable, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        if delivery.whole:
            found[name(delivery)].append(delivery)
    return list(found.values())


def repetitions(deliveries: Iterable[Delivery], name: Name = content) -> Iterator[tuple[Delivery, Delivery]]:
    """An acknowledged attempt, and one of the same event after it: a duplicate. All other repetitions are retries."""
    for tries in attempts(deliveries, name):
        received = next((index for index, delivery in enumerate(tries) if delivery.acknowledged), len(tries))
        yield from ((tries[received], again) for again in tries[received + 1 :])


def duplicates(deliveries: Iterable[Delivery], name: Name = content) -> Violation | None:
    """No event is delivered again after it was acknowledged, or beside an attempt that is."""
    found = list(repetitions(deliveries, name))
    if not found:
        return None
    first, again = found[0]
    actual = (
        f"{len(found)} repetitions; delivery {again.number} repeats {first.number}, which was answered {first.code}"
    )
    return Violation("an acknowledged delivery is not repeated", actual, _records(*found))


def stopped_after_success(deliveries: Iterable[Delivery], name: Name = content) -> Violation | None:
    """An event that had to be retried is not sent again once an attempt was acknowledged."""
    retried = [tries for tries in attempts(deliveries, name) if not tries[0].acknowledged]
    return duplicates((delivery for tries in retried for delivery in tries), name)


def in_order(deliveries: Iterable[Delivery], position: Callable[[Delivery], float | None]) -> Violation | None:
    """No event comes first after a later one. `position` orders events; what has None is left out.

    A repetition keeps the place of the first attempt.
    """
    latest: tuple[float, Delivery] | None = None
    for first in (tries[0] for tries in attempts(deliveries)):
        place = position(first)
        if place is None:
            continue
        if latest and place < latest[0]:
            actual = f"delivery {first.number} belongs before {latest[1].number}"
            return Violation("deliveries come in the order of their events", actual, _records((latest[1], first)))
        latest = max(latest or (place, first), (place, first), key=lambda pair: pair[0])
    return None


def overlaps(deliveries: Sequence[Delivery]) -> list[tuple[Delivery, Delivery]]:
    """Neighbours of which the second came before the first was over."""
    return [(one, two) for one, two in pairwise(deliveries) if one.ended is None or two.began < one.ended]


def gaps(tries: Sequence[Delivery]) -> list[float]:
    """Seconds from the end of each attempt of an event to the beginning of the next.

    An attempt that was still open then counts from its beginning. Refused connections cannot be seen.
    """
    return [two.began - (one.began if one.ended is None else min(one.ended, two.began)) for one, two in pairwise(tries)]


def gaps_grow(deliveries: Iterable[Delivery], name: Name = content, factor: float = 1.2) -> Violation | None:
    """The last wait before a retry is longer than the first by a factor, for each event retried twice or more.

    Waits in between may be shorter than those before them: a sender may draw them at random.
    """
    for tries in attempts(deliveries, name):
        waits = gaps(_until_success(tries))
        if len(waits) > 1 and waits[-1] < factor * waits[0]:
            actual = "waits of " + ", ".join(f"{wait:.2f}" for wait in waits[:10]) + " s"
            return Violation("waits between retries grow", actual, _records(tries))
    return None


def _until_success(tries: Sequence[Delivery]) -> Sequence[Delivery]:
    received = next((index for index, delivery in enumerate(tries) if delivery.acknowledged), len(tries))
    return tries[: received + 1]


def nothing_after(deliveries: Iterable[Delivery], moment: float, what: str) -> Violation | None:
    """Nothing is delivered later than a moment; `what` names it: "the receiver answered 410"."""
    late = [delivery for delivery in deliveries if delivery.began > moment]
    if not late:
        return None
    return Violation(f"no delivery after {what}", f"{len(late)} deliveries after it", _records(late))


def carries(deliveries: Iterable[Delivery], header: str, value: str) -> Violation | None:
    """Every delivery has a header once, with this value. Values are not shown: they are credentials."""
    for delivery in deliveries:
        values = [found for name, found in delivery.headers if name.lower() == header.lower()]
        if values != [value]:
            actual = "another value" if len(values) == 1 else f"{len(values)} values" if values else "no such header"
            expected = f"{header} as it was configured"
            return Violation(expected, f"delivery {delivery.number}: {actual}", (delivery.record,))
    return None


def isolated(
    deliveries: Iterable[Delivery], ids: Collection[str], named: Callable[[Any], str | None] | None = None
) -> Violation | None:
    """No delivery names a task of another. `named` reads a payload; what names none is left out."""
    foreign = [delivery for delivery in deliveries if (named or task_id)(delivery.payload) not in (None, *ids)]
    if not foreign:
        return None
    actual = f"delivery {foreign[0].number} names {(named or task_id)(foreign[0].payload)!r:.80}"
    return Violation("a hook hears of its own tasks only", actual, _records(foreign))


def task_id(payload: Any) -> str | None:
    """The task that an A2A notification is about, in the shape of 0.3 (a Task) or 1.0 (a StreamResponse)."""
    if not isinstance(payload, dict):
        return None
    if isinstance(task := payload.get("task"), dict):
        return _text(task.get("id"))
    events = (payload.get(name) for name in ("statusUpdate", "artifactUpdate", "message"))
    event = next((event for event in events if isinstance(event, dict)), payload)
    return _text(event.get("taskId")) or (_text(payload.get("id")) if event is payload else None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _records(*groups: Iterable[Delivery]) -> tuple[int, ...]:
    return tuple(sorted({delivery.record for group in groups for delivery in group}))
