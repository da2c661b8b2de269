"""A2A: lists of tasks, and what belongs to whom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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
    Update,
    Violation,
    check,
    expect,
    read,
)
from seatrial.judge.a2a import errors

from ..tasks import at_work, completed, waiting

FEW = 5
MOST = 30
"""Pages after which a walk over a few tasks has lost its way."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list."""

    tasks: tuple[Update, ...]
    answer: Answer

    @property
    def ids(self) -> list[str]:
        return [task.task_id for task in self.tasks]

    @property
    def next(self) -> str:
        return str(self.answer.members.get("nextPageToken") or "")


async def listed(lab: A2aLab, session: A2aSession, **asked: Any) -> Page:
    """One page. Raises Inconclusive when there is none."""
    answer = lab.need(await session.call("ListTasks", asked), "ListTasks")
    found = answer.members.get("tasks")
    return Page(tuple(read(task) for task in found) if isinstance(found, list) else (), answer)


async def several(lab: A2aLab, session: A2aSession) -> list[Update]:
    """Five finished tasks of one context, made one after the other."""
    found = [await completed(lab, session)]
    while len(found) < FEW:
        await lab.quiet(0.02)
        found.append(await completed(lab, session, context=found[0].context_id))
    return found


async def walked(lab: A2aLab, session: A2aSession, context: str, between: bool = False) -> list[Page]:
    """The pages of a context, two tasks on each; with `between` a task is made after each of the first ones."""
    pages = [await listed(lab, session, contextId=context, pageSize=2)]
    while pages[-1].next and len(pages) < MOST:
        if between and len(pages) <= FEW:
            await completed(lab, session, context=context)
        pages.append(await listed(lab, session, contextId=context, pageSize=2, pageToken=pages[-1].next))
    return pages


def moment(task: Update) -> datetime:
    """When a task was updated. Raises ValueError for what is no time."""
    found = datetime.fromisoformat(task.timestamp)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@check(
    "a2a.err.list-sorted",
    "A list is sorted by the last update, latest first",
    needs={Role.ECHO},
    mutants=("a2a.oldest-first", "a2a.sorted-by-creation"),
)
async def lists_are_sorted(lab: A2aLab) -> None:
    """Five tasks of one context, one after the other; where the agent can ask, another begun first and ended last."""
    async with lab.session() as session:
        asks = lab.effects.has(Role.ASK)
        first = await waiting(lab, session) if asks else await completed(lab, session)
        for _ in range(FEW):
            await lab.quiet(0.02)
            await completed(lab, session, context=first.context_id)
        if asks:
            await session.send("go on", task=first.task_id, context=first.context_id)
        page = await listed(lab, session, contextId=first.context_id)
        try:
            moments = [moment(task) for task in page.tasks]
        except ValueError:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the list has tasks without a readable timestamp", page.answer)
        if len(set(moments)) < 2:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the list has fewer than two different times", page.answer)
        stamps = [task.timestamp for task in page.tasks]
        in_order = moments == sorted(moments, reverse=True)
        lab.expect(expect.that(in_order, "the latest first", stamps, page.answer))


@check(
    "a2a.err.list-cursor-complete",
    "Walking the pages returns every task once",
    needs={Role.ECHO},
    mutants=(
        *("a2a.pages-overlap", "a2a.no-total", "a2a.last-page-without-token"),
        *("a2a.page-size-ignored", "a2a.total-of-the-page"),
    ),
)
async def pages_are_complete(lab: A2aLab) -> None:
    """Five tasks of one context in pages of two: no page has more, and none counts fewer tasks than there are; and the
    members that every page has."""
    async with lab.session() as session:
        made = await several(lab, session)
        pages = await walked(lab, session, made[0].context_id)
        ids, wanted = [ident for page in pages for ident in page.ids], [task.task_id for task in made]
        records = [page.answer.message.record for page in pages]
        lab.expect(expect.that(sorted(ids) == sorted(wanted), f"each of {len(wanted)} tasks once", ids, *records))
        for page in pages:
            for violation in (*incomplete(page), *miscounted(page, len(wanted))):
                lab.expect(violation)


def incomplete(page: Page) -> Iterator[Violation]:
    """The token is a text, empty on the last page; the page and the total have a size."""
    members = page.answer.members
    for name, kind in (("nextPageToken", str), ("pageSize", int), ("totalSize", int)):
        if not isinstance(members.get(name), kind):
            yield Violation(f"{name} on every page", f"{members.get(name)!r}", page.answer.records)


def miscounted(page: Page, there: int) -> Iterator[Violation]:
    """More than the two that were asked for, or a total that is less than what is there, however it is filtered."""
    if len(page.ids) > 2:
        yield Violation("two tasks on a page at most, as asked for", f"{len(page.ids)}", page.answer.records)
    total = page.answer.members.get("totalSize")
    if isinstance(total, int) and total < there:
        yield Violation(f"a totalSize of {there} at least, whatever the page", f"{total}", page.answer.records)


