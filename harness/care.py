"""Treating the target of a run as is due to it: whose it is, and what it may be made to do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from .berth import Berth
from .conduct import LARGEST, Conduct, Leave, loopback
from .faults import Fault
from .model import Column, Harm, Reason
from .pace import Pace, Withheld
from .target import StartFailure
from .transport.network import Network
from .wire.json import JsonError, loads


@cache
def user_agent(contact: str = "") -> str:
    """What we call ourselves, and whom to turn to."""
    name = f"seatrial/{version('seatrial')}"
    return f"{name} (+{contact})" if contact else name


async def consider(berth: Berth, conduct: Conduct) -> None:
    """Find out whether the moored target is somebody else's, and keep to its terms from now on.

    Raises StartFailure where it cannot be done what is wanted on these terms.
    """
    target, main = berth.target, berth.main
    attached = (main.url, *target.replicas) if main is not None and main.process is None else ()
    berth.agent = user_agent(conduct.contact or target.contact)
    berth.abroad = any([await foreign(target.network, url) for url in attached])
    berth.terms = conduct.towards(berth.abroad)
    berth.pace = Pace(berth.terms.rate, berth.terms.budget)
    if berth.terms.gentle:
        _require_none(berth.malign)
        _grant(berth, Leave(berth.target.stimuli))


def _require_none(malign: Sequence[Fault]) -> None:
    """Raises StartFailure for faults around the whole run that may disturb a stranger."""
    if malign:
        raise StartFailure(f"safe mode breaks nothing; for the fault {malign[0]} the run needs --allow-effects")


async def foreign(network: Network, url: str) -> bool:
    """Whoever is attached to is a stranger, unless every address of his is this machine's own."""
    return not loopback(await network.addresses(urlsplit(url).hostname or ""))


async def inspect(berth: Berth) -> None:
    """See what there is to be asked for, once it is known what the target speaks: what it calls read-only is played."""
    newest = max(berth.claims.spoken, key=lambda spoken: spoken.version)
    column = Column(newest.version, newest.binding)
    if berth.terms.gentle:
        async with berth.lent(column, berth.recorder(column, "tools")) as session:
            offer = await berth.driver.offer(session)
        _grant(berth, Leave(berth.target.stimuli, *offer))


def _grant(berth: Berth, leave: Leave) -> None:
    berth.stimuli, berth.barred = leave.played, leave.barred
    berth.guard = partial(_guarded, berth, leave)


def _guarded(berth: Berth, leave: Leave, body: bytes | None, shown: Any) -> None:
    if len(body or b"") > LARGEST:
        raise Withheld(Reason.UNSAFE, f"{Harm.MALFORMED}: a body of {len(body or b'')} bytes")
    for asked in berth.driver.asks(_message(shown) if body else None):
        if refusal := leave.refusal(asked):
            raise Withheld(Reason.UNSAFE, refusal)


def _message(shown: Any) -> Any:
    """What a body says. Raises Withheld for one that nobody can read."""
    if not isinstance(shown, str):
        return shown
    try:
        return loads(shown)
    except JsonError as error:
        raise Withheld(Reason.UNSAFE, f"{Harm.MALFORMED}: a body that is no JSON") from error
