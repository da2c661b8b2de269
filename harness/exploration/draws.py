"""Plans at random: of faults after which every promise of a target still binds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import (
    DOWN,
    FIN,
    RESET,
    STALL,
    UP,
    Fault,
    Trigger,
    cut,
    drop_response,
    eof,
    events,
    octets,
    sigstop,
    stall,
)
from ..faults import messages as message
from ..protocols.driver import PIPES

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

MOST = 3
"""Faults of one plan."""
PAUSES = (0.1, 0.5, 1.5)
"""Seconds for which a stream stands still."""


@dataclass(frozen=True, slots=True)
class Extent:
    """What a stimulus shows when nobody interferes: its method, the events of its longest answer, the bytes, and
    whether its events have ids, by which it can be resumed."""

    method: str = ""
    events: int = 0
    octets: int = 0
    resumable: bool = False


def plans(extent: Extent, exchanges: Sequence[str], binding: str) -> SearchStrategy[tuple[Fault, ...]]:
    """One to three faults; what hypothesis calls smaller has fewer, earlier and simpler ones.

    The first disturbs the answer to the stimulus, the others what a client does then to get the rest. Over pipes
    nothing is lost, because nobody could come back for it.
    """
    from hypothesis import strategies as st

    first, *later = exchanges
    if binding == PIPES:
        pauses = st.lists(st.one_of(*_pauses(extent)), min_size=1, max_size=MOST)
        return pauses.map(lambda drawn: tuple(dict.fromkeys(drawn)))
    cuts = _cuts(extent, first)
    begun = st.one_of(cuts, _standstills(extent, first)).map(lambda fault: (fault,))
    if not later:
        return begun
    more = st.lists(st.one_of(*(kind for on in later for kind in _returns(extent, on))), min_size=1, max_size=MOST - 1)
    return st.one_of(begun, st.tuples(cuts, more).map(lambda drawn: tuple(dict.fromkeys((drawn[0], *drawn[1])))))


def _places(extent: Extent) -> SearchStrategy[Trigger]:
    from hypothesis import strategies as st

    whole = [st.integers(1, extent.events).map(events)] if extent.events else []
    return st.one_of(*whole, st.integers(1, max(1, extent.octets)).map(octets), st.just(eof))


def _cuts(extent: Extent, on: str) -> SearchStrategy[Fault]:
    """Connections that end in the midst of an answer."""
    from hypothesis import strategies as st

    how = st.sampled_from((RESET, FIN, STALL))
    return st.builds(lambda after, how: cut(on=on, after=after, how=how), _places(extent), how)


def _standstills(extent: Extent, on: str) -> SearchStrategy[Fault]:
    """Answers that stand still for a while."""
    from hypothesis import strategies as st

    seconds = st.sampled_from(PAUSES)
    return st.builds(lambda after, seconds: stall(on=on, after=after, seconds=seconds), _places(extent), seconds)


def _returns(extent: Extent, on: str) -> Iterator[SearchStrategy[Fault]]:
    """What befalls a client that comes back: the same, or its answer is lost as a whole. Nobody who lost the answer
    to the stimulus so would know what to come back for."""
    from hypothesis import strategies as st

    how = st.sampled_from((RESET, FIN))
    yield _cuts(extent, on)
    yield _standstills(extent, on)
    yield st.builds(lambda how: drop_response(on=on, how=how), how)


def _pauses(extent: Extent) -> Iterator[SearchStrategy[Fault]]:
    """Pipes, or a process, that stand still for a while."""
    from hypothesis import strategies as st

    place, seconds = st.integers(1, max(2, extent.events)).map(message), st.sampled_from(PAUSES)
    way = st.sampled_from((DOWN, UP))
    yield st.builds(lambda after, s, way: stall(after=after, seconds=s, direction=way), place, seconds, way)
    yield st.builds(lambda after, seconds: sigstop(after=after, seconds=seconds), place, seconds)
