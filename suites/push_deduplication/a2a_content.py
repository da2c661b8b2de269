"""A2A: what a notification looks like, with which headers it comes, and that it says what the task did."""

from __future__ import annotations

from seatrial import A2aLab, Delivery, Feature, Role, Violation, check, expect
from seatrial.judge import deliveries as judge
from seatrial.judge.a2a import notifications

from .notifying import observed, observed_at_once

NEEDS: set[Role | Feature] = {Feature.PUSH, Role.TICKS}
TOKEN = "X-A2A-Notification-Token"


@check(
    "a2a.push.method-body",
    "A notification is a POST with a StreamResponse that has exactly one member",
    needs=NEEDS,
    mutants=("push.bare-events", "push.two-members", "push.early-states-in-new"),
)
async def notifications_are_stream_responses(lab: A2aLab) -> None:
    """Every notification of a task that sends chunks is read: its one member is whole, and names states as 1.0 does."""
    deliveries, _ = await observed(lab, await lab.hook())
    lab.expect(notifications.misshapen(deliveries))


@check(
    "a2a.push.body-03",
    "A notification of 0.3 is a Task, and the last one is as stored",
    needs=NEEDS,
    mutants=("push.events-in-0.3", "push.final-task-stale"),
)
async def early_notifications_are_tasks(lab: A2aLab) -> None:
    """Every notification of a task that sends chunks is read. That the last one shows what is stored then is a
    SHOULD."""
    deliveries, told = await observed(lab, await lab.hook())
    if lab.expect(notifications.no_task(deliveries)):
        lab.expect(softly(notifications.agrees(deliveries, told.task)))


def softly(found: Violation | None) -> Violation | None:
    return expect.that(False, found.expected, found.actual, *found.records, soft=True) if found else None


@check(
    "a2a.push.content-type",
    "A notification is of the media type application/a2a+json",
    needs=NEEDS,
    mutants=("push.without-media-type",),
)
async def notifications_name_their_media_type(lab: A2aLab) -> None:
    """The Content-Type of every notification. Release 1.0.0 had application/json, which is noted."""
    deliveries, _ = await observed(lab, await lab.hook())
    found = {media_type(delivery): delivery.record for delivery in deliveries}
    if "application/json" in found:
        lab.note("application/json, as release 1.0.0 had it", found["application/json"], expected="a2a+json")
    foreign = found.keys() - {"application/a2a+json", "application/json"}
    records = [found[name] for name in foreign]
    lab.expect(expect.that(not foreign, "application/a2a+json", ", ".join(foreign) or "no media type", *records))


def media_type(delivery: Delivery) -> str:
    return (delivery.header("Content-Type") or "").partition(";")[0].strip().lower()


@check(
    "a2a.push.auth-header",
    "A notification carries the credentials of its configuration",
    needs=NEEDS,
    mutants=("push.without-credentials", "push.scheme-always-bearer"),
)
async def notifications_carry_credentials(lab: A2aLab) -> None:
    """Two configurations with credentials of the schemes Bearer and Basic: every notification has the one header."""
    settings = [{"scheme": scheme, "credentials": lab.effects.fresh_key()} for scheme in ("Bearer", "Basic")]
    for given, (deliveries, _) in zip(settings, await observed_at_once(lab, *settings), strict=True):
        found = judge.carries(deliveries, "Authorization", f"{given['scheme']} {given['credentials']}")
        # 0.3 says in its guide that the agent must, and in its example only that it might.
        lab.expect(softly(found) if lab.version == "0.3" else found)


@check(
    "a2a.push.token-header",
    "A notification carries the token of its configuration",
    needs=NEEDS,
    mutants=("push.without-token", "push.token-or-credentials"),
)
async def notifications_carry_tokens(lab: A2aLab) -> None:
    """A configuration with a token, and one with a token and credentials: every notification has both, each in its
    own header."""
    alone = {"token": lab.effects.fresh_key()}
    beside = {"token": lab.effects.fresh_key(), "scheme": "Bearer", "credentials": lab.effects.fresh_key()}
    for given, (deliveries, _) in zip((alone, beside), await observed_at_once(lab, alone, beside), strict=True):
        lab.expect(judge.carries(deliveries, TOKEN, given["token"]))


@check(
    "a2a.push.task-id-consistent",
    "A notification names its task and its context, and no other's",
    needs=NEEDS,
    mutants=("push.context-as-task", "push.everybodys-events"),
)
async def notifications_name_their_task(lab: A2aLab) -> None:
    """Two tasks run at once, each with a webhook: neither hears of the other, and all is named."""
    for deliveries, told in await observed_at_once(lab, {}, {}):
        lab.expect(notifications.astray(deliveries, told.task))


@check(
    "a2a.push.same-events-as-stream",
    "The notifications of a task are the events of its stream, and agree with what is stored",
    needs={*NEEDS, Feature.STREAMING},
    mutants=("push.states-only", "push.chunks-lost"),
)
async def notifications_repeat_the_stream(lab: A2aLab) -> None:
    """One task is streamed and notified: the same events in the same order. The last state that is notified and the
    chunks, put together, are what GetTask gives."""
    deliveries, told = await observed(lab, await lab.hook())
    if lab.expect(notifications.same_events(deliveries, told.stream)):
        lab.expect(notifications.agrees(deliveries, told.task))
