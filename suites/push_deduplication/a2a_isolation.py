"""A2A: webhooks that are bad, or lead somewhere else, harm nobody; and nobody reads another's credentials."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

import anyio
from seatrial import (
    A2aLab,
    A2aSession,
    Answer,
    Ending,
    Feature,
    Hook,
    Isolation,
    Reason,
    Refusal,
    Role,
    acts,
    check,
    expect,
)

from ..tasks import task_in, waiting
from .notifying import Mode, admitted, configured, disturbed, modes, ticks, working

ISOLATED = "a2a.push.webhook-failure-isolated"


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a task took to be told to its own client. `over`: its end came at all."""

    seconds: float
    over: bool
    record: int


@check(
    ISOLATED,
    "A bad webhook delays neither the stream nor the answer of its task",
    needs={Feature.PUSH, Role.TICKS},
    faults=("ack_slow", "receiver_down"),
    mutants=("push.executor-waits", "push.answer-waits-for-webhook"),
    isolation=Isolation.SESSION,
    patience=5.0,
)
async def bad_webhooks_delay_nobody(lab: A2aLab) -> None:
    """A task is streamed, and answered when it is over, without a webhook; then with webhooks that never answer, that
    answer after two seconds, and that refuse connections: that takes no longer."""
    found: dict[str, Pace] = {}
    kept: dict[Mode, Pace] = {}
    ways = [mode for mode in modes(lab) if mode is not Mode.BACKGROUND]

    async def keep(mode: Mode) -> None:
        kept[mode] = await _pace(lab, mode, None, lab.tempo.answer)

    async with anyio.create_task_group() as tasks:
        for mode in ways:
            tasks.start_soon(keep, mode)
    bad = {
        "never answers": await lab.hook(acts.ack_slow()),
        "is slow": await lab.hook(acts.ack_slow(2.0)),
        "refuses connections": await lab.hook(acts.receiver_down()),
    }

    async def run(mode: Mode, what: str, hook: Hook) -> None:
        found[f"{mode} with a webhook that {what}"] = await _pace(lab, mode, hook, kept[mode].seconds + slack + 1.0)

    slack = lab.tempo.scaled(1.5) + max(pace.seconds for pace in kept.values()) / 2
    async with anyio.create_task_group() as tasks:
        for mode in ways:
            for what, hook in bad.items():
                tasks.start_soon(run, mode, what, hook)
    _must_be_called(lab, bad)
    for what, pace in found.items():
        limit = max(k.seconds for k in kept.values()) + slack
        actual = f"{pace.seconds:.1f} s" if pace.over else f"no end within {pace.seconds:.1f} s"
        right = pace.over and pace.seconds <= limit
        lab.expect(expect.that(right, f"{what}: over within {limit:.1f} s, as without one", actual, pace.record))


def _must_be_called(lab: A2aLab, bad: dict[str, Hook]) -> None:
    """Raises Inconclusive where no webhook was called: then none could delay anything."""
    if not any(hook.deliveries for hook in bad.values()):
        lab.inconclusive(Reason.STIMULUS_FAILED, "no notification came, so none can have delayed anything")


async def _pace(lab: A2aLab, mode: Mode, hook: Hook | None, within: float) -> Pace:
    """How long a task takes, of which it is told `within` seconds more than it lasts whether it is over."""
    play = await ticks(lab)
    within += play.lasts
    async with lab.session() as session:
        push = session.push_config(hook.url) if hook else None
        if mode is Mode.STREAM:
            stream = await session.play_stream(play, push=push)
            exchange, over = stream.exchange, await stream.ended(within) and stream.ending is Ending.CLOSED
            outcome = await stream.opened(0.0)
        else:
            exchange = await session.sent(play.params["text"], push=push)
            outcome = await exchange.outcome(within)
            over = isinstance(outcome, Answer)
        spent = anyio.current_time() - exchange.begun
    if hook is None or isinstance(outcome, Refusal):
        admitted(lab, outcome)
    return Pace(spent, over, outcome.records[0])


@check(
    "a2a.push.store-failure-isolated",
    "A failure of the notification machinery does not fail the task",
    needs={Feature.PUSH, Role.PUSH_STORE_DOWN},
    mutants=("push.store-failure-fails-send",),
)
async def store_failures_harm_no_task(lab: A2aLab) -> None:
    """A message with a configuration, while the store of the configurations fails: the task is completed."""
    hook, play = await lab.hook(), await lab.effects.plan(Role.PUSH_STORE_DOWN)
    async with lab.session() as session:
        outcome = await session.perform(play, push=session.push_config(hook.url))
        lab.require(expect.answered(outcome, "the message is served"))
        task = await session.settles(task_in(lab, outcome).task_id, "completed", within=lab.tempo.answer)
    lab.expect(expect.that(task.state == "completed", "completed", task.state, outcome, task.record))


