"""AG-UI: runs set against the same run played on a thread of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial import AguiLab, AguiSession, Answer, Outcome, Play, Reason, Role, Run
from seatrial.judge.agui import Rule

from ..threads import broken_rules, patience

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Berthed:
    """A run with a marker of its own in all that its input names. It is played to its end, which is `outcome`."""

    marker: str
    play: Play
    run: Run
    outcome: Outcome

    @property
    def told(self) -> Mapping[str, str]:
        """What it said and the state that it left, the marker aside: the same run elsewhere tells the same."""
        told = {"text": self.run.text, "state": json.dumps(self.run.state, sort_keys=True)}
        return {name: value.replace(self.marker, "") for name, value in told.items()}

    @property
    def own_ids(self) -> frozenset[str]:
        """The ids that the server made for it."""
        named = (event.text(name) for event in self.run.events for name in ("messageId", "toolCallId"))
        return frozenset(ident for ident in named if ident and self.marker not in ident)


@dataclass(frozen=True, slots=True)
class Alone:
    """What a role is like when nothing else runs: what it tells each time, text and state, without what varies; the
    rules of the grammar that it keeps; the ids that the server gave to more than one run; their markers."""

    told: Mapping[str, str]
    kept: frozenset[Rule]
    ids: frozenset[str]
    markers: frozenset[str]


async def marked(lab: AguiLab, role: Role, **plan: Any) -> tuple[str, Play]:
    """A play whose prompt has a marker, where its stimulus takes one."""
    marker = lab.effects.fresh_key()
    return marker, await lab.effects.plan(role, key=marker, text=marker, **plan)


def naming(marker: str) -> Object:
    """The wishes of a run that has the marker in its ids and in its state."""
    return {"thread": f"thread-{marker}", "run": f"run-{marker}", "state": {"berth": marker}}


async def alone(lab: AguiLab, session: AguiSession, role: Role, times: int = 3, **wishes: Any) -> Alone:
    """Play a role so many times, one after the other, each on a new thread. Raises Inconclusive when one fails."""
    runs = [await berthed(lab, session, role, **wishes) for _ in range(times)]
    for one in runs:
        if not isinstance(one.outcome, Answer):
            lab.inconclusive(Reason.STIMULUS_FAILED, f"the stimulus {role.value} fails when left alone", one.outcome)
    told = {name: value for name, value in runs[0].told.items() if all(one.told[name] == value for one in runs)}
    kept = frozenset(Rule).difference(*(broken_rules(lab, one.run) for one in runs))
    markers = frozenset(one.marker for one in runs)
    return Alone(told, kept, repeated_ids(runs), markers)


def repeated_ids(runs: Sequence[Berthed]) -> frozenset[str]:
    """Ids that the server gave out in more than one of the runs."""
    times = Counter(ident for one in runs for ident in one.own_ids)
    return frozenset(ident for ident, number in times.items() if number > 1)


async def berthed(
    lab: AguiLab,
    session: AguiSession,
    role: Role,
    *,
    plan: Object | None = None,
    beside: Play | None = None,
    **wishes: Any,
) -> Berthed:
    """One run of a role, to its end; `beside` which other play it may have to wait for."""
    marker, play = await marked(lab, role, **(plan or {}))
    run = await session.play(play, **{**naming(marker), **wishes})
    patient = max(patience(lab, play), patience(lab, beside)) if beside else patience(lab, play)
    return Berthed(marker, play, run, await run.conclude(patient))
