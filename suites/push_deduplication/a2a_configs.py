"""A2A: configurations of notifications, made, read, listed and deleted."""

from __future__ import annotations

import anyio
from seatrial import (
    NOWHERE,
    A2aLab,
    A2aSession,
    Answer,
    Feature,
    Outcome,
    PushConfig,
    Reason,
    Refusal,
    Role,
    Violation,
    check,
    expect,
)
from seatrial.judge import deliveries as judge
from seatrial.judge.a2a.errors import refused

from .notifying import admitted, configured, listed, working

NEEDS: set[Role | Feature] = {Feature.PUSH, Role.HOLD}


@check(
    "a2a.push.create-returns-id",
    "A configuration that is created without an id gets one",
    needs=NEEDS,
    mutants=("push.config-without-id",),
)
async def created_configurations_have_ids(lab: A2aLab) -> None:
    """A configuration without an id is created: the answer has an id, the task's id and the URL."""
    hook = await lab.hook()
    async with lab.session() as session, working(lab, session) as task:
        outcome = await session.create_push(task, session.push_config(hook.url))
        admitted(lab, outcome)
    made = PushConfig.read(lab.need(outcome).result)
    whole = bool(made.id) and (made.task_id, made.url) == (task, hook.url)
    lab.expect(expect.that(whole, f"an id, taskId {task} and url {hook.url}", outcome, outcome))


@check(
    "a2a.push.create-echo",
    "A configuration is returned as it was given",
    needs=NEEDS,
    mutants=("push.id-replaced", "push.url-normalised"),
)
async def created_configurations_are_echoed(lab: A2aLab) -> None:
    """A configuration with an id, a token and credentials is created. Secrets may be left out of the answer."""
    hook, token, secret = await lab.hook(), lab.effects.fresh_key(), lab.effects.fresh_key()
    async with lab.session() as session, working(lab, session) as task:
        given = session.push_config(f"{hook.url}?a=b", id="config-a", token=token, scheme="Bearer", credentials=secret)
        outcome = await session.create_push(task, given)
        admitted(lab, outcome)
    made = PushConfig.read(lab.need(outcome).result)
    same = (made.id, made.url, made.scheme) == ("config-a", given["url"], "Bearer")
    kept = made.token in ("", token) and made.credentials in ("", secret)
    lab.expect(expect.that(same, "the same id, URL and scheme", outcome, outcome))
    lab.expect(expect.that(kept, "the same token and credentials, or none", outcome, outcome, soft=True))


@check(
    "a2a.push.create-requires-url",
    "A configuration without a URL is refused",
    needs=NEEDS,
    mutants=("push.url-optional",),
)
async def a_url_is_required(lab: A2aLab) -> None:
    """Configurations without a URL, and with an empty one, are created."""
    async with lab.session() as session, working(lab, session) as task:
        outcome = await session.create_push(task, {"id": "config-a"})
        if lab.expect(refused(lab.spoken, outcome, "InvalidParams")):
            outcome = await session.create_push(task, session.push_config("", id="config-b"))
            lab.expect(refused(lab.spoken, outcome, "InvalidParams", soft=True))


@check(
    "a2a.push.create-bad-url",
    "A URL that cannot be called is refused",
    needs=NEEDS,
    mutants=("push.any-url",),
)
async def uncallable_urls_are_refused(lab: A2aLab) -> None:
    """Configurations with a text that is no URL, and with URLs of schemes that no webhook has, are created."""
    async with lab.session() as session, working(lab, session) as task:
        for url in ("not a url", "ftp://127.0.0.1/hook", "file:///hook", "http://"):
            outcome = await session.create_push(task, session.push_config(url))
            lab.expect(refused(lab.spoken, outcome))


