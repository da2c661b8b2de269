"""A2A: lists of tasks, and what belongs to whom."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from seatrial import (
    NOWHERE,
    A2aLab,
    A2aSession,
    Answer,
    Feature,
    Outcome,
    Reason,
    Refusal,
    Role,
    check,
    expect,
    read,
)

from ..tasks import completed

FEW = 5
MOST = 400
"""Tasks that are walked over at most."""


async def listed(lab: A2aLab, session: A2aSession, **asked: Any) -> tuple[list[dict[str, Any]], Answer]:
    """The tasks of one page. Raises Inconclusive when there is none."""
    outcome = lab.need(await session.call("ListTasks", asked), "ListTasks")
    found = outcome.members.get("tasks", [])
    return [task for task in found if isinstance(task, dict)] if isinstance(found, list) else [], outcome


async def several(lab: A2aLab, session: A2aSession, number: int = FEW) -> str:
    """A context with so many finished tasks, made one after the other."""
    context = session.fresh_id()
    for _ in range(number):
        await completed(lab, session, context=context)
        await lab.quiet(0.02)
    return context


async def walked(lab: A2aLab, session: A2aSession, between: bool = False, **asked: Any) -> list[tuple[str, Answer]]:
    """The ids of every page with a page size of 2; with `between` a task is made after each page."""
    found: list[tuple[str, Answer]] = []
    token = ""
    while len(found) < MOST:
        paged = {"pageToken": token} if token else {}
        tasks, page = await listed(lab, session, pageSize=2, **asked, **paged)
        found += [(str(task.get("id")), page) for task in tasks]
        token = str(page.members.get("nextPageToken") or "")
        if not token:
            break
        if between and len(found) <= 2 * FEW:
            await completed(lab, session)
    return found


@check(
    "a2a.err.list-sorted",
    "A list is sorted by the last update, latest first",
    needs={Role.ECHO},
    mutants=("a2a.oldest-first",),
)
async def lists_are_sorted(lab: A2aLab) -> None:
    """Five tasks of one context, made one after the other."""
    async with lab.session() as session:
        context = await several(lab, session)
        tasks, page = await listed(lab, session, contextId=context)
        stamps = [read(task).timestamp for task in tasks]
        if len(stamps) < 2:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the list of the context has fewer than two tasks", page)
        lab.expect(expect.that(stamps == sorted(stamps, reverse=True), "the latest first", stamps, page))


@check(
    "a2a.err.list-cursor-complete",
    "Walking the pages returns every task once",
    needs={Role.ECHO},
    mutants=("a2a.pages-overlap", "a2a.no-total"),
)
async def pages_are_complete(lab: A2aLab) -> None:
    """Five tasks of one context in pages of two; and the members that every page has."""
    async with lab.session() as session:
        context = await several(lab, session)
        whole, first = await listed(lab, session, contextId=context, pageSize=50)
        found = await walked(lab, session, contextId=context)
        ids, wanted = [ident for ident, _ in found], sorted(str(task.get("id")) for task in whole)
        lab.expect(expect.that(sorted(ids) == wanted, f"each of {len(wanted)} tasks once", ids, first, found[-1][1]))
        for name in ("nextPageToken", "pageSize", "totalSize"):
            lab.expect(expect.that(name in first.members, f"the member {name}", list(first.members), first))


@check(
    "a2a.err.list-cursor-under-writes",
    "New tasks do not disturb a walk",
    needs={Role.ECHO},
    mutants=("a2a.pages-by-number",),
)
async def walks_survive_writes(lab: A2aLab) -> None:
    """A walk in pages of two, with a new task between the pages: none twice, and none of the earlier ones lost."""
    async with lab.session() as session:
        await several(lab, session)
        before, page = await listed(lab, session, pageSize=10)
        found = [ident for ident, _ in await walked(lab, session, between=True)]
        lab.expect(expect.that(len(found) == len(set(found)), "none twice", found, page))
        lost = [str(task.get("id")) for task in before if str(task.get("id")) not in found]
        lab.expect(expect.that(not lost, "all of the earlier ones", f"without {lost}", page))


@check(
    "a2a.err.list-artifacts-default",
    "A list contains artifacts only on request",
    needs={Role.ECHO},
    mutants=("a2a.artifacts-always", "a2a.artifacts-never"),
)
async def artifacts_are_on_request(lab: A2aLab) -> None:
    """A finished task with artifacts, listed without and with includeArtifacts."""
    async with lab.session() as session:
        context = session.fresh_id()
        task = await completed(lab, session, context=context)
        if not task.artifacts:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus echo makes no artifact", task.record)
        for asked, wanted in (({}, False), ({"includeArtifacts": True}, True)):
            tasks, page = await listed(lab, session, contextId=task.context_id, **asked)
            has = [bool(read(each).artifacts) for each in tasks]
            what = "artifacts" if wanted else "no artifacts"
            lab.expect(expect.that(bool(has) and set(has) == {wanted}, f"{what} with {asked}", has, page))


# Principals


async def denied(lab: A2aLab, session: A2aSession, *statuses: int) -> None:
    """A read and a send are refused with one of these statuses, or by an error in the envelope."""
    for what, outcome in (("a read", await session.get(NOWHERE)), ("a send", await session.send("hello"))):
        status = outcome.reply.status
        good = isinstance(outcome, Refusal) and status in statuses
        lab.expect(expect.that(good, f"{what}: HTTP {' or '.join(map(str, statuses))}", outcome, outcome))


@check(
    "a2a.err.401",
    "Missing or wrong credentials are refused",
    needs={Feature.IDENTITIES},
    faults=("strip_headers",),
    mutants=("a2a.anybody-served", "a2a.unknown-as-forbidden"),
)
async def strangers_are_refused(lab: A2aLab) -> None:
    """Without a token, and with one that nobody has."""
    for value in (None, "Bearer seatrial-nobody"):
        async with lab.session(headers={"Authorization": value}) as session:
            await denied(lab, session, 401)


@check(
    "a2a.err.403",
    "Valid credentials without permission are refused as an authorization error",
    needs={Feature.IDENTITIES},
    mutants=("a2a.forbidden-as-unknown",),
)
async def the_unpermitted_are_refused(lab: A2aLab) -> None:
    """The principal `no-scope` of the configuration."""
    if "no-scope" not in lab.identities:
        lab.inconclusive(Reason.NO_IDENTITIES, "needs an identity no-scope in the configuration")
    async with lab.session(identity="no-scope") as session:
        await denied(lab, session, 403)


@check(
    "a2a.err.no-existence-leak",
    "Another user's task cannot be told from a task that does not exist",
    needs={Feature.IDENTITIES, Role.ECHO},
    mutants=("a2a.foreign-as-forbidden", "a2a.foreign-tasks-read"),
)
async def foreign_tasks_are_not_there(lab: A2aLab) -> None:
    """The second principal reads, cancels and writes to a task of the first, and to one that never was."""
    async with lab.session(identity="first") as owner, lab.session(identity="second") as other:
        task = await completed(lab, owner)
        for what in ("get", "cancel", "send"):
            theirs, nobodys = await _asked(other, what, task.task_id), await _asked(other, what, other.fresh_id())
            same = _told(theirs) == _told(nobodys) and isinstance(theirs, Refusal)
            lab.expect(expect.that(same, f"{what}: {_told(nobodys)}", _told(theirs), theirs, nobodys))


async def _asked(session: A2aSession, what: str, task: str) -> Outcome:
    if what == "send":
        return await session.send("hello", task=task)
    return await (session.get(task) if what == "get" else session.cancel(task))


def _told(outcome: Outcome) -> str:
    """What a client sees of a refusal, ids aside."""
    code = outcome.code if isinstance(outcome, Refusal) else "served"
    return json.dumps([outcome.reply.status, code])


@check(
    "a2a.err.list-scoped",
    "A list contains the caller's tasks only",
    needs={Feature.IDENTITIES, Role.ECHO},
    mutants=("a2a.lists-show-all",),
)
async def lists_are_ones_own(lab: A2aLab) -> None:
    """The second principal lists, with and without the context of the first one's task."""
    async with lab.session(identity="first") as owner, lab.session(identity="second") as other:
        task = await completed(lab, owner)
        asked: Sequence[dict[str, Any]] = ({}, {"contextId": task.context_id})
        for params in asked:
            outcome = await other.call("ListTasks", params)
            shown = task.task_id in json.dumps(outcome.result) if isinstance(outcome, Answer) else False
            lab.expect(expect.that(not shown, "none of the first one's tasks", f"its task {task.task_id}", outcome))
