"""What is explored: one stimulus in one column, found by playing it in peace wherever the target can."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model import Role, Verdict
from ..planning import played_by
from ..protocols import driver_of, names
from ..target import Target
from .course import course_of, courses
from .draws import Extent
from .regression import Regression
from .search import Played, Unplayable, extent

NAME = "explored"


def candidates(
    target: Target, role: Role | None = None, versions: Sequence[str] = (), bindings: Sequence[str] = ()
) -> Iterator[Regression]:
    """The stimulus, or the best one that the target has, in each column that may be asked for; newest ones first."""
    for protocol in (target.protocol,) if target.protocol else names(target.listens):
        driver = driver_of(protocol)
        known = [version for version in driver.versions if version in (versions or target.versions or driver.versions)]
        for version in reversed(known) if protocol in courses() else ():
            for binding in target.bindings or driver.bindings(target.listens):
                if not bindings or binding in bindings:
                    yield Regression(
                        name=f"{NAME}-{version}-{binding}",
                        target=target.name,
                        protocol=protocol,
                        stimulus=role or _best(target, protocol, binding),
                        version=version,
                        binding=binding,
                    )


def _best(target: Target, protocol: str, binding: str) -> Role:
    roles = course_of(protocol).roles
    return next((role for role in roles if played_by(role, binding, target.stimuli)), roles[0])


def chosen(found: Sequence[tuple[Regression, Played]]) -> tuple[Regression, Extent]:
    """The first of these in which all went well, one whose events have ids if there is any: it can be resumed.

    Raises Unplayable.
    """
    well = [(each, extent(played.lines, played.result.case.id)) for each, played in found if _well(played)]
    if not well:
        raise Unplayable(_reason([played for _, played in found]))
    return next((pair for pair in well if pair[1].resumable), well[0])


def _well(played: Played) -> bool:
    return played.result.verdict is Verdict.PASS


def _reason(found: Sequence[Played]) -> str:
    """Why nothing could be played: what fails without any fault comes before what could not be judged."""
    for played in found:
        if played.broken:
            place = played.result.case.column
            return f"it fails without any fault [{place}]: {played.broken.expected}; {played.broken.actual}"
    told = dict.fromkeys(played.result.detail or played.result.verdict.value for played in found)
    return "; ".join(told) or "the target speaks nothing that can be explored"
