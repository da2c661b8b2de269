"""A plan under which a target failed: a named value that a team commits, and the check that it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from ..faults import Fault
from ..model import Check, Column, Isolation, Level, Requirement, Role, Suite
from ..registry import check
from .course import course_of

SUITE = "regressions"
NAMED = 60
"""Characters of a name at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """One play of a stimulus through faults. `invariant` is what did not hold, `failed` how often: "3 of 3"."""

    name: str
    target: str
    protocol: str
    stimulus: Role
    version: str
    binding: str
    plan: tuple[Fault, ...] = ()
    invariant: str = ""
    failed: str = ""
    found: date | None = None

    @property
    def id(self) -> str:
        return f"regression.{self.name}"

    @property
    def faults(self) -> str:
        """The plan in one line."""
        return "; ".join(map(str, self.plan))

    @property
    def column(self) -> Column:
        return Column(self.version, self.binding)

    @property
    def row(self) -> Requirement:
        """What it demands: no sentence of a specification, but what held before and is to hold again."""
        found = f"seatrial explore, {self.found}" if self.found else "seatrial explore"
        return Requirement(
            id=self.id,
            suite=SUITE,
            protocol=self.protocol,
            level=Level.MUST,
            versions=(self.version,),
            bindings=(self.binding,),
            spec=found,
            title=self.title,
            expected=self.invariant,
        )

    @property
    def title(self) -> str:
        return f"Everything comes once, in order, through {self.faults or 'no faults'}"

    @property
    def check(self) -> Check:
        course = course_of(self.protocol)

        async def body(lab: Any) -> None:
            await course.body(lab, self.stimulus, self.plan)

        body.__doc__ = course.body.__doc__
        made = check(
            self.id,
            self.title,
            needs={self.stimulus},
            faults=[fault.name for fault in self.plan],
            isolation=Isolation.SESSION,
        )(body)
        return replace(made, targets=(self.target,))


def suite_of(regressions: Iterable[Regression]) -> Suite:
    """Each of them is a check with a requirement of its own."""
    every = tuple(regressions)
    return Suite(SUITE, tuple(each.check for each in every), tuple(each.row for each in every))


def name_of(plan: Iterable[Fault], taken: Collection[str] = ()) -> str:
    """A name that tells the plan, and that none of the others has."""
    told = re.sub(r"[^a-z0-9]+", "-", "; ".join(map(str, plan)).lower()).strip("-")[:NAMED].strip("-")
    names = (told, *(f"{told}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)
