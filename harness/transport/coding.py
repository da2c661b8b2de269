"""Content codings of bodies, undone and held to their own end: a truncated one is no whole body."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

CODINGS = frozenset({"gzip", "x-gzip", "deflate"})
PIECE = 64 * 1024
"""Bytes that are unpacked at once, however much they were packed."""


class CodingError(ValueError):
    """A body is not what its Content-Encoding says, or not whole."""


def _decompressor() -> Any:
    return zlib.decompressobj(wbits=32 + zlib.MAX_WBITS)


@dataclass(slots=True)
class Unpacker:
    """Gzip (RFC 1952), any number of members, or deflate (RFC 1950)."""

    coding: str
    _inner: Any = field(default_factory=_decompressor)
    _begun: bool = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Raises CodingError."""
        self._begun |= bool(data)
        piece = b""
        while data or len(piece) == PIECE:
            piece = self._unpacked(data)
            yield piece
            data = self._inner.unconsumed_tail or self._inner.unused_data
            if self._inner.eof and data:
                self._inner = _decompressor()

    def _unpacked(self, data: bytes) -> bytes:
        try:
            return bytes(self._inner.decompress(data, PIECE))
        except zlib.error as error:
            raise CodingError(f"the body is not {self.coding}: {error}") from None

    def close(self) -> None:
        """Raises CodingError for a body that was not whole; one that never began is whole."""
        if self._begun and not self._inner.eof:
            raise CodingError(
                f"the {self.coding} of the body is truncated, although the body ended as a whole one does"
            )


def unpacked(chunks: AsyncIterator[bytes], coding: str) -> AsyncIterator[bytes]:
    """The body without a coding; as it came, where the coding is none that is known. Reading raises CodingError."""
    return _unpacking(chunks, Unpacker(coding)) if coding in CODINGS else chunks


async def _unpacking(chunks: AsyncIterator[bytes], unpacker: Unpacker) -> AsyncIterator[bytes]:
    async for chunk in chunks:
        for piece in unpacker.feed(chunk):
            yield piece
    unpacker.close()
