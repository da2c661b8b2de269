"""WebSocket frames (RFC 6455, 5.2), sans-IO: understood, yet kept byte for byte, whether they are legal or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

FRAME_LIMIT = 16 * 1024 * 1024
"""Bytes of payload of a frame that is taken in."""

_EXTENDED = {126: 2, 127: 8}
"""The seven bits of length that stand for another length in so many bytes."""


class Opcode(IntEnum):
    """What a frame is; from CLOSE on they are control frames, which are never fragmented."""

    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


class FrameTooLong(ValueError):
    """A frame exceeds the limit; the framing is lost."""


@dataclass(frozen=True, slots=True)
class Frame:
    """`payload` is not masked; `key` is the one that masks it on the wire. `reserved`: 4 is RSV1, 2 RSV2, 1 RSV3."""

    opcode: int
    payload: bytes = b""
    fin: bool = True
    reserved: int = 0
    key: bytes | None = None

    @property
    def control(self) -> bool:
        return self.opcode >= Opcode.CLOSE

    def encode(self) -> bytes:
        first = self.fin << 7 | self.reserved << 4 | self.opcode
        head = bytes([first]) + _length(len(self.payload), 0x80 if self.key else 0)
        return head + self.key + masked(self.payload, self.key) if self.key else head + self.payload


def _length(size: int, mask: int) -> bytes:
    """In the fewest bytes, as 5.2 wants it."""
    if size < 126:
        return bytes([mask | size])
    short = 126 if size < 1 << 16 else 127
    return bytes([mask | short]) + size.to_bytes(_EXTENDED[short], "big")


def masked(payload: bytes, key: bytes) -> bytes:
    """Masked or unmasked: both are the same (5.3)."""
    size = len(payload)
    repeated = (key * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")


@dataclass(slots=True)
class FrameDecoder:
    """Incremental."""

    limit: int = FRAME_LIMIT
    _held: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[tuple[Frame, bytes]]:
        """Each frame that the new bytes complete, and its bytes. Raises FrameTooLong."""
        self._held += data
        while head := self._head():
            size = sum(head)
            if head[1] > self.limit:
                raise FrameTooLong(f"a frame is longer than {self.limit} bytes")
            if len(self._held) < size:
                return
            raw = bytes(self._held[:size])
            del self._held[:size]
            yield _decoded(raw, head[0]), raw

    def _head(self) -> tuple[int, int] | None:
        """The sizes of the head and of the payload; None until the bytes are there that tell."""
        held = self._held
        if len(held) < 2:
            return None
        short, key = held[1] & 0x7F, 4 if held[1] & 0x80 else 0
        extended = _EXTENDED.get(short, 0)
        if len(held) < 2 + extended:
            return None
        return 2 + extended + key, int.from_bytes(held[2 : 2 + extended], "big") if extended else short

    def close(self) -> bytes:
        """What is left and no whole frame."""
        rest = bytes(self._held)
        self._held.clear()
        return rest


def _decoded(raw: bytes, head: int) -> Frame:
    key = raw[head - 4 : head] if raw[1] & 0x80 else None
    payload = masked(raw[head:], key) if key else raw[head:]
    return Frame(raw[0] & 0x0F, payload, bool(raw[0] & 0x80), raw[0] >> 4 & 0b111, key)
