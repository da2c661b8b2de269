"""AG-UI: streams and inputs that the network cuts into pieces."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from seatrial import AguiLab, AguiSession, Isolation, Play, Reason, Role, Run, check, expect
from seatrial.faults import DOWN, UP, slices

from ..threads import concluded

TEXT = "naïve café, 3 €, 船が出る 🚢🌊"
"""Characters of two, three and four bytes."""
CUTS = (
    slices(direction=UP, smallest=1, largest=1, most=4096),
    slices(direction=DOWN, smallest=1, largest=24, most=64),
)
"""Every byte of the input by itself, and the stream in small pieces."""

Telling = Callable[[Run], Any]


def piece_by_piece(run: Run) -> Any:
    return [(event.type, event.text("delta")) for event in run.events]


def as_a_whole(run: Run) -> Any:
    """For servers whose pieces are a matter of time."""
    return [kind for kind, _ in groupby(run.types)], run.text


@check(
    "agui.dedup.no-duplicate-events",
    "A run is told by the same events, however the network cuts its bytes",
    needs={Role.CHAT},
    faults=("slice",),
    mutants=("segments.decoded-apart", "segments.first-read-only"),
    isolation=Isolation.SESSION,
)
async def segments_change_nothing(lab: AguiLab) -> None:
    """A prompt with characters of several bytes is played twice as it is, then twice through a network that delivers
    the input byte by byte and the stream in small pieces: the same events must come, with the same text. Where the
    pieces of the text differ by themselves, the whole is compared. Nothing else may cut these bytes."""
    play = await lab.effects.plan(Role.CHAT, text=TEXT)
    async with lab.session(ambient=False) as session:
        plain = [await _finished(lab, session, play) for _ in range(2)]
    telling = next((t for t in (piece_by_piece, as_a_whole) if t(plain[0]) == t(plain[1])), None)
    if telling is None:
        lab.inconclusive(Reason.STIMULUS_FAILED, "equal inputs are answered differently", *(r.sent for r in plain))
    async with lab.session(*CUTS, ambient=False) as session:
        for _ in range(2):
            run = await session.play(play)
            outcome = await concluded(lab, run, play)
            lab.require(expect.answered(outcome, "an input in many segments is served"))
            same = telling(run) == telling(plain[0])
            lab.expect(expect.that(same, expect.shown(telling(plain[0])), telling(run), plain[0].sent, outcome))


async def _finished(lab: AguiLab, session: AguiSession, play: Play) -> Run:
    run = await session.play(play)
    lab.need(await concluded(lab, run, play), "the stimulus chat")
    return run
