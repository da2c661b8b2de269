"""How much of the catalogue can be judged on a target as it is configured, and what the rest lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ...claims import Claims
from ...config import TargetConfig
from ...model import Case, Feature, Reason, Role, Suite
from ...planning import Equipment, plan, played_by
from ...stimuli import Stimulus

_GIVEN = (Reason.NO_STIMULUS, Reason.NO_WITNESS, Reason.NO_IDENTITIES, Reason.NO_PROCESS, Reason.NO_REPLICAS)
"""What the owner of a target can do something about."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Ids of checks. `applicable`: the target claims what they are about. `judged`: nothing is missing in at least one
    column. `needed`: by what is needed; `lacking`: by what is missing."""

    applicable: frozenset[str]
    judged: frozenset[str]
    needed: Mapping[Role, frozenset[str]]
    lacking: Mapping[Role | Feature, frozenset[str]]


def coverage(
    suites: Sequence[Suite], claims: Claims, target: TargetConfig, stimuli: Mapping[str, Stimulus]
) -> Coverage:
    """What can be judged with these stimuli."""
    doubled = target.spawned or bool(target.replicas)
    equipment = Equipment(stimuli, len(target.identities), target.spawned, doubled)
    columns = tuple(claims.columns("none"))
    cases = plan(target.name, suites, claims, equipment, columns=columns)
    fitting = [case for case in cases if case.exclusion is None or case.exclusion.reason in _GIVEN]
    judged = frozenset(case.check.id for case in fitting if case.exclusion is None)
    waiting = [case for case in fitting if case.check.id not in judged]
    return Coverage(
        frozenset(case.check.id for case in fitting),
        judged,
        _by((role, case) for case in fitting for role in _roles(case)),
        _by((lack, case) for case in waiting for lack in _lacks(case, equipment)),
    )


Need = TypeVar("Need", bound=Role | Feature)


def _by(pairs: Iterable[tuple[Need, Case]]) -> dict[Need, frozenset[str]]:
    found: dict[Need, set[str]] = {}
    for need, case in pairs:
        found.setdefault(need, set()).add(case.check.id)
    return {need: frozenset(checks) for need, checks in found.items()}


def _roles(case: Case) -> Iterator[Role]:
    return (need for need in case.check.needs if isinstance(need, Role))


def _lacks(case: Case, equipment: Equipment) -> Iterator[Role | Feature]:
    yield from (role for role in _roles(case) if not played_by(role, case.column.binding, equipment.stimuli))
    given = {
        Feature.IDENTITIES: equipment.identities > 1,
        Feature.PROCESS: equipment.spawnable,
        Feature.REPLICAS: equipment.replicas,
    }
    yield from (feature for feature, there in given.items() if feature in case.check.needs and not there)