@check(
    "a2a.push.create-unknown-task",
    "A configuration for a task that does not exist is refused",
    needs={Feature.PUSH},
    mutants=("push.any-task",),
)
async def unknown_tasks_get_no_configuration(lab: A2aLab) -> None:
    """A configuration with our webhook, and one with a public address in case ours is refused for itself: neither
    is taken, and one of them is refused because the task is not found. An agent that refuses our webhook for a task
    that exists is not judged."""
    hook = await lab.hook()
    async with lab.session() as session:
        urls = (hook.url, "https://hooks.example.com/a2a")
        outcomes = [await session.create_push(NOWHERE, session.push_config(url)) for url in urls]
        found = [refused(lab.spoken, outcome, "TaskNotFound") for outcome in outcomes]
        if all(isinstance(outcome, Refusal) for outcome in outcomes) and all(found) and lab.effects.has(Role.HOLD):
            async with working(lab, session) as task:
                await configured(lab, session, task, hook.url)
    for outcome in outcomes:
        lab.expect(refused(lab.spoken, outcome))
    lab.expect(found[0] if all(found) else None)


@check(
    "a2a.push.create-same-id-replaces",
    "A second configuration with the same id replaces the first",
    needs=NEEDS,
    mutants=("push.same-id-added",),
)
async def the_same_id_replaces(lab: A2aLab) -> None:
    """Two configurations with one id and two URLs are created: one is listed, with the later URL."""
    hooks = [await lab.hook(), await lab.hook()]
    async with lab.session() as session, working(lab, session) as task:
        for hook in hooks:
            await configured(lab, session, task, hook.url, id="config-a")
        outcome = await session.list_push(task)
    urls = [config.url for config in PushConfig.listed(lab.need(outcome, "the list").result)]
    lab.expect(expect.that(urls == [hooks[1].url], f"only {hooks[1].url}", urls, outcome))


@check(
    "a2a.push.get",
    "A configuration can be read by its task and its id",
    needs=NEEDS,
    mutants=("push.get-any", "push.get-without-url"),
)
async def configurations_can_be_read(lab: A2aLab) -> None:
    """Two configurations are created, and each is read."""
    hooks = [await lab.hook(), await lab.hook()]
    async with lab.session() as session, working(lab, session) as task:
        made = [await configured(lab, session, task, hook.url, id=f"config-{hook.name}") for hook in hooks]
        outcomes = [await session.get_push(task, config.id) for config in made]
    for hook, config, outcome in zip(hooks, made, outcomes, strict=True):
        read = PushConfig.read(outcome.result if isinstance(outcome, Answer) else None)
        right = (read.url, read.id) == (hook.url, config.id)
        lab.expect(expect.that(right, f"the configuration {config.id} with {hook.url}", outcome, outcome))


@check(
    "a2a.push.get-missing",
    "A configuration that does not exist is not found",
    needs=NEEDS,
    mutants=("push.get-empty",),
)
async def missing_configurations_are_refused(lab: A2aLab) -> None:
    """An id that no configuration has, of a task that has another. Any error passes; TaskNotFound is the one that
    the specification names, for want of another."""
    hook = await lab.hook()
    async with lab.session() as session, working(lab, session) as task:
        await configured(lab, session, task, hook.url, id="config-a")
        outcome = await session.get_push(task, "config-b")
    if lab.expect(refused(lab.spoken, outcome)):
        lab.expect(refused(lab.spoken, outcome, "TaskNotFound", "InvalidParams", soft=True))


@check(
    "a2a.push.list-all",
    "All configurations of a task are listed, and no others",
    needs=NEEDS,
    mutants=("push.list-first-only", "push.list-page-repeats"),
)
async def all_configurations_are_listed(lab: A2aLab) -> None:
    """Three configurations are created and listed, from 1.0 on also page by page with two on each. An agent that has
    no pages gives all at once."""
    hooks = [await lab.hook() for _ in range(3)]
    async with lab.session() as session, working(lab, session) as task:
        for hook in hooks:
            await configured(lab, session, task, hook.url, id=f"config-{hook.name}")
        whole = [config.url for config in await listed(lab, session, task)]
        paged = await _paged(lab, session, task) if lab.version != "0.3" else whole
    wanted = sorted(hook.url for hook in hooks)
    lab.expect(expect.that(sorted(whole) == wanted, f"the three of {wanted}", whole))
    lab.expect(expect.that(sorted(paged) == wanted, "each of them on one page", paged))


