"""A webhook: a URL, a program for its deliveries, and everything that was delivered."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs

import anyio

from ..transcript import Kind, Recorder
from .acts import Act, ReceiverDown
from .conversation import Arrival, Conversation
from .delivery import Delivery, decoded
from .program import Program, Script
from .site import Site

DELIVERIES = 10_000
"""Deliveries that a hook keeps; any other is answered 503 and counted."""
KEPT = 64 * 1024 * 1024
"""Bytes of bodies that a hook keeps; likewise."""
CHALLENGES = 1000
QUESTIONS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(slots=True, eq=False)
class Hook:
    """`deliveries` holds every delivery in the order of arrival, repetitions included.

    `challenges`: questions by GET, HEAD or OPTIONS, as senders ask that verify an endpoint; they are answered
    politely and play no part in the program. `firings`: the record in which an act that disturbs a delivery took
    effect first, by its text form. `excess` counts what was beyond the limits and is not kept.
    """

    name: str
    site: Site
    program: Program
    recorder: Recorder
    alone: bool = False
    deliveries: list[Delivery] = field(default_factory=list)
    challenges: list[Delivery] = field(default_factory=list)
    firings: dict[str, int] = field(default_factory=dict)
    excess: int = 0
    _kept: int = 0
    _outage: anyio.Event | None = None
    _changed: anyio.Event = field(default_factory=anyio.Event)

    @property
    def url(self) -> str:
        return f"{self.site.origin}/{self.name}"

    # Waiting

    async def until(self, holds: Callable[[Sequence[Delivery]], bool], within: float) -> bool:
        """Wait until something holds of the deliveries, so many seconds at most; whether it does."""
        with anyio.move_on_after(within):
            while not holds(self.deliveries):
                await self._changed.wait()
        return holds(self.deliveries)

    async def delivered(self, number: int, within: float) -> bool:
        """Wait until so many deliveries have come."""
        return await self.until(lambda deliveries: len(deliveries) >= number, within)

    async def silent(self, seconds: float, within: float) -> bool:
        """Wait until nothing was delivered for so many seconds on end; whether that was so `within` its time."""
        with anyio.move_on_after(within):
            while await self.delivered(len(self.deliveries) + 1, seconds):
                pass
            return True
        return False

    # Outages

    async def settle(self) -> None:
        """Go down when the program says that it is time to."""
        due = self.program.due if isinstance(self.program, Script) else None
        if isinstance(due, ReceiverDown):
            await self.go_down(due.seconds)

    async def go_down(self, seconds: float = math.inf) -> None:
        """Refuse connections from now on, and end those that there are. Raises ValueError on a shared port."""
        if not self.alone:
            raise ValueError(f"the hook {self.name} shares its port: make it with alone=True to take it down")
        if self._outage is None:
            self._outage = anyio.Event()
            self._fired(ReceiverDown(seconds), self.name)
            if math.isfinite(seconds):
                self.site.tasks.start_soon(self._outlast, self._outage, seconds)
            await self.site.close()

    async def _outlast(self, outage: anyio.Event, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            return await outage.wait()
        try:
            await self.come_up()
        except OSError as error:
            self.recorder.note(Kind.NOTE, text=f"the hook {self.name} stays down: {error}")

    async def come_up(self) -> None:
        """Listen again on the same port, and go on in the program. Raises OSError when another took the port."""
        if self._outage is None:
            return
        await self.site.open()
        self.end_outage()
        if isinstance(self.program, Script) and isinstance(self.program.due, ReceiverDown):
            self.program.position += 1
            await self.settle()

    def end_outage(self) -> None:
        """Nobody waits any more for this outage to pass."""
        if self._outage:
            self._outage.set()
            self._outage = None

    # Deliveries

    async def take(self, arrival: Arrival, sender: Conversation) -> None:
        """One request to this hook, from its arrival to its end."""
        if arrival.http.verb in QUESTIONS:
            return await self._answer_question(arrival, sender)
        if len(self.deliveries) >= DELIVERIES or self._kept > KEPT:
            self.excess += 1
            return await sender.refuse(503)
        index = self._keep(arrival)
        try:
            await self._play(index, arrival, sender)
        finally:
            self._end(index, sender)
        return await self.settle()

    async def _play(self, index: int, arrival: Arrival, sender: Conversation) -> None:
        if arrival.oversize:
            return await sender.refuse(413)
        if not arrival.whole:
            return None
        act = self.program(self.deliveries[: index + 1])
        self._revise(index, act=str(act))
        if not act.benign and not isinstance(act, ReceiverDown):
            self._fired(act, f"{self.name}, delivery {index + 1}")
        await act.play(sender)
        return await self.go_down(act.seconds) if isinstance(act, ReceiverDown) else None

    def _keep(self, arrival: Arrival) -> int:
        """The index of a new delivery."""
        delivery = record(self.recorder, self.name, len(self.deliveries) + 1, arrival)
        self.deliveries.append(delivery)
        self._kept += len(delivery.body)
        self._notify()
        return delivery.number - 1

    def _end(self, index: int, sender: Conversation) -> None:
        now = anyio.current_time()
        left = sender.left and not sender.code
        self._revise(index, code=sender.code, answered=now if sender.code else None, ended=now, left=left)
        event = "answered" if sender.code else "left" if left else "ended"
        self.recorder.note(Kind.DELIVERY, operation(self.name), number=index + 1, event=event, status=sender.code)

    def _revise(self, index: int, **changes: Any) -> None:
        self.deliveries[index] = replace(self.deliveries[index], **changes)
        self._notify()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    def _fired(self, act: Act, at: str) -> None:
        number = self.recorder.note(Kind.FIRED, operation(self.name), fault=str(act), at=at)
        self.firings.setdefault(str(act), number)

    async def _answer_question(self, arrival: Arrival, sender: Conversation) -> None:
        """A token for validation is given back; the handshake of CloudEvents webhooks is answered."""
        if len(self.challenges) < CHALLENGES:
            self.challenges.append(record(self.recorder, self.name, len(self.challenges) + 1, arrival))
        asked = parse_qs(arrival.http.target.partition("?")[2])
        token = asked.get("validationToken", [""])[0] if arrival.http.verb == "GET" else ""
        headers = (("Content-Type", "text/plain"), ("Allow", "POST"), ("WebHook-Allowed-Origin", "*"))
        await sender.answer(200, headers, token.encode())


def operation(hook: str) -> str:
    """The name of a hook's records in the transcript; `hook:` is for requests to none."""
    return f"hook:{hook}"


def record(recorder: Recorder, hook: str, number: int, arrival: Arrival) -> Delivery:
    """What arrived, as a value and as a record of the transcript."""
    http, payload = arrival.http, decoded(arrival.http.body)
    body = {"raw": http.body.decode("utf-8", "replace")} if payload is None else {"message": payload}
    headers = list(http.headers)
    noted = recorder.note(
        Kind.DELIVERY, operation(hook), number=number, verb=http.verb, target=http.target, headers=headers, **body
    )
    now = anyio.current_time()
    return Delivery(
        hook, number, http.verb, http.target, http.headers, http.body, payload, arrival.whole, now, record=noted
    )
