"""A2A: the version of a request: its header, its absence, and every version that is not served."""

from __future__ import annotations

from seatrial import (
    V03,
    V10,
    VERSION_HEADER,
    A2aLab,
    Answer,
    Feature,
    Isolation,
    Outcome,
    Refusal,
    Role,
    Violation,
    check,
    expect,
)
from seatrial.judge.a2a.dialect import foreign

from .negotiating import declined, operations, served, speaks, undeclared, under, written

INTERNAL = -32603
UNREADABLE = frozenset({-32009, -32600, -32602, -32700})
"""Errors with which a version that cannot be read may be refused."""

LISTED = "1.0, 0.3"
GARBAGE = ("abc", "1.0\u00e9", "9" * 4000, LISTED)
"""A list is what two headers make together: it is judged softly."""


@check(
    "a2a.ver.header-exact",
    "A request for version 1.0 is processed as 1.0",
    needs={Role.ECHO},
    mutants=("negotiation.answers-in-03",),
)
async def version_1_is_spoken(lab: A2aLab) -> None:
    """A message with A2A-Version 1.0: its answer has the members and the names of 1.0."""
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as session:
        outcome = await session.perform(play, headers={VERSION_HEADER: V10})
    lab.require(expect.answered(outcome, "a message with A2A-Version 1.0 is answered"))
    result = lab.need(outcome).members
    one = sum(name in result for name in ("task", "message")) == 1
    lab.expect(expect.that(one, "either a task or a message", outcome, outcome))
    lab.expect(written(lab, result, *outcome.records))


# No version


async def unversioned(lab: A2aLab, value: str | None) -> Violation | None:
    """A message of 1.0 under no version, or an empty one: never answered as in 1.0."""
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as session:
        outcome = await session.perform(play, headers={VERSION_HEADER: value})
    return as_03(lab, outcome)


def as_03(lab: A2aLab, outcome: Outcome) -> Violation | None:
    """Where 0.3 is not served it is refused; else its semantics hold, which know neither method nor path of 1.0."""
    if not speaks(lab, V03):
        return declined(lab, outcome)
    if isinstance(outcome, Answer):
        older = not list(foreign(outcome.result, V03))
        return expect.that(older, "no answer in the shape of 1.0", outcome, outcome)
    clear = isinstance(outcome, Refusal) and outcome.code != INTERNAL and (outcome.reply.status or 0) < 500
    return expect.that(clear, "what 0.3 says to a request of 1.0", outcome, outcome)


@check(
    "a2a.ver.header-missing-is-03",
    "A request without a version counts as 0.3",
    needs={Role.ECHO},
    mutants=("negotiation.missing-is-newest",),
)
async def missing_version_is_03(lab: A2aLab) -> None:
    """A message of 1.0 without A2A-Version."""
    lab.expect(await unversioned(lab, None))


@check(
    "a2a.ver.header-empty-is-03",
    "An empty version counts as 0.3",
    needs={Role.ECHO},
    mutants=("negotiation.missing-is-newest", "negotiation.empty-is-newest"),
)
async def empty_version_is_03(lab: A2aLab) -> None:
    """A message of 1.0 with an empty A2A-Version."""
    lab.expect(await unversioned(lab, ""))


# Versions that are not served


@check(
    "a2a.ver.unsupported-major",
    "An unsupported major version is refused",
    mutants=("negotiation.newest-for-unknown",),
)
async def other_majors_are_refused(lab: A2aLab) -> None:
    """Requests under 2.0 and 99.0: a task is read, a message is sent."""
    async with lab.session() as session:
        for version in undeclared(lab, ("2.0", "99.0")):
            for operation in ("GetTask", "SendMessage"):
                lab.expect(declined(lab, await under(session, version, operation)))


@check(
    "a2a.ver.unsupported-minor",
    "An unsupported minor version is refused",
    mutants=("negotiation.major-only",),
)
async def other_minors_are_refused(lab: A2aLab) -> None:
    """Requests under 1.5 and 0.5: a task is read, a message is sent."""
    async with lab.session() as session:
        for version in undeclared(lab, ("1.5", "0.5")):
            for operation in ("GetTask", "SendMessage"):
                lab.expect(declined(lab, await under(session, version, operation)))


@check(
    "a2a.ver.patch-ignored",
    "A patch number has no influence",
    mutants=("negotiation.patch-counts",),
)
async def patches_are_ignored(lab: A2aLab) -> None:
    """A task that does not exist, asked for under 1.0 with patch numbers that exist and that do not. Since 14.2.1 wants
    Major.Minor and nothing else, VersionNotSupported only warns."""
    async with lab.session() as session:
        for version in ("1.0.0", "1.0.1", "1.0.99"):
            outcome = await under(session, version)
            lab.expect(served(lab, outcome, soft=declined(lab, outcome) is None))


@check(
    "a2a.ver.garbage",
    "A version that cannot be read is refused",
    isolation=Isolation.SESSION,
    mutants=("negotiation.garbage-is-newest", "negotiation.garbage-breaks"),
)
async def garbage_is_refused(lab: A2aLab) -> None:
    """A word, a text beyond ASCII, a number of 4000 digits, and a list of two versions; then the agent serves on."""
    async with lab.session() as session:
        for value in GARBAGE:
            outcome = await under(session, value)
            wanted = f"A2A-Version {value[:20]!r} is refused with VersionNotSupported or status 400"
            lab.expect(expect.that(_unread(outcome), wanted, outcome, outcome, soft=value == LISTED))
        await lab.survives(session)


def _unread(outcome: Outcome) -> bool:
    if not isinstance(outcome, Refusal):
        return False
    status = outcome.reply.status or 0
    return outcome.code in UNREADABLE or (outcome.code is None and 400 <= status < 500 and status != 404)


@check(
    "a2a.ver.every-operation",
    "The version is checked on every operation",
    mutants=("negotiation.newest-for-unknown", "negotiation.unchecked-reading"),
)
async def every_operation_checks(lab: A2aLab) -> None:
    """A harmless request of every operation whose capability is declared, under 99.0."""
    async with lab.session() as session:
        for operation in operations(lab, session):
            lab.expect(declined(lab, await under(session, "99.0", operation)))


@check(
    "a2a.ver.stream-open",
    "A stream is not opened for an unsupported version",
    needs={Feature.STREAMING, Role.ECHO},
    mutants=("negotiation.newest-for-unknown", "negotiation.unchecked-streams"),
)
async def no_stream_for_an_unsupported_version(lab: A2aLab) -> None:
    """A message is sent for a stream under 99.0: an error comes, and no event of a task before it."""
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as session:
        stream = await session.play_stream(play, headers={VERSION_HEADER: "99.0"})
        outcome = await stream.opened()
        await stream.ended()
    lab.expect(declined(lab, outcome))
    told = f"{len(stream.updates)} updates came"
    lab.expect(expect.that(not stream.updates, "no update of a task", told, *stream.records))