INTERNAL = ("10.0.0.1", "192.168.0.1", "172.16.0.1", "169.254.169.254", "metadata.google.internal")
"""Hosts that no webhook of a stranger should have. They are configured for a task that says nothing, never called."""
DISGUISES = ("2130706433", "0x7f000001", "017700000001", "127.1", "0.0.0.0", "[::ffff:127.0.0.1]")
"""This machine in other words: a guard that compares spellings lets them through."""


@check(
    "a2a.push.ssrf-guard",
    "Webhooks at internal addresses are refused or never called, and redirects are not followed",
    needs={Feature.PUSH, Role.ASK, Role.ECHO},
    faults=("ack_redirect",),
    mutants=("push.redirects-followed", "push.disguised-loopback-called"),
    isolation=Isolation.SESSION,
    patience=3.0,
)
async def internal_addresses_are_not_called(lab: A2aLab) -> None:
    """For a task that waits for its client, configurations with this machine's address in other words, which must not
    be called in its next turn; those with addresses of private networks are deleted before. Then a webhook redirects
    to another one. Whoever calls its own machine by its plain address is not judged for that: the address is ours.
    Whoever does not must refuse the other internal hosts as well."""
    async with lab.session() as session:
        task = (await waiting(lab, session)).task_id
        plain = await lab.hook()
        hooks = {host: await lab.hook() for host in DISGUISES}
        taken = [host for host in INTERNAL if await _takes(session, task, f"http://{host}/hook")]
        lab.note(f"configurations with internal hosts were taken: {', '.join(taken) or 'none'}")
        outcome = await session.create_push(task, session.push_config(plain.url, id="plain"))
        if isinstance(outcome, Refusal):
            lab.expect(expect.that(not taken, "no internal host, like this machine", ", ".join(taken), outcome))
            return
        for host, hook in hooks.items():
            await session.create_push(task, session.push_config(_disguised(hook.url, host), id=f"at-{hook.name}"))
        lab.need(await session.send("and now?", task=task), "the second message")
        await plain.delivered(1, lab.tempo.scaled(3.0))
        await lab.quiet()
    called = {host: hook.deliveries[0].record for host, hook in hooks.items() if hook.deliveries}
    lab.expect(expect.that(not called, "no call", f"called as {', '.join(called)}", *called.values()))
    await _redirected(lab)


async def _redirected(lab: A2aLab) -> None:
    other = await lab.hook()
    hook = await lab.hook(acts.ack_redirect(other.url))
    await disturbed(lab, hook)
    await lab.quiet()
    lab.expect(expect.silent(other.deliveries, "redirects are not followed"))


async def _takes(session: A2aSession, task: str, url: str) -> bool:
    """Whether a configuration is taken. It is deleted at once, before anything can be told to it."""
    outcome = await session.create_push(task, session.push_config(url, id="internal"))
    if isinstance(outcome, Answer):
        await session.delete_push(task, "internal")
    return isinstance(outcome, Answer)


def _disguised(url: str, host: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=f"{host}:{parts.port}").geturl()


@check(
    "a2a.push.no-credential-leak",
    "Credentials of a configuration are not shown to other users",
    needs={Feature.PUSH, Role.HOLD, Feature.IDENTITIES},
    mutants=("push.configs-for-everybody",),
    isolation=Isolation.SESSION,
)
async def credentials_are_not_shown_to_others(lab: A2aLab) -> None:
    """The first identity creates a configuration with a token and credentials; the second reads and lists it."""
    first, second = list(lab.identities)[:2]
    hook, token, secret = await lab.hook(), lab.effects.fresh_key(), lab.effects.fresh_key()
    async with (
        lab.session(identity=first) as owner,
        lab.session(identity=second) as other,
        working(lab, owner) as task,
    ):
        settings = {"token": token, "scheme": "Bearer", "credentials": secret}
        made = await configured(lab, owner, task, hook.url, id="config-a", **settings)
        lab.need(await owner.get_push(task, made.id), "its owner's reading of the configuration")
        outcomes = [await other.get_push(task, made.id), await other.list_push(task)]
    for outcome in outcomes:
        said = json.dumps(outcome.result) if isinstance(outcome, Answer) else ""
        shown = [name for name, value in (("the token", token), ("the credentials", secret)) if value in said]
        lab.expect(expect.that(not shown, "no secrets of another", f"{' and '.join(shown)} of another", outcome))
