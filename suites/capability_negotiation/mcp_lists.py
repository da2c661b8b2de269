"""MCP: lists, page by page, and what may be remembered of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial import (
    Answer,
    Check,
    Feature,
    Isolation,
    Lost,
    McpLab,
    Role,
    Session,
    Violation,
    Walk,
    check,
    expect,
    walk,
)
from seatrial.judge import lifecycle, pagination

from ..subscriptions import EVERY_LIST

LISTED = {
    "tools/list": Feature.TOOLS,
    "prompts/list": Feature.PROMPTS,
    "resources/list": Feature.RESOURCES,
    "resources/templates/list": Feature.RESOURCES,
}
"""List -> the capability that promises it."""

OTHERS = (Role.QUICK, Role.CALL, Role.STRUCTURED, Role.PROMPT, Role.RESOURCE)
"""What is done between two lists."""


async def walks(lab: McpLab, session: Session) -> list[Walk]:
    """Every list that the server declares and serves. Raises NotApplicable where there is none, and Inconclusive
    where the first page of one does not come at all."""
    found = [await walk(session, method) for method, feature in LISTED.items() if lab.declares(feature)]
    for each in found:
        if not each.pages and isinstance(each.last, Lost):
            lab.need(each.last, each.method)
    served = [each for each in found if each.pages]
    if not served:
        lab.not_applicable("the server declares no list", lab.claim_record, *(each.last for each in found))
    return served


# Pages


@check(
    "mcp.cap.pagination-walk",
    "Following nextCursor visits every entry once and ends",
    mutants=("pages.endless", "pages.overlapping", "pages.number-for-cursor", "pages.null-for-cursor"),
    isolation=Isolation.PROCESS,
)
async def every_entry_is_visited_once(lab: McpLab) -> None:
    """Each declared list is followed to its end, 200 pages at most. Cursors are strings, and the empty one is good."""
    async with lab.session() as session:
        for each in await walks(lab, session):
            lab.expect(expect.answered(each.last, f"every page of {each.method} is served"))
            for page in each.pages:
                cursor = page.members.get("nextCursor", "")
                lab.expect(expect.that(isinstance(cursor, str), "a nextCursor that is a string", cursor, page))
            lab.expect(pagination.terminates(each.named))
            lab.expect(pagination.nothing_on_two_pages(each.named))


@check(
    "mcp.cap.pagination-first-page-stable",
    "A cursor stays valid and stable",
    mutants=("pages.cursor-spent", "pages.cursor-walks-on"),
    isolation=Isolation.PROCESS,
)
async def cursors_are_stable(lab: McpLab) -> None:
    """The first cursor of each list that has one is used twice."""
    async with lab.session() as session:
        paged = [each for each in await walks(lab, session) if len(each.pages) > 1]
        if not paged:
            lab.not_applicable("no list has a second page", lab.claim_record)
        for each in paged:
            again = await _page(session, each.method, {"cursor": each.pages[0].members["nextCursor"]})
            lab.expect(expect.answered(again.last, "a cursor is good for a second time"))
            if again.pages:
                lab.expect(pagination.same_items(each.named[1:2], again.named))


async def _page(session: Session, method: str, params: dict[str, Any]) -> Walk:
    """One page, as a walk that ends there."""
    outcome = await session.request(method, params)
    return Walk(method, (outcome,) if isinstance(outcome, Answer) else (), outcome)


@check(
    "mcp.cap.list-order-deterministic",
    "tools/list returns the tools in a stable order",
    needs={Feature.TOOLS},
    mutants=("lists.rotating",),
    isolation=Isolation.PROCESS,
)
async def tools_are_in_order(lab: McpLab) -> None:
    """tools/list three times."""
    async with lab.session() as session:
        found = [await walk(session, "tools/list") for _ in range(3)]
    for each in found[1:]:
        lab.need(each.last, "tools/list")
        lab.expect(pagination.same_items(found[0].named, each.named))


@check(
    "mcp.cap.lists-not-connection-dependent",
    "A list does not depend on the connection or on earlier calls",
    mutants=("lists.grow-with-calls", "lists.by-connection"),
    isolation=Isolation.PROCESS,
)
async def lists_are_the_same_for_all_connections(lab: McpLab) -> None:
    """Every list over three fresh connections, and once more over each of them after calls of tools."""
    found: list[list[Walk]] = []
    for _ in range(3):
        async with lab.session() as session:
            found.append(await walks(lab, session))
            await _do_other_things(lab, session)
            found.append(await walks(lab, session))
    for each in found[1:]:
        for first, later in _paired(found[0], each):
            lab.expect(_same_set(first, later))


def _paired(one: list[Walk], other: list[Walk]) -> list[tuple[Walk, Walk]]:
    """The walks of each list. One that is refused to either of them is left out."""
    others = {each.method: each for each in other}
    return [(each, others[each.method]) for each in one if each.method in others]


async def _do_other_things(lab: McpLab, session: Session) -> None:
    for role in OTHERS:
        if lab.effects.has(role):
            await session.perform(await lab.effects.plan(role))


def _names(each: Walk) -> set[Any]:
    return {name for page in each.named for name in page.names}


def _same_set(first: Walk, later: Walk) -> Violation | None:
    differing = sorted(map(str, _names(first) ^ _names(later)))
    what = f"the same entries in {first.method} over every connection"
    return expect.that(not differing, what, f"only in one of them: {differing}", *first.pages, *later.pages)


# Cache hints (2026-07-28)


async def cacheable(lab: McpLab, session: Session) -> list[tuple[str, Answer]]:
    """Every result that may be cached: server/discover, the first page of each list, and one resource."""
    listed = [method for method, feature in LISTED.items() if lab.declares(feature)]
    requests: list[tuple[str, dict[str, Any]]] = [("server/discover", {}), *((method, {}) for method in listed)]
    resources = await walk(session, "resources/list") if lab.declares(Feature.RESOURCES) else None
    if resources and resources.entries:
        requests.append(("resources/read", {"uri": resources.entries[0].get("uri")}))
    outcomes = [(method, await session.request(method, params)) for method, params in requests]
    return [(m, o) for m, o in outcomes if isinstance(o, Answer) and not o.asks]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)


@dataclass(frozen=True, slots=True)
class Hint:
    """One rule for a field of every cacheable result."""

    id: str
    title: str
    field: str
    holds: Callable[[Any], bool]
    expected: str
    mutants: Sequence[str]


HINTS = (
    Hint(
        "mcp.cap.ttl-present",
        "Every cacheable result carries ttlMs, an integer",
        "ttlMs",
        _is_whole,
        "an integer ttlMs",
        ("cache.no-ttl", "cache.ttl-as-text"),
    ),
    Hint(
        "mcp.cap.ttl-nonnegative",
        "ttlMs is not negative",
        "ttlMs",
        lambda value: not _is_whole(value) or value >= 0,
        "ttlMs of 0 or more",
        ("cache.negative-ttl",),
    ),
    Hint(
        "mcp.cap.cachescope-valid",
        "Every cacheable result carries a valid cacheScope",
        "cacheScope",
        lambda value: value in ("public", "private"),
        'a cacheScope, "public" or "private"',
        ("cache.no-scope", "cache.odd-scope"),
    ),
)


def hinted(hint: Hint) -> Check:
    @check(hint.id, hint.title, mutants=hint.mutants)
    async def body(lab: McpLab) -> None:
        """server/discover, every list and one resource."""
        async with lab.session() as session:
            for method, answer in await cacheable(lab, session):
                value = answer.members.get(hint.field)
                lab.expect(expect.that(hint.holds(value), f"{hint.expected} in the result of {method}", value, answer))

    return body


HINTED = tuple(hinted(hint) for hint in HINTS)


@check(
    "mcp.cap.cachescope-same-on-pages",
    "All pages of one list share one cacheScope",
    mutants=("cache.scope-by-page",),
)
async def pages_share_a_scope(lab: McpLab) -> None:
    """Every list is followed to its end."""
    async with lab.session() as session:
        paged = [each for each in await walks(lab, session) if len(each.pages) > 1]
        if not paged:
            lab.not_applicable("no list has a second page", lab.claim_record)
        for each in paged:
            scopes = [page.members.get("cacheScope") for page in each.pages]
            same = all(scope == scopes[0] for scope in scopes)
            lab.expect(expect.that(same, f"one cacheScope on all pages of {each.method}", scopes, *each.pages))


@check(
    "mcp.cap.cache-public-leak",
    "A list that differs between principals is not marked public",
    needs={Feature.IDENTITIES},
    mutants=("cache.public-for-each",),
    isolation=Isolation.SESSION,
)
async def lists_of_one_principal_are_private(lab: McpLab) -> None:
    """Every list as each of two principals sees it."""
    found: list[list[Walk]] = []
    for identity in list(lab.identities)[:2]:
        async with lab.session(identity=identity) as session:
            found.append(await walks(lab, session))
    for one, other in _paired(*found):
        pages = (*one.pages, *other.pages)
        public = any(page.members.get("cacheScope") == "public" for page in pages)
        leaks = public and _names(one) != _names(other)
        lab.expect(expect.that(not leaks, f"no public {one.method} that differs by principal", "it does", *pages))


# Changes


@check(
    "mcp.cap.undeclared-listchanged-silent",
    "A server that does not declare listChanged for a kind sends no list_changed notification for it",
    needs={Role.MUTATE_TOOLS},
    mutants=("changes.prompts-announced-too", "changes.undeclared"),
    isolation=Isolation.PROCESS,
    patience=3.0,
)
async def undeclared_changes_are_silent(lab: McpLab) -> None:
    """The tools are changed and changed back, with a channel open for whatever the server wants to announce."""
    async with lab.session() as session:
        channel = await session.listen(EVERY_LIST)
        await channel.status(lab.tempo.quiet)
        for _ in range(2):
            play = await lab.effects.plan(Role.MUTATE_TOOLS)
            lab.need(await session.perform(play), "the stimulus mutate-tools")
        await lab.quiet()
    lab.expect(lifecycle.undeclared_listchanged_silent(lab.histories, lab.spoken).violations)
