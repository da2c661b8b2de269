"""AG-UI: monitors of event streams, made from tables of rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from seatrial import Check, Histories, Judgement, Spoken, check
from seatrial.judge.agui import Rule, monitored


@dataclass(frozen=True, slots=True)
class Law:
    """A rule that every stream of a run is held to. `doc`: what is looked at. `requirements`: default the rule's id."""

    rule: Rule
    title: str
    doc: str
    mutants: tuple[str, ...]
    requirements: tuple[str, ...] = ()


TRAFFIC = ("agui.order.ids-echo",)
"""The check that plays every stimulus, so that there are streams to look at."""


def monitors(*laws: Law) -> tuple[Check, ...]:
    """A monitor for each law."""
    return tuple(_monitor(law) for law in laws)


def _monitor(law: Law) -> Check:
    declare = check(
        law.rule.value,
        law.title,
        requirements=law.requirements,
        mutants=law.mutants,
        monitor=True,
        traffic=TRAFFIC,
    )
    return declare(_body(law))


def _body(law: Law) -> Callable[[Histories, Spoken], Judgement]:
    def body(histories: Histories, spoken: Spoken) -> Judgement:
        return monitored(histories, spoken, {law.rule}, spoken.edition)

    body.__doc__ = law.doc
    return body
