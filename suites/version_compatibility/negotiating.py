"""A2A: requests under versions of every kind, and the other version that an agent speaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from seatrial import V03, V10, VERSION_HEADER, A2aLab, A2aSession, Feature, Outcome, Violation, interfaces
from seatrial.judge.a2a import refused
from seatrial.judge.a2a.dialect import foreign

from ..operations import harmless

NEEDED = {
    "SendStreamingMessage": Feature.STREAMING,
    "SubscribeToTask": Feature.STREAMING,
    "CreateTaskPushNotificationConfig": Feature.PUSH,
    "GetTaskPushNotificationConfig": Feature.PUSH,
    "ListTaskPushNotificationConfigs": Feature.PUSH,
    "DeleteTaskPushNotificationConfig": Feature.PUSH,
    "GetExtendedAgentCard": Feature.EXTENDED_CARD,
}
"""Operations that an agent may refuse for want of a capability, before it looks at anything else."""


async def under(session: A2aSession, version: str | None, operation: str = "GetTask") -> Outcome:
    """A harmless request in the shape of the session's version, under any version, or none."""
    return await session.call(operation, harmless(session)[operation], headers={VERSION_HEADER: version})


def declined(lab: A2aLab, outcome: Outcome, *, soft: bool = False) -> Violation | None:
    """The version was refused as such."""
    return refused(lab.spoken, outcome, "VersionNotSupported", soft=soft)


def served(lab: A2aLab, outcome: Outcome, *, soft: bool = False) -> Violation | None:
    """The version was taken: a task that does not exist was looked for."""
    return refused(lab.spoken, outcome, "TaskNotFound", soft=soft)


def undeclared(lab: A2aLab, versions: Iterable[str]) -> list[str]:
    """Those of some versions that the card does not declare."""
    declared = {version for version, _ in _declared(lab)}
    return [version for version in versions if version not in declared]


def operations(lab: A2aLab, session: A2aSession) -> list[str]:
    """Operations for which the agent declares what they need."""
    needs = ((name, NEEDED.get(name)) for name in harmless(session))
    return [name for name, need in needs if need is None or lab.declares(need)]


def speaks(lab: A2aLab, version: str) -> bool:
    """Does the agent declare this version over this binding too?"""
    return (version, lab.binding) in _declared(lab)


def _declared(lab: A2aLab) -> set[tuple[str, str]]:
    """Version and binding of every interface in the card, whether this run speaks them or not."""
    return {(interface.version, interface.binding) for interface in interfaces(lab.claimed["card"])}


def other(lab: A2aLab) -> str:
    """The other version. Raises NotApplicable where the agent does not speak it over this binding."""
    version = counterpart(lab)
    if not speaks(lab, version):
        lab.not_applicable(f"the card does not declare {version} over {lab.binding}", lab.claim_record)
    return version


def counterpart(lab: A2aLab) -> str:
    return V03 if lab.version == V10 else V10


def written(lab: A2aLab, value: Any, *records: int) -> Iterator[Violation]:
    """What in an answer is not written as this version writes it. Where 0.3 is spoken over HTTP+JSON in the form of
    its proto, nothing is: that form has the names of 1.0."""
    if lab.claimed.get("form") != "proto":
        expected = f"an object as {lab.version} writes it"
        yield from (Violation(expected, actual, records) for actual in foreign(value, lab.version))
