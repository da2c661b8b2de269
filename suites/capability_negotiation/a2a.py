"""A2A: what the agent card holds, and how it is served."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urljoin, urlsplit

from seatrial import V03, V10, VERSION_HEADER, A2aLab, Answer, Check, Outcome, check, expect, interfaces
from seatrial.judge.a2a import card as judge

from .speaking import Card, card_of, speaks

WELL_KNOWN = "/.well-known/agent-card.json"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})


def shaped(lab: A2aLab) -> Card:
    """The card, if it has the shape of this column's version: an agent may declare 0.3 in the newer shape only."""
    card = card_of(lab)
    if lab.version == V03 and not judge.shaped(card, V03):
        lab.not_applicable("the card does not have the shape of 0.3", lab.claim_record)
    return card


@check(
    "a2a.cap.card-available",
    "The agent card is served at its well-known path",
    mutants=("card.at-the-older-path",),
)
async def card_is_at_its_path(lab: A2aLab) -> None:
    """GET the path below the agent's URL and at the root of its origin; one of them must be the card."""
    async with lab.session() as session:
        here = session.http.url
        places = dict.fromkeys((urljoin(here, WELL_KNOWN), here.rstrip("/") + WELL_KNOWN))
        outcomes = [await session.fetch_card(url=place) for place in places]
        wanted = f"a JSON object with status 200 at {WELL_KNOWN}"
        lab.expect(expect.that(any(map(_is_served, outcomes)), wanted, outcomes[0], *outcomes))


def _is_served(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) and outcome.reply.status == 200 and bool(outcome.members)


@check("a2a.cap.card-media-type", "The agent card is served as JSON", mutants=("card.as-text",))
async def card_is_json(lab: A2aLab) -> None:
    """GET the card, with and without an Accept header, and read its Content-Type."""
    async with lab.session() as session:
        for accept in ("application/json", None):
            outcome = lab.need(await session.fetch_card(headers={"Accept": accept}), "the card")
            found = outcome.reply.media_type
            right = found in ("application/json", "application/a2a+json")
            actual = f"Content-Type {outcome.reply.header('content-type')}"
            lab.expect(expect.that(right, "application/json or application/a2a+json", actual, outcome))


# What it holds


Rule = Callable[[Card, str], Iterable[str]]

RULES: tuple[tuple[str, str, str, Rule, tuple[str, ...]], ...] = (
    (
        "a2a.cap.card-required-fields",
        "The card has every required field, and its required lists are not empty",
        "every field that 1.0 requires",
        judge.required_fields,
        ("card.without-description", "card.without-skills"),
    ),
    (
        "a2a.cap.card-required-fields-03",
        "The card of 0.3 has every required field",
        "every field that 0.3 requires",
        judge.required_fields,
        ("card.without-protocol-version",),
    ),
    (
        "a2a.cap.skill-fields",
        "Every skill has an id of its own, a name, a description and tags",
        "skills with an id of their own, a name, a description and tags",
        judge.skill_fields,
        ("card.skill-without-tags", "card.skill-twice"),
    ),
    (
        "a2a.cap.interface-fields",
        "Every declared interface names its URL, its binding and its version",
        "interfaces with a URL, a binding and a version",
        lambda card, version: judge.interface_fields(card),
        ("card.interface-without-version",),
    ),
)
"""Requirement, title, what is right, judge, mutants."""


def rule(id: str, title: str, expected: str, found: Rule, mutants: tuple[str, ...]) -> Check:
    @check(id, title, mutants=mutants)
    async def body(lab: A2aLab) -> None:
        """The card of this run is read, in the shape of this version."""
        lab.expect(judge.violations(found(shaped(lab), lab.version), expected, lab.claim_record))

    return body


CHECKS = tuple(rule(*row) for row in RULES)


@check(
    "a2a.cap.card-no-secrets",
    "The public card holds no secrets",
    mutants=("card.url-with-password", "card.example-with-token"),
)
async def card_holds_no_secrets(lab: A2aLab) -> None:
    """Every text of the card is searched for tokens, keys and user information in URLs."""
    expected = "a public card without credentials"
    lab.expect(judge.violations(judge.secrets(card_of(lab)), expected, lab.claim_record))


@check("a2a.cap.card-https", "Every interface of an agent in production uses HTTPS", mutants=("card.plain-http",))
async def interfaces_use_https(lab: A2aLab) -> None:
    """The schemes of the declared URLs. Those of this machine are only told; an agent on it is not in production."""
    async with lab.session() as session:
        trial = urlsplit(session.http.url).hostname in LOOPBACK
    found = list(judge.insecure(card_of(lab)))
    near = [text for text in found if urlsplit(text.split()[-1]).hostname in LOOPBACK]
    far = [text for text in found if text not in near]
    if near:
        lab.note(f"on this machine without TLS: {'; '.join(near)}", lab.claim_record)
    lab.expect(judge.violations(far, "https in every URL of an interface", lab.claim_record, soft=trial))


# The part that 0.3 reads


@check(
    "a2a.cap.url-transport-conflict",
    "One URL claims one transport, and the preferred one lives at the main URL",
    mutants=("card.one-url-two-transports", "card.main-url-elsewhere"),
)
async def urls_and_transports_agree(lab: A2aLab) -> None:
    """The card is read; in the column of the preferred transport the main URL is asked for a task that is not there."""
    card = shaped(lab)
    lab.expect(judge.violations(judge.conflicting(card), "one transport for each URL", lab.claim_record))
    preferred = card.get("preferredTransport")
    # The text says that it is required, the official schema that its default is JSONRPC: hence soft.
    named = isinstance(preferred, str)
    lab.expect(expect.that(named, "preferredTransport", "it is missing", lab.claim_record, soft=True))
    main = [i for i in interfaces(card) if (i.url, i.binding, i.version) == (card.get("url"), lab.binding, V03)]
    if main and (preferred or "JSONRPC") == lab.binding:
        async with lab.session(opened=False) as session:
            session.interface = main[0]
            lab.expect(await speaks(lab, session))


@check(
    "a2a.cap.preferred-in-additional",
    "The additional interfaces contain the main one",
    mutants=("card.main-not-listed",),
)
async def main_interface_is_listed(lab: A2aLab) -> None:
    """url and preferredTransport are looked for in additionalInterfaces, where there are any."""
    card = shaped(lab)
    listed = card.get("additionalInterfaces")
    if not listed:
        lab.not_applicable("the card lists no additional interfaces", lab.claim_record)
    main = {"url": card.get("url"), "transport": card.get("preferredTransport") or "JSONRPC"}
    pairs = [{name: entry.get(name) for name in main} for entry in listed if isinstance(entry, dict)]
    lab.expect(expect.that(main in pairs, f"{main} among the additional interfaces", pairs, lab.claim_record))


@check(
    "a2a.cap.hybrid-card-consistent",
    "A card in the shape of two versions says the same in both",
    mutants=("card.halves-disagree",),
)
async def both_halves_agree(lab: A2aLab) -> None:
    """The card is fetched for a client of either version; endpoints and flags of both are compared."""
    async with lab.session() as session:
        older = lab.need(await session.fetch_card(headers={VERSION_HEADER: V03}), "the card")
        newer = lab.need(await session.fetch_card(headers={VERSION_HEADER: V10}), "the card")
    both = judge.shaped(older.members, V03) and judge.shaped(newer.members, V10)
    if not both:
        lab.not_applicable("the card has the shape of one version", older, newer)
    found = judge.disagreements(older.members, newer.members)
    lab.expect(judge.violations(found, "the same in both shapes", *older.records, *newer.records))
