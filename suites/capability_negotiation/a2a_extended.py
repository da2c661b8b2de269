"""A2A: the extended card, and what the security schemes of the card are worth."""

from __future__ import annotations

from collections.abc import Mapping

from seatrial import (
    V03,
    A2aLab,
    Answer,
    Feature,
    Outcome,
    Reason,
    Refusal,
    check,
    expect,
)
from seatrial.judge.a2a import card as judge
from seatrial.judge.a2a import refused

from ..operations import harmless
from .a2a_flags import absent
from .speaking import card_of

EXTENDED = "GetExtendedAgentCard"
CHALLENGES = (401, 403)
PROCESSED = frozenset({*range(-32009, -32000), -32601, -32602, -32700})
"""Errors of an agent that looked at a request: whoever sent it was let in."""

Headers = Mapping[str, str | None]


def known(lab: A2aLab) -> str:
    """The name of the first principal, "" for the one of this run."""
    return next(iter(lab.identities), "")


def admitted(lab: A2aLab, outcome: Outcome) -> None:
    """Raises Inconclusive where credentials are wanted that this run does not have."""
    if outcome.reply.status in CHALLENGES:
        lab.inconclusive(Reason.NO_IDENTITIES, "the extended card wants credentials that were not given", outcome)


def anonymous(lab: A2aLab) -> Headers:
    """What takes every credential out of a request."""
    return {name: None for headers in lab.identities.values() for name in headers}


def mistaken(lab: A2aLab) -> Headers:
    """Credentials of the right kind that nobody has."""
    return {name: _wrong(value) for name, value in lab.identities[known(lab)].items()}


def _wrong(value: str) -> str:
    scheme, space, _ = value.partition(" ")
    return f"{scheme} seatrial-unknown" if space else "seatrial-unknown"


def closed(outcome: Outcome) -> bool:
    """Was a request refused for want of credentials? Over JSON-RPC that error has no number of its own."""
    if not isinstance(outcome, Refusal):
        return False
    return outcome.reply.status in CHALLENGES or (outcome.code is not None and outcome.code not in PROCESSED)


@check(
    "a2a.cap.extcard-flag-true",
    "An agent that declares an extended card serves it to an authenticated client",
    needs={Feature.EXTENDED_CARD},
    mutants=("card.promises-extended", "extended.only-skills"),
)
async def extended_card_is_served(lab: A2aLab) -> None:
    """The extended card is fetched, by the first principal where there are several, and read as a card."""
    async with lab.session(identity=known(lab)) as session:
        outcome = await session.call(EXTENDED)
    if not lab.identities:
        admitted(lab, outcome)
    if isinstance(outcome, Refusal) and outcome.code == -32007:
        lab.not_applicable("the agent has no extended card configured", outcome)
    lab.require(expect.answered(outcome, "the extended card"))
    found = judge.required_fields(lab.need(outcome).members, lab.version)
    if lab.version != V03 or judge.shaped(lab.need(outcome).members, V03):
        lab.expect(judge.violations(found, "every required field in the extended card", *outcome.records))


@check(
    "a2a.cap.extcard-flag-false",
    "An agent that does not declare an extended card refuses the operation",
    mutants=("card.hides-extended", "bare.extended-unknown-method"),
)
async def undeclared_extended_card_is_refused(lab: A2aLab) -> None:
    """The extended card is asked for, with the credentials of this run."""
    absent(lab, Feature.EXTENDED_CARD)
    async with lab.session() as session:
        outcome = await session.call(EXTENDED)
    lab.expect(refused(lab.spoken, outcome, "UnsupportedOperation"))


@check(
    "a2a.cap.extcard-not-configured",
    "An agent that declares an extended card but has none says so",
    needs={Feature.EXTENDED_CARD},
    mutants=("unconfigured.internal-error", "unconfigured.unsupported"),
)
async def missing_extended_card_is_told(lab: A2aLab) -> None:
    """The extended card is asked for, with the credentials of this run."""
    async with lab.session() as session:
        outcome = await session.call(EXTENDED)
    if isinstance(outcome, Answer):
        lab.not_applicable("the agent has an extended card", outcome)
    admitted(lab, outcome)
    lab.expect(refused(lab.spoken, outcome, "ExtendedAgentCardNotConfigured"))


@check(
    "a2a.cap.extcard-auth-required",
    "The extended card is not given to an unauthenticated client",
    needs={Feature.EXTENDED_CARD, Feature.IDENTITIES},
    mutants=("extended.for-everybody",),
)
async def extended_card_is_not_public(lab: A2aLab) -> None:
    """The extended card is asked for without credentials, and with some that nobody has."""
    for headers in (anonymous(lab), mistaken(lab)):
        async with lab.session(headers=headers) as session:
            outcome = await session.call(EXTENDED)
        lab.expect(expect.that(isinstance(outcome, Refusal), "a refusal", outcome, outcome))


# Every operation


@check(
    "a2a.cap.auth-declared-enforced",
    "Declared security schemes are enforced on every operation",
    needs={Feature.IDENTITIES},
    mutants=("access.reading-is-free", "access.any-token"),
)
async def schemes_are_enforced(lab: A2aLab) -> None:
    """Every operation, without credentials and with some that nobody has. None may be looked at."""
    card = card_of(lab)
    if not (card.get("security") or card.get("securityRequirements")):
        lab.not_applicable("the card requires no credentials", lab.claim_record)
    for headers in (anonymous(lab), mistaken(lab)):
        async with lab.session(headers=headers) as session:
            for operation, params in harmless(session).items():
                outcome = await session.call(operation, params)
                wanted = f"{operation} is refused without valid credentials"
                lab.expect(expect.that(closed(outcome), wanted, outcome, outcome))
