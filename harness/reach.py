"""Before the cases of a run: reach the target, and find out what it speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from .berth import Berth, Rig, Unfit
from .care import consider, inspect
from .claims import Claims
from .model import Column
from .options import Options
from .pace import Withheld
from .protocols import driver_of, names
from .protocols.driver import Inquiry, Session, Unspoken
from .protocols.outcome import Lost, Outcome
from .target import StartFailure


class Unreachable(Exception):
    """The target cannot be reached or does not speak the protocol: one finding for the whole run."""


async def reach(berth: Berth, options: Options) -> None:
    """Moor, and set the driver and the claims of the berth. Raises Unreachable."""
    failures: list[BaseException] = []
    try:
        await berth.moor()
        await consider(berth, options.conduct)
        berth.claims = await _Discovery(berth, options).claims()
        await inspect(berth)
    except* (StartFailure, Unfit, Unspoken, Withheld) as group:
        failures += group.exceptions
    if failures:
        raise Unreachable(berth.transcript.redactor.text(str(failures[0])))


@dataclass(slots=True, eq=False)
class _Discovery:
    """The search for what a target speaks."""

    berth: Berth
    options: Options
    _probes: list[Session] = field(default_factory=list)

    async def claims(self) -> Claims:
        """What the target speaks; of its own protocol, or of the first in which it answers."""
        reasons, lost = list[str](), list[Outcome]()
        for name in self._protocols():
            self.berth.driver = driver_of(name)
            claims, failures, why = await self._claimed()
            if claims.spoken:
                return claims
            lost += failures
            reasons.append(why)
        if len(reasons) > 1 and (silence := _only_reason(lost)):
            reasons = [f"gives no answer: {silence}"]
        told = "; ".join(dict.fromkeys(reasons)) or "has a protocol without these versions"
        raise Unreachable(self.berth.transcript.redactor.text(f"{self.berth.target.address} {told}"))

    def _protocols(self) -> list[str]:
        """The target's own, or those that it may speak: with a version that is asked for."""
        target, asked = self.berth.target, set(self.options.versions or self.berth.target.versions)
        known = (target.protocol,) if target.protocol else names(target.listens)
        return [name for name in known if not asked or asked & set(driver_of(name).versions)]

    async def _claimed(self) -> tuple[Claims, list[Outcome], str]:
        """What is spoken of the driver's protocol; where nothing is, what came instead, and why."""
        claims, failures, why = Claims(), list[Outcome](), ""
        try:
            claims, failures = await self._asked()
            why = "" if claims.spoken else self.berth.driver.reason(failures)
        except* Withheld as group:
            why = f"cannot be asked what it speaks: {_first(group)}"
        return claims, failures, why

    async def _asked(self) -> tuple[Claims, list[Outcome]]:
        """Everything that was wanted of the driver's protocol, asked for."""
        target, known = self.berth.target, self.berth.driver
        wanted = self.options.versions or target.versions or known.versions
        versions = [version for version in wanted if version in known.versions]
        bindings = self.options.bindings or target.bindings or known.bindings(target.listens)
        asked = Inquiry(
            tuple(dict.fromkeys(versions)),
            tuple(dict.fromkeys(bindings)),
            beside=tuple(version for version in known.versions if version not in versions),
            release=target.release,
            milestone=target.milestone,
            stimuli=self.berth.stimuli,
            capabilities_url=target.capabilities_url,
        )
        claims = Claims()
        try:
            claims, failures = await known.discover(asked, self._probe)
        finally:
            with anyio.CancelScope(shield=True):
                await self._keep_probes(claims)
        return claims, failures

    @asynccontextmanager
    async def _probe(self, version: str, binding: str) -> AsyncIterator[Session]:
        """A fresh session with nothing sent."""
        recorder = self.berth.recorder(Column(version, binding, self.options.profile), "discovery")
        session = await self.berth.session(version, binding, recorder, self.berth.tasks, Rig())
        self._probes.append(session)
        yield session

    async def _keep_probes(self, claims: Claims) -> None:
        """The sessions of discovery that came to stand are lent to the cases; the others are closed."""
        async with anyio.create_task_group() as tasks:
            for session in self._probes:
                if claims.find(session.version, session.binding):
                    column = Column(session.version, session.binding, self.options.profile)
                    self.berth.pool.setdefault(column, []).append(session)
                else:
                    tasks.start_soon(session.aclose)
        self._probes.clear()


def _only_reason(failures: Sequence[Outcome]) -> str:
    """Why nothing whatever came back, where that is the same for all that was asked; else empty."""
    reasons = {failure.why if isinstance(failure, Lost) and not failure.reply.status else "" for failure in failures}
    return reasons.pop() if len(reasons) == 1 else ""


def _first(group: BaseExceptionGroup[Withheld]) -> BaseException:
    """The first exception in a group."""
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
