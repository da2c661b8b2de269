"""Resources that are watched, and the notifications that their changes bring (older era)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seatrial import Answer, McpLab, Message, Reason, Role, Session, walk

from .hearing import UPDATED, everything, performed, settled

WATCHED = 20
"""Resources that are subscribed to at most."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of a session."""

    session: Session
    position: int

    def heard(self, method: str) -> list[Message]:
        """What came since, on whatever stream."""
        return [message for message in everything(self.session, self.position) if message.method == method]


def mark(session: Session) -> Mark:
    return Mark(session, len(session.received))


async def watchable(lab: McpLab, session: Session) -> Sequence[str]:
    """Resources that may be the one that the mutator changes: the known one, and the first of the list."""
    known = [lab.effects.stimulus(Role.RESOURCE).name] if lab.effects.has(Role.RESOURCE) else []
    listed = [entry.get("uri") for entry in (await walk(session, "resources/list", limit=5)).entries]
    return list(dict.fromkeys([*known, *(uri for uri in listed if isinstance(uri, str))]))[:WATCHED]


async def subscribe(lab: McpLab, session: Session, uris: Iterable[str]) -> list[str]:
    """Subscribe to each; those that the server accepted. Raises Inconclusive when it accepts none."""
    outcomes = [(uri, await session.request("resources/subscribe", {"uri": uri})) for uri in uris]
    accepted = [uri for uri, outcome in outcomes if isinstance(outcome, Answer)]
    if not accepted:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no subscription was accepted", *(o for _, o in outcomes[:5]))
    return accepted


async def changed(lab: McpLab, session: Session) -> list[Message]:
    """Play the mutator of resources once: the updates that this session hears."""
    play = await lab.effects.plan(Role.MUTATE_RESOURCE)
    since = mark(session)
    await performed(lab, session, play)
    await settled(lab, session, play)
    return since.heard(UPDATED)


def uri_of(update: Message) -> str:
    return str(update.params.get("uri"))


def covers(subscribed: Iterable[str], uri: str) -> bool:
    """An update may name a part of the resource that was subscribed to."""
    return any(uri == known or uri.startswith(known.rstrip("/") + "/") for known in subscribed)
