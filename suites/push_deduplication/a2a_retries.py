"""A2A: what becomes of a notification that was not acknowledged."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from seatrial import A2aLab, Delivery, Feature, Hook, Isolation, Reason, Role, Violation, acts, check, expect
from seatrial.judge import deliveries as judge
from seatrial.judge.a2a.notifications import event

from .notifying import RETRY, disturbed, played

NEEDS: set[Role | Feature] = {Feature.PUSH, Role.ECHO}


def failed(deliveries: Sequence[Delivery]) -> list[list[Delivery]]:
    """The attempts of each event whose first one was not acknowledged."""
    return [tries for tries in judge.attempts(deliveries, event) if not tries[0].acknowledged]


def all_received(deliveries: Sequence[Delivery]) -> bool:
    """Something was not acknowledged at first, and everything was in the end."""
    tries = failed(deliveries)
    return bool(tries) and all(any(delivery.acknowledged for delivery in found) for found in tries)


def tried_again(deliveries: Sequence[Delivery]) -> bool:
    """An event that was not acknowledged came again."""
    return any(len(tries) > 1 for tries in failed(deliveries))


def retried(deliveries: Sequence[Delivery], what: str) -> Violation | None:
    """Every event that failed was tried again."""
    given_up = [tries[0] for tries in failed(deliveries) if len(tries) == 1]
    actual = f"{len(given_up)} deliveries were not tried again, beginning with {given_up[0].number}" if given_up else ""
    return expect.that(not given_up, f"a retry after {what}", actual, *(delivery.record for delivery in given_up[:20]))


DOWN = 0.5
"""Seconds for which a receiver is down after the end of a task."""
HANGING = 12.0
"""Seconds within which a sender that is to be seen to retry must have given up a receiver that does not answer."""


def first_over(deliveries: Sequence[Delivery]) -> bool:
    """The first delivery is over."""
    return deliveries[0].ended is not None


BOUND = 30.0
"""Seconds within which retries must be seen to have ended."""


async def calm(lab: A2aLab, hook: Hook) -> bool:
    """Whether nothing came for clearly longer than the longest wait before, in good time."""
    with anyio.move_on_after(lab.tempo.scaled(BOUND)):
        while True:
            waits = judge.gaps(hook.deliveries)
            known = len(hook.deliveries)
            enough = lab.tempo.scaled(2.0) + 2 * max(waits, default=0.0)
            if not await hook.delivered(known + 1, hook.deliveries[-1].began + enough - anyio.current_time()):
                return True
    return False


@check(
    "a2a.push.retry-on-5xx",
    "A delivery that the receiver fails to take is retried with growing gaps, until it is taken",
    needs=NEEDS,
    faults=("ack",),
    mutants=("push.no-retry", "push.constant-gap", "push.retries-after-success"),
    isolation=Isolation.SESSION,
    patience=5.0,
)
async def failed_deliveries_are_retried(lab: A2aLab) -> None:
    """A receiver answers 500, then 503, then takes everything: what failed is tried again, each time after a longer
    wait, and no more once it was taken."""
    hook = await lab.hook(acts.ack(500), acts.ack(503), acts.ack())
    await disturbed(lab, hook)
    await hook.until(all_received, lab.tempo.scaled(RETRY))
    await calm(lab, hook)
    lab.expect(retried(hook.deliveries, "500 and 503"))
    lab.expect(judge.gaps_grow(hook.deliveries, event))
    lab.expect(judge.stopped_after_success(hook.deliveries, event))


@check(
    "a2a.push.retry-on-timeout-refused",
    "A delivery that got no answer is retried",
    needs=NEEDS,
    faults=("accept_then_close", "ack_lost", "ack_slow", "receiver_down"),
    mutants=("push.no-retry-without-answer",),
    isolation=Isolation.SESSION,
    patience=6.0,
)
async def unanswered_deliveries_are_retried(lab: A2aLab) -> None:
    """Four receivers at once: one closes the connection without an answer, one resets it, one is down for a second,
    and one never answers the first delivery. Once none of the others was called again, the last is not waited for."""
    tries = {
        "a connection that was closed": await lab.hook(acts.accept_then_close(), acts.ack()),
        "a connection that was reset": await lab.hook(acts.ack_lost(), acts.ack()),
    }
    silent, down = await lab.hook(acts.ack_slow(), acts.ack()), await lab.hook(acts.receiver_down())
    async with anyio.create_task_group() as waiting:
        waiting.start_soon(_unanswered, lab, "a delivery that got no answer", silent)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_down, lab, down)
            for what, hook in tries.items():
                tasks.start_soon(_unanswered, lab, what, hook)
        if not (down.deliveries or any(tried_again(hook.deliveries) for hook in tries.values())):
            waiting.cancel_scope.cancel()


async def _unanswered(lab: A2aLab, what: str, hook: Hook) -> None:
    await disturbed(lab, hook)
    if await hook.until(first_over, lab.tempo.scaled(HANGING)):
        await hook.until(all_received, lab.tempo.scaled(RETRY))
        lab.expect(retried(hook.deliveries, what))
    else:
        lab.note(f"the sender still waits for an answer after {HANGING:.0f} s", hook.deliveries[0].record)


async def _down(lab: A2aLab, hook: Hook) -> None:
    """Refused connections cannot be seen: what is told later than the end of the task was refused before."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.ECHO)
        told = await played(lab, session, play, session.push_config(hook.url))
    await lab.quiet(DOWN)
    try:
        await hook.come_up()
    except OSError as error:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the receiver cannot listen on its port again: {error}")
    came = await hook.delivered(1, lab.tempo.scaled(RETRY - DOWN))
    lab.expect(expect.that(came, "a retry after a refused connection", "none came", told.task.record))


