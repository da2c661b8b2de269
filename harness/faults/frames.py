"""Faults of WebSocket frames (RFC 6455). They work behind the handshake, between whole frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import ClassVar

from ..wire.websocket import Frame, FrameDecoder, FrameTooLong, Opcode
from .exchange import HttpRequest, header
from .fault import Armed, Fault, FaultError, Mount
from .stage import Action, Direction, End, Flow, Framing, Gap, How, Stage
from .stream import INSIDES, AtTrigger
from .trigger import Connect, Messages, Requests


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameFault(Fault):
    """Between frames, or on the frame that comes next, once `after` is reached in its direction. Up is the client's."""

    mounts: ClassVar[frozenset[Mount]] = frozenset({Mount.RELAY})
    direction: Direction = Direction.UP

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if not isinstance(self.after, Connect | Requests | Messages):
            raise FaultError(f"{self.name}: after is connect, request(n) or messages(n)")

    def concerns(self, request: HttpRequest) -> bool:
        return header(request.headers, "upgrade").lower() == "websocket" and request.matches(self.on)

    def stage(self, armed: Armed, flow: Flow) -> Stage | None:
        mine = flow.framing is Framing.WEBSOCKET and self.direction.covers(flow.direction)
        return self.framed(armed, flow) if mine else None

    def framed(self, armed: Armed, flow: Flow) -> Stage:
        """What it does to the frames of one direction."""
        raise NotImplementedError


