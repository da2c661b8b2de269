"""Select x expand: which cases there are, in which order, and why some cannot be run. Pure."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .claims import Claims, Spoken
from .faults import Fault, mount_for
from .keyword import keyword
from .model import Case, Check, Column, Exclusion, Feature, Harm, Level, Reason, Requirement, Role, Suite
from .stimuli import Stimulus, choose


@dataclass(frozen=True, slots=True)
class Selection:
    """Which checks are wanted. Empty fields select everything. `level`: this one and the stronger ones.

    `checks` and `requirements` are patterns of ids, `keyword` is an expression of `-k`. `cases` are ids: of all that
    the other fields select, these alone are run.
    """

    suites: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    keyword: str = ""
    level: Level | None = None
    requirements: tuple[str, ...] = ()
    cases: frozenset[str] = frozenset()

    def wants(self, suite: str, check: Check, rows: Iterable[Requirement]) -> bool:
        """Is a check wanted, whose requirements are `rows`? Raises KeywordError."""
        protocols = " ".join(sorted({row.protocol for row in rows}))
        return (
            (not self.suites or suite in self.suites)
            and _named(self.checks, (check.id,))
            and keyword(self.keyword)(f"{suite} {check.id} {check.title} {protocols}")
            and _named(self.requirements, check.requirements)
        )

    def admits(self, rows: Sequence[Requirement]) -> bool:
        return self.level is None or any(row.level.rank <= self.level.rank for row in rows)


def _named(patterns: Sequence[str], ids: Iterable[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(id, pattern) for id in ids for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a run, the first has `index` 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def share(self, cases: Sequence[Case]) -> tuple[Case, ...]:
        """Its part of the cases, in their order. They are dealt out, patient ones first; a monitor is in every part."""
        dealt = sorted((case for case in cases if not case.check.monitor), key=_burden)
        mine = {case.id for case in dealt[self.index - 1 :: self.count]}
        return tuple(case for case in cases if case.check.monitor or case.id in mine)


def _burden(case: Case) -> tuple[bool, float]:
    """What costs most comes first."""
    return case.exclusion is not None, -case.check.patience


@dataclass(frozen=True, slots=True)
class Equipment:
    """What the user gave beside the target itself: decides what can be judged."""

    stimuli: Mapping[str, Stimulus]
    identities: int = 0
    spawnable: bool = False
    replicas: bool = False
    barred: Mapping[str, Stimulus] = field(default_factory=dict)
    """Stimuli that are configured, but not played: they may have effects."""
    gentle: bool = False
    """Nothing may disturb the target."""
    malign: tuple[Fault, ...] = ()
    """Faults that surround every case."""


def plan(
    target: str,
    suites: Iterable[Suite],
    claims: Claims,
    equipment: Equipment,
    selection: Selection | None = None,
    columns: Sequence[Column] = (),
) -> tuple[Case, ...]:
    """Every case of the wanted checks in the given columns, ordered by suite, check and column."""
    wanted = selection or Selection()
    known = tuple(suites)
    chosen = _chosen(known, wanted)
    found: list[Case] = []
    for suite in known:
        table = {row.id: row for row in suite.requirements}
        for check in suite.checks:
            if check.id in chosen and (not check.targets or target in check.targets):
                found += _cases(target, check, table, columns, claims, equipment, wanted)
    return tuple(case for case in found if not wanted.cases or case.id in wanted.cases)


def _chosen(suites: Sequence[Suite], wanted: Selection) -> frozenset[str]:
    """The ids of the checks that are wanted, and of those that a wanted monitor watches."""
    rows = {row.id: row for suite in suites for row in suite.requirements}
    chosen = [
        check
        for suite in suites
        for check in suite.checks
        if wanted.wants(suite.name, check, (rows[name] for name in check.requirements))
    ]
    return frozenset(id for check in chosen for id in (check.id, *check.traffic))


def _cases(
    target: str,
    check: Check,
    table: Mapping[str, Requirement],
    columns: Sequence[Column],
    claims: Claims,
    equipment: Equipment,
    selection: Selection,
) -> Iterator[Case]:
    rows = [table[requirement] for requirement in check.requirements]
    for column in columns:
        edition = claims.edition(column)
        holding = tuple(row for row in rows if row.holds(edition, column.binding))
        if holding and selection.admits(holding):
            yield Case(target, check, column, holding, exclusion(check, column, claims, equipment))


def exclusion(check: Check, column: Column, claims: Claims, equipment: Equipment) -> Exclusion | None:
    """The first reason why this check cannot be judged in this column; absence in the target comes first."""
    spoken = claims.find(column.version, column.binding)
    if spoken is None:
        shown = claims.refused.get((column.version, column.binding), 0)
        text = f"the target does not speak {column.version} over {column.binding}"
        return Exclusion(Reason.VERSION_NOT_CLAIMED, text, (shown,) if shown else ())
    features = sorted(need for need in check.needs if isinstance(need, Feature))
    roles = sorted(need for need in check.needs if isinstance(need, Role))
    absent = (_absent(feature, spoken) for feature in features)
    missing = (_missing(feature, equipment) for feature in features)
    unplayable = (_unplayable(role, column.binding, equipment) for role in roles)
    surrounded = _surrounded(column, equipment)
    return next(filter(None, (*absent, _harmful(check, equipment), surrounded, *missing, *unplayable)), None)


def _harmful(check: Check, equipment: Equipment) -> Exclusion | None:
    if check.harm is Harm.NONE or not equipment.gentle:
        return None
    return Exclusion(Reason.UNSAFE, f"it {check.harm.value}, which safe mode does not")


def _surrounded(column: Column, equipment: Equipment) -> Exclusion | None:
    """Why nothing can be judged amid the faults that are to surround it."""
    lost = (fault for fault in equipment.malign if mount_for(fault, column.binding) is None)
    return next(
        (Exclusion(Reason.FAULT_NOT_MOUNTABLE, f"{f} cannot be mounted on {column.binding}") for f in lost), None
    )


_GIVEN = {Feature.IDENTITIES, Feature.PROCESS, Feature.REPLICAS}


def _absent(feature: Feature, spoken: Spoken) -> Exclusion | None:
    if feature in _GIVEN or spoken.declares(feature):
        return None
    if feature is Feature.SESSIONS:
        return Exclusion(Reason.FEATURE_ABSENT, "the server issues no session id", (spoken.record,))
    return Exclusion(Reason.CAPABILITY_ABSENT, f"the server does not declare {feature.value}", (spoken.record,))


def _missing(feature: Feature, equipment: Equipment) -> Exclusion | None:
    given = {
        Feature.IDENTITIES: (
            equipment.identities > 1,
            Reason.NO_IDENTITIES,
            "needs two identities in the configuration",
        ),
        Feature.PROCESS: (
            equipment.spawnable,
            Reason.NO_PROCESS,
            "needs a target that Seatrial starts itself (a command)",
        ),
        Feature.REPLICAS: (equipment.replicas, Reason.NO_REPLICAS, "needs a command to start twice, or replicas"),
    }
    if feature not in given or given[feature][0]:
        return None
    return Exclusion(given[feature][1], given[feature][2])


FALLBACKS: Mapping[Role, tuple[Role, ...]] = {
    Role.QUICK: (Role.QUICK, Role.ECHO, Role.CALL),
    Role.CALL: (Role.CALL, Role.QUICK, Role.ECHO),
    Role.PROGRESS: (Role.PROGRESS, Role.SLOW),
}
"""Which other role may play one, in order of preference."""


def played_by(role: Role, binding: str, stimuli: Mapping[str, Stimulus]) -> Stimulus | None:
    """The stimulus that plays a role on a binding, its own or a fallback's; None when nothing does."""
    for name in FALLBACKS.get(role, (role,)):
        found = choose(stimuli, name, binding)
        if found and (role is not Role.PROGRESS or found.progress):
            return found
    return None


def barred_text(role: Role, stimulus: Stimulus) -> str:
    """Why safe mode does not play a role."""
    return f"the role {role.value} is played by {stimulus.name!r:.60}, which may have effects"


def _unplayable(role: Role, binding: str, equipment: Equipment) -> Exclusion | None:
    if played_by(role, binding, equipment.stimuli):
        return None
    if barred := played_by(role, binding, equipment.barred):
        return Exclusion(Reason.UNSAFE, barred_text(role, barred))
    if role is Role.WITNESS:
        return Exclusion(Reason.NO_WITNESS, "no witness is configured: without one effects cannot be proved")
    return Exclusion(Reason.NO_STIMULUS, f"no stimulus is configured for the role {role.value}")