async def _paged(lab: A2aLab, session: A2aSession, task: str) -> list[str]:
    """The URLs on all pages, of which there are five at most."""
    urls: list[str] = []
    token = ""
    for _ in range(5):
        asked = {"pageToken": token} if token else {}
        answer = lab.need(await session.list_push(task, pageSize=2, **asked), "a page of the list")
        urls += [config.url for config in PushConfig.listed(answer.result)]
        token = str(answer.members.get("nextPageToken") or "")
        if not token:
            break
    return urls


@check(
    "a2a.push.delete",
    "A deleted configuration is gone, and the others stay",
    needs=NEEDS,
    mutants=("push.delete-nothing", "push.delete-all"),
)
async def deleted_configurations_are_gone(lab: A2aLab) -> None:
    """Two configurations are created and one is deleted: reading it is refused, the other is still there."""
    hooks = [await lab.hook(), await lab.hook()]
    async with lab.session() as session, working(lab, session) as task:
        made = [await configured(lab, session, task, hook.url, id=f"config-{hook.name}") for hook in hooks]
        deleted = await session.delete_push(task, made[0].id)
        outcomes = [await session.get_push(task, config.id) for config in made]
    lab.expect(_done(deleted))
    lab.expect(expect.that(_gone(outcomes[0], made[0].id), "an error", outcomes[0], deleted, outcomes[0]))
    lab.expect(expect.answered(outcomes[1], "the other configuration is still there"))


def _gone(outcome: Outcome, ident: str) -> bool:
    """A configuration is not shown any more. That another is shown in its place has a check of its own."""
    shown = PushConfig.read(outcome.result).id if isinstance(outcome, Answer) else ""
    return isinstance(outcome, Refusal) or shown not in ("", ident)


def _done(outcome: Outcome) -> Violation | None:
    """A deletion was confirmed: by any result, or none, or HTTP success without a body."""
    done = isinstance(outcome, Answer) or (outcome.reply.status in (200, 202, 204) and not isinstance(outcome, Refusal))
    return expect.that(done, "the deletion is confirmed", outcome, outcome)


@check(
    "a2a.push.delete-idempotent",
    "Deleting a configuration twice is not an error",
    needs=NEEDS,
    mutants=("push.second-delete-refused",),
)
async def deleting_twice_is_no_error(lab: A2aLab) -> None:
    """A configuration is created and deleted twice."""
    hook = await lab.hook()
    async with lab.session() as session, working(lab, session) as task:
        made = await configured(lab, session, task, hook.url, id="config-a")
        for _ in range(2):
            lab.expect(_done(await session.delete_push(task, made.id)))


GRACE = 0.5
"""Seconds that a delivery may be under way when its configuration is deleted."""


@check(
    "a2a.push.delete-stops-delivery",
    "A deleted configuration is not notified any more",
    needs=NEEDS,
    mutants=("push.deleted-still-told",),
    patience=2.0,
)
async def deleted_configurations_are_not_notified(lab: A2aLab) -> None:
    """Of two configurations of a task at work one is deleted after its first delivery: the other is told more, it is
    not."""
    gone, kept = await lab.hook(), await lab.hook()
    async with lab.session() as session, working(lab, session) as task:
        made = await configured(lab, session, task, gone.url, id="config-a")
        await configured(lab, session, task, kept.url, id="config-b")
        await gone.delivered(1, lab.tempo.scaled(3.0))
        lab.need(await session.delete_push(task, made.id), "the deletion")
        deadline = anyio.current_time() + lab.tempo.scaled(GRACE)
        await lab.until(deadline)
        told = len(kept.deliveries)
        await lab.quiet()
    await lab.quiet(GRACE)
    if not gone.deliveries or len(kept.deliveries) == told:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the task did not go on: nothing could have been notified")
    lab.expect(judge.nothing_after(gone.deliveries, deadline, "the configuration was deleted"))