def _key(armed: Armed, flow: Flow) -> bytes | None:
    """What masks frames of our own: a client's are masked, a server's are not (5.1)."""
    return armed.random(f"{flow.name}/key").randbytes(4) if flow.direction is Direction.UP else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PingFlood(FrameFault):
    """So many pings come between two frames, at so many a second; what is behind them waits."""

    name: ClassVar[str] = "ping_flood"
    count: int = 100
    rate: float = 1000.0

    def __post_init__(self) -> None:
        FrameFault.__post_init__(self)
        if not self.rate or not self.count:
            raise FaultError("ping_flood: count and rate are more than 0")

    def framed(self, armed: Armed, flow: Flow) -> Stage:
        key, gap = _key(armed, flow), Gap(1 / self.rate)
        pings = (Frame(Opcode.PING, str(n).encode(), key=key).encode() for n in range(1, self.count + 1))
        return AtTrigger(armed, flow, tuple(action for ping in pings for action in (ping, gap)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseCode(FrameFault):
    """A Close frame with this code and reason comes; what the peer says behind it is dropped, the connection stays."""

    name: ClassVar[str] = "close_code"
    code: int = 1001
    reason: str = ""

    def __post_init__(self) -> None:
        FrameFault.__post_init__(self)
        if self.code > 0xFFFF or len(self.reason.encode()) > 123:
            raise FaultError("close_code: code is at most 65535, reason at most 123 bytes")

    def framed(self, armed: Armed, flow: Flow) -> Stage:
        payload = self.code.to_bytes(2, "big") + self.reason.encode()
        return _Closing(armed, flow, (Frame(Opcode.CLOSE, payload, key=_key(armed, flow)).encode(),))


class _Closing(AtTrigger):
    """Nothing passes behind what it puts in."""

    _closed = False

    def feed(self, data: bytes) -> Iterator[Action]:
        for action in super().feed(data):
            yield b"" if self._closed else action
            self._closed |= action in self._effect


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCloseHandshake(FrameFault):
    """The connection ends between two frames, by FIN or by RST, and no Close frame comes before."""

    name: ClassVar[str] = "no_close_handshake"
    how: How = How.FIN

    def __post_init__(self) -> None:
        FrameFault.__post_init__(self)
        if self.how not in (How.FIN, How.RESET):
            raise FaultError("no_close_handshake: how is fin or reset")

    def framed(self, armed: Armed, flow: Flow) -> Stage:
        return AtTrigger(armed, flow, (End(self.how),))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReframingFault(FrameFault):
    """Makes other frames of a frame."""

    def framed(self, armed: Armed, flow: Flow) -> Stage:
        return _Reframed(armed, flow, self)

    def reframed(self, frame: Frame, random: Random) -> Sequence[Frame] | None:
        """What comes instead of a frame; None: it is none to work on."""
        raise NotImplementedError


class _Reframed(Stage):
    """Frames that it does not work on keep their bytes, and so does all that comes behind one that is too long."""

    def __init__(self, armed: Armed, flow: Flow, fault: ReframingFault) -> None:
        self._armed, self._flow, self._fault = armed, flow, fault
        self._counter, self._decoder = fault.after.counter(flow.framing), FrameDecoder()
        self._random = armed.random(f"{flow.name}/{flow.direction}")
        self._due = self._lost = self._noted = False
        self._count = 0

    def feed(self, data: bytes) -> Iterator[Action]:
        if self._lost or not data:
            self._due |= self._counter.feed(b"") is not None
            yield data
            return
        try:
            for frame, raw in self._decoder.feed(data):
                yield from self._passed(frame, raw)
        except FrameTooLong:
            self._lost = True
            yield self._decoder.close()

    def _passed(self, frame: Frame, raw: bytes) -> Iterable[bytes]:
        self._count += 1
        made = self._fault.reframed(frame, self._random) if self._due else None
        fires = made is not None and self._fires()
        self._due |= self._counter.feed(raw) is not None
        return [one.encode() for one in made] if made and fires else [raw]

    def _fires(self) -> bool:
        """A fault that works on every frame is one firing for each connection."""
        if self._noted and self._fault.benign:
            return True
        self._noted = self._armed.fire(f"{self._flow.name} {self._flow.direction}, frame {self._count}")
        return self._noted

    def eof(self) -> Iterator[Action]:
        yield self._decoder.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment(ReframingFault):
    """Each message comes in frames of `smallest` to `largest` bytes; with `code_points`, inside code points too.

    Of one frame at most `most` are made that long, the last one has the rest.
    """

    name: ClassVar[str] = "fragment"
    times: int = 0
    direction: Direction = Direction.BOTH
    smallest: int = 1
    largest: int = 16
    code_points: bool = True
    most: int = 64

    def __post_init__(self) -> None:
        FrameFault.__post_init__(self)
        if not 1 <= self.smallest <= self.largest:
            raise FaultError("fragment: needs 1 <= smallest <= largest")

    @property
    def benign(self) -> bool:
        return True

    def reframed(self, frame: Frame, random: Random) -> Sequence[Frame] | None:
        """An extension tells by reserved bits of a message's first frame alone what it did to the message."""
        if frame.control or not (places := self._places(frame.payload, random)):
            return None
        parts = [frame.payload[a:b] for a, b in zip([0, *places], [*places, len(frame.payload)], strict=True)]
        made = [Frame(Opcode.CONTINUATION, part, fin=False, key=frame.key) for part in parts]
        made[0] = replace(made[0], opcode=frame.opcode, reserved=frame.reserved)
        made[-1] = replace(made[-1], fin=frame.fin)
        return made

    def _places(self, payload: bytes, random: Random) -> list[int]:
        """Where a payload is parted, in order."""
        places, place = set[int](), 0
        while len(places) < self.most and (place := place + random.randint(self.smallest, self.largest)) < len(payload):
            places.add(place)
        inside = INSIDES["code-point"].finditer(payload) if self.code_points else ()
        places.update(match.end() for match, _ in zip(inside, range(self.most), strict=False))
        return sorted(places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmasked(ReframingFault):
    """A frame of the client comes without its mask."""

    name: ClassVar[str] = "unmasked"

    def __post_init__(self) -> None:
        FrameFault.__post_init__(self)
        if self.direction is not Direction.UP:
            raise FaultError("unmasked: direction is up, for a server masks nothing")

    def reframed(self, frame: Frame, random: Random) -> Sequence[Frame] | None:
        return [replace(frame, key=None)] if frame.key else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rsv(ReframingFault):
    """A reserved bit of a frame is set: RSV1, which an extension may have given a meaning, RSV2 or RSV3."""

    name: ClassVar[str] = "rsv"
    bit: int = 3

    def __post_init__(self) -> None:
        FrameFault.__post_init__(self)
        if not 1 <= self.bit <= 3:
            raise FaultError("rsv: bit is 1, 2 or 3")

    def reframed(self, frame: Frame, random: Random) -> Sequence[Frame] | None:
        bit = 8 >> self.bit
        return None if frame.reserved & bit else [replace(frame, reserved=frame.reserved | bit)]
