"""All faults by name, where each is mounted, and the profile of those that must change nothing."""

from __future__ import annotations

from .body import Oversize, TruncateBody
from .cancel import CancelRace, DoubleCancel, LateAnswer
from .clock import HarnessJump, Skew
from .coding import Recode
from .company import Concurrent, Pipeline, ReorderResponses
from .connect import Blackhole, Refuse
from .event_streams import CrOnly, TwoStreams, UnterminatedTail
from .fault import Fault, Mount
from .frames import CloseCode, Fragment, NoCloseHandshake, PingFlood, Rsv, Unmasked
from .headers import Case, DuplicateHeader, RenameHeader, RewriteType, StripHeaders
from .http import (
    Buffer,
    DropResponse,
    DuplicateResponse,
    Informational,
    KeepaliveChurn,
    Redirect,
    ReplayRequest,
    RoundRobin,
    Status,
)
from .message import CapabilityLie, Malform, UnknownId, VersionSkew
from .process import (
    FullPipe,
    PipeMerge,
    PipeSplit,
    Sigkill,
    Sigstop,
    Sigterm,
    StderrNoise,
    StdinEof,
    StdoutGarbage,
)
from .rate import SlowLoris, Throttle
from .sse import Blank, Bom, DropEvent, DuplicateEvent, InjectComment, MutateId, ReorderEvents, RetryField
from .stage import Direction, How
from .stream import Corrupt, Cut, HalfClosed, Latency, Slice, SlowClose, SplitAt, Stall
from .topology import Failover, Pause, Restart, StaleReplica
from .trigger import CONNECT, Connect, Eof, Events, First, Octets, Trigger

FAULTS: dict[str, type[Fault]] = {
    kind.name: kind
    for kind in (
        *(Latency, Throttle, Slice, SplitAt, Stall, Cut, HalfClosed),
        *(SlowLoris, SlowClose, Corrupt, Refuse, Blackhole),
        *(Status, DropResponse, ReplayRequest, DuplicateResponse, ReorderResponses),
        *(TruncateBody, Informational, Recode, Buffer),
        *(StripHeaders, RenameHeader, DuplicateHeader, Case, RewriteType),
        *(Oversize, Redirect, KeepaliveChurn, Pipeline, Concurrent, RoundRobin),
        *(DuplicateEvent, ReorderEvents, DropEvent, MutateId, InjectComment, Blank),
        *(Bom, CrOnly, RetryField, UnterminatedTail, TwoStreams),
        *(Malform, LateAnswer, CancelRace, DoubleCancel, UnknownId, VersionSkew, CapabilityLie),
        *(PipeSplit, PipeMerge, StderrNoise, StdoutGarbage, StdinEof, Sigterm, Sigkill, Sigstop, FullPipe),
        *(Fragment, PingFlood, CloseCode, NoCloseHandshake, Unmasked, Rsv),
        *(Failover, Restart, Pause, StaleReplica, Skew, HarnessJump),
    )
}

_ON_BYTES = (Connect, Eof, First, Octets)
"""Triggers that a byte pump can count without knowing HTTP."""


def reset(*, on: str = "", after: Trigger = CONNECT, times: int = 1) -> Cut:
    """The catalogue's name of a cut by RST."""
    return Cut(on=on, after=after, times=times, how=How.RESET)


def cut_after_events(n: int = 1, *, on: str = "", how: How = How.FIN, times: int = 1) -> Cut:
    """The catalogue's name of a cut after n whole events."""
    return Cut(on=on, after=Events(n), how=how, times=times)


def limit(n: int, *, on: str = "", direction: Direction = Direction.DOWN, how: How = How.FIN, times: int = 1) -> Cut:
    """The catalogue's name of a cut after n bytes."""
    return Cut(on=on, after=Octets(n), direction=direction, how=how, times=times)


def mount_for(fault: Fault, binding: str) -> Mount | None:
    """Where a fault is mounted for a binding; None where it cannot be."""
    if binding == "stdio":
        place = Mount.PIPE if not fault.on and not isinstance(fault.after, Events) else None
    else:
        plain = not fault.on and isinstance(fault.after, _ON_BYTES) and Mount.LINK in fault.mounts
        place = Mount.LINK if plain else Mount.RELAY
    return place if place in fault.mounts else None


def benign_profile() -> tuple[Fault, ...]:
    """What surrounds a whole run that must change no verdict."""
    return (
        Latency(seconds=0.005, jitter=0.01),
        Throttle(rate=1024 * 1024, burst=16 * 1024),
        Slice(most=1),
        SplitAt(inside="any", most=2),
        Buffer(),
        Recode(),
        InjectComment(),
        Blank(),
        KeepaliveChurn(every=3),
        Fragment(),
        PipeSplit(),
        PipeMerge(),
        StderrNoise(),
    )
