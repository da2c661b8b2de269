"""A2A: how the card is cached, and that it is there while the agent works."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

import anyio
from seatrial import A2aLab, Answer, Exchange, Harm, Outcome, Role, Violation, check, expect

from ..tasks import at_work

GETS = 16
SOON = 1.0
"""Seconds within which a card is given although a task is at work."""


async def card(lab: A2aLab) -> Answer:
    """The card, fetched now."""
    async with lab.session() as session:
        return lab.need(await session.fetch_card(), "the card")


@check(
    "a2a.cap.card-cache-control",
    "The card says for how long it may be kept",
    mutants=("card.no-cache-control",),
)
async def card_has_a_lifetime(lab: A2aLab) -> None:
    """GET the card and look for max-age in its Cache-Control."""
    outcome = await card(lab)
    found = outcome.reply.header("cache-control") or ""
    actual = f"Cache-Control: {found}" if found else "no Cache-Control"
    lab.expect(expect.that("max-age=" in found.lower(), "Cache-Control with max-age", actual, outcome))


@check(
    "a2a.cap.card-etag",
    "The card has an ETag that stays while the card does",
    mutants=("card.no-etag", "card.etag-of-the-moment"),
)
async def card_has_a_stable_etag(lab: A2aLab) -> None:
    """GET the card twice and compare the tags; a card that changed meanwhile tells nothing."""
    first, second = await card(lab), await card(lab)
    tags = [outcome.reply.header("etag") for outcome in (first, second)]
    stable = bool(tags[0]) and (tags[0] == tags[1] or first.result != second.result)
    lab.expect(expect.that(stable, "one ETag for one card", f"ETags: {tags}", first, second))


@check(
    "a2a.cap.card-conditional",
    "A conditional request for an unchanged card is answered with status 304",
    mutants=("card.never-304",),
)
async def unchanged_card_is_not_sent_again(lab: A2aLab) -> None:
    """GET the card with the ETag that it had just now."""
    async with lab.session() as session:
        first = lab.need(await session.fetch_card(), "the card")
        tag = first.reply.header("etag")
        if not tag:
            lab.not_applicable("the card has no ETag", first)
        outcome = await session.fetch_card(headers={"If-None-Match": tag}, url=session.card_url)
        told = f"HTTP status {outcome.reply.status}, ETag {outcome.reply.header('etag')}"
        same = outcome.reply.status == 304 and outcome.reply.header("etag") in (tag, None)
        lab.expect(expect.that(same, f"status 304 with ETag {tag}", told, first, outcome))


@check(
    "a2a.cap.card-last-modified",
    "Where the card says when it changed last, it says so as HTTP does",
    mutants=("card.last-modified-unreadable",),
)
async def last_modified_is_a_date(lab: A2aLab) -> None:
    """GET the card and read its Last-Modified, if there is one."""
    outcome = await card(lab)
    found = outcome.reply.header("last-modified")
    if found is None:
        lab.note("the card has no Last-Modified", outcome)
    readable = found is None or _is_date(found)
    lab.expect(expect.that(readable, "a date of HTTP in Last-Modified", found, outcome))


def _is_date(text: str) -> bool:
    try:
        return text.endswith("GMT") and bool(parsedate_to_datetime(text))
    except ValueError:
        return False


@check(
    "a2a.cap.card-stable-under-load",
    "The card stays available while tasks run",
    needs={Role.HOLD},
    mutants=("card.busy",),
    harm=Harm.LOAD,
)
async def card_is_there_under_load(lab: A2aLab) -> None:
    """Many GETs at once while a task is at work."""
    async with lab.session() as session:
        lab.need(await session.fetch_card(), "the card")
        work = await at_work(lab, session, seconds=5.0)
        begun = anyio.current_time()
        asked = [session.raw("GET", session.card_url, {"Accept": "application/json"}) for _ in range(GETS)]
        outcomes = [await exchange.outcome() for exchange in asked]
        late = [x for x in asked if x.ended is None or x.ended - begun > lab.tempo.scaled(SOON)]
        await session.cancel(work.task)
    wrong: list[Outcome] = [outcome for outcome in outcomes if not isinstance(outcome, Answer)]
    lab.expect(_all_there(asked, wrong, late, lab.tempo.scaled(SOON)))


def _all_there(asked: list[Exchange], wrong: list[Outcome], late: list[Exchange], soon: float) -> Violation | None:
    actual = f"{len(wrong)} were not answered with it, {len(late)} later than that"
    records = (asked[0].sent, *(x.sent for x in late[:3]))
    return expect.that(not wrong and not late, f"{len(asked)} cards within {soon:.1f} s", actual, *records, *wrong[:3])