@check(
    "a2a.err.list-cursor-under-writes",
    "New tasks do not disturb a walk",
    needs={Role.ECHO},
    mutants=("a2a.pages-by-number",),
)
async def walks_survive_writes(lab: A2aLab) -> None:
    """A walk in pages of two, with a new task between the pages: none twice, and none of the earlier ones lost."""
    async with lab.session() as session:
        made = await several(lab, session)
        pages = await walked(lab, session, made[0].context_id, between=True)
        found = [ident for page in pages for ident in page.ids]
        records = [page.answer.message.record for page in pages]
        lab.expect(expect.that(len(found) == len(set(found)), "none twice", found, *records))
        lost = [task.task_id for task in made if task.task_id not in found]
        lab.expect(expect.that(not lost, "all of the earlier ones", f"without {lost}", *records))


@check(
    "a2a.err.list-artifacts-default",
    "A list contains artifacts only on request",
    needs={Role.ECHO},
    mutants=("a2a.artifacts-always", "a2a.artifacts-never", "a2a.artifacts-left-empty"),
)
async def artifacts_are_on_request(lab: A2aLab) -> None:
    """A finished task with artifacts: without includeArtifacts not even an empty member, with it what it has."""
    async with lab.session() as session:
        task = await completed(lab, session)
        if not task.artifacts:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus echo makes no artifact", task.record)
        plain = await listed(lab, session, contextId=task.context_id)
        full = await listed(lab, session, contextId=task.context_id, includeArtifacts=True)
        if not plain.tasks or not full.tasks:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the list of the context is empty", plain.answer, full.answer)
        members = [each.body.get("artifacts") for each in plain.tasks if "artifacts" in each.body]
        lab.expect(expect.that(not members, "no member artifacts", members, plain.answer))
        has = [each.artifacts for each in full.tasks]
        lab.expect(expect.that(all(has), "the artifacts with includeArtifacts", has, full.answer))


# Principals


async def denied(lab: A2aLab, session: A2aSession, *statuses: int) -> None:
    """A read and a send are refused with one of these statuses. An error in an envelope alone is a warning: 3.3.2
    gives statuses and errors of JSON-RPC as examples."""
    for what, outcome in (("a read", await session.get(NOWHERE)), ("a send", await session.send("hello"))):
        good = isinstance(outcome, Refusal) and outcome.reply.status in statuses
        soft = isinstance(outcome, Refusal) and outcome.reply.status == 200 and not errors.named(lab.spoken, outcome)
        wanted = f"{what}: HTTP {' or '.join(map(str, statuses))}"
        lab.expect(expect.that(good, wanted, outcome, outcome, soft=soft))


@check(
    "a2a.err.401",
    "Missing or wrong credentials are refused",
    needs={Feature.IDENTITIES},
    faults=("strip_headers",),
    mutants=("a2a.anybody-served", "a2a.unknown-as-forbidden"),
)
async def strangers_are_refused(lab: A2aLab) -> None:
    """Without a token, and with one that nobody has."""
    async with lab.session() as known:
        for value in (None, "Bearer seatrial-nobody"):
            async with lab.session(headers={"Authorization": value}, opened=False) as session:
                session.take_over(known)
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
    mutants=(
        *("a2a.foreign-as-forbidden", "a2a.foreign-tasks-read", "a2a.foreign-told-in-words"),
        "a2a.foreign-live-tasks-shared",
    ),
)
async def foreign_tasks_are_not_there(lab: A2aLab) -> None:
    """The second principal reads, subscribes and writes to and cancels a task of the first, configures notifications of
    it, and does the same to a task that never was: status, code and text of the errors are alike. Where the agent can
    be kept at work, the same with a task at work, which a server may hold elsewhere."""
    async with lab.session(identity="first") as owner, lab.session(identity="second") as other:
        await _is_not_there(lab, other, (await completed(lab, owner)).task_id)
        if lab.effects.has(Role.HOLD):
            work = await at_work(lab, owner)
            await _is_not_there(lab, other, work.task)
            await owner.cancel(work.task)


async def _is_not_there(lab: A2aLab, other: A2aSession, task: str) -> None:
    asked = ["get", *(["subscribe"] if lab.declares(Feature.STREAMING) else []), "send"]
    asked += ["create push", "get push"] if lab.declares(Feature.PUSH) else []
    for what in (*asked, "cancel"):
        nowhere = other.fresh_id()
        theirs, nobodys = await _asked(other, what, task), await _asked(other, what, nowhere)
        wanted, told = _told(nobodys, nowhere), _told(theirs, task)
        same = wanted == told and isinstance(theirs, Refusal)
        lab.expect(expect.that(same, f"{what}: {wanted}", told, theirs, nobodys))


async def _asked(session: A2aSession, what: str, task: str) -> Outcome:
    if what == "send":
        return await session.send("hello", task=task)
    if what == "create push":
        return await session.create_push(task, session.push_config("https://webhook.invalid/seatrial", id="seatrial"))
    if what == "get push":
        return await session.get_push(task, "seatrial")
    if what == "subscribe":
        return await (await session.subscribe(task)).opened()
    return await (session.get(task) if what == "get" else session.cancel(task))


def _told(outcome: Outcome, task: str) -> str:
    """What a client sees of a refusal, the id of the task aside."""
    refusal = outcome if isinstance(outcome, Refusal) else None
    told = (refusal.code, refusal.text.replace(task, "(id)")) if refusal else ("served", "")
    return json.dumps([outcome.reply.status, *told])


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