@check(
    "a2a.push.no-retry-on-2xx",
    "Every 2xx counts as received",
    needs=NEEDS,
    mutants=("push.only-200-counts",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def every_2xx_is_an_acknowledgement(lab: A2aLab) -> None:
    """A receiver answers 202, 204, 201 and 200 in turn: each event comes once."""
    hook = await lab.hook(acts.ack(202), acts.ack(204), acts.ack(201), acts.ack())
    await disturbed(lab, hook)
    await hook.silent(lab.tempo.scaled(2.0), lab.tempo.scaled(RETRY))
    lab.expect(judge.duplicates(hook.deliveries))


def first_event_fails(deliveries: Sequence[Delivery]) -> acts.Act:
    """A program: one event is never taken, all others are."""
    return acts.ack(500) if event(deliveries[-1]) == event(deliveries[0]) else acts.ack()


@check(
    "a2a.push.bounded-retries",
    "Retries end, and what happens later is notified all the same",
    needs=NEEDS,
    faults=("ack", "gone"),
    mutants=("push.retries-forever", "push.failure-ends-all", "push.gone-retried"),
    isolation=Isolation.SESSION,
    patience=3.0,
)
async def retries_end(lab: A2aLab) -> None:
    """A receiver never takes the first event, but all others: the attempts end, and the others come. Another answers
    410: it is not asked again to take what it does not want."""
    hook, gone = await lab.hook(program=first_event_fails), await lab.hook(acts.gone())
    await disturbed(lab, gone)
    await disturbed(lab, hook)
    ended = await calm(lab, hook)
    records = [delivery.record for delivery in hook.deliveries[-5:]]
    lab.expect(expect.that(ended, "retries that end", f"{len(hook.deliveries)} deliveries, and no end", *records))
    later = [delivery for delivery in hook.deliveries if event(delivery) != event(hook.deliveries[0])]
    lab.expect(expect.that(bool(later), "later events", "only the first one came", *records))
    again = [tries for tries in judge.attempts(gone.deliveries, event) if len(tries) > 1]
    numbers = [delivery.record for tries in again for delivery in tries]
    lab.expect(expect.that(not again, "no retry after 410", f"{len(again)} events were tried again", *numbers))


GIVEN_UP = 31.0
"""Seconds after which a receiver that does not answer must have been given up (1.0: 4.3.3 recommends 10 to 30)."""


@check(
    "a2a.push.timeout-reasonable",
    "A receiver that does not answer is given up within 30 seconds",
    needs=NEEDS,
    faults=("ack_slow",),
    mutants=("push.waits-forever",),
    isolation=Isolation.SESSION,
    patience=5.0,
)
async def silent_receivers_are_given_up(lab: A2aLab) -> None:
    """A receiver takes the first delivery and never answers: its sender ends the connection."""
    hook = await lab.hook(acts.ack_slow())
    await disturbed(lab, hook)
    left = await hook.until(first_over, lab.tempo.scaled(GIVEN_UP))
    first = hook.deliveries[0]
    lab.expect(expect.that(left, "an end within 30 s", f"still waiting after {GIVEN_UP:.0f} s", first.record))
