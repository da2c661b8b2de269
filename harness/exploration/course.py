"""How a protocol is played through faults that no check has thought of. Each protocol brings a course of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from ..faults import Fault
from ..model import Column, Role

GROUP = "seatrial.courses"
"""Entry points by protocol: what gives a Course."""


@dataclass(frozen=True, slots=True)
class Course:
    """`roles` are the stimuli that can be played, the best first. `exchanges` gives, for the method of a stimulus and
    a column, what faults may select by `on`. `body` plays a role through faults, recovers as the protocol tells a
    client to, and judges by the invariants: exactly once, in order, one end, nothing after it, still healthy."""

    roles: tuple[Role, ...]
    exchanges: Callable[[str, Column], tuple[str, ...]]
    body: Callable[[Any, Role, Sequence[Fault]], Awaitable[None]]


def courses() -> tuple[str, ...]:
    """The protocols that have a course."""
    return tuple(sorted(point.name for point in entry_points(group=GROUP)))


def course_of(protocol: str) -> Course:
    """The course of a protocol that has one."""
    (point,) = entry_points(group=GROUP, name=protocol)
    found: Course = point.load()()
    return found
