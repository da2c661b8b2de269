"""Content codings of bodies, undone and held to their own end: a truncated one is no whole body."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

PIECE = 64 * 1024
"""Bytes that are unpacked at once, however much they were packed."""


class CodingError(ValueError):
    """A body is not what its Content-Encoding says, or not whole."""


class Unpacker(Protocol):
    def feed(self, data: bytes) -> Iterator[bytes]:
        """Raises CodingError."""
        ...

    @property
    def whole(self) -> bool:
        """Whether the end has come, or nothing at all."""
        ...


def unpacker(coding: str) -> Unpacker | None:
    """For gzip, deflate, and br where its library is installed; None for what is not known."""
    if coding in ("gzip", "x-gzip", "deflate"):
        return _Zlib(coding)
    return _Brotli() if coding == "br" and find_spec("brotli") else None


def _decompressor() -> Any:
    return zlib.decompressobj(wbits=32 + zlib.MAX_WBITS)


@dataclass(slots=True)
class _Zlib:
    """Gzip (RFC 1952), any number of members, or deflate (RFC 1950)."""

    coding: str
    _inner: Any = field(default_factory=_decompressor)
    _begun: bool = False

    def feed(self, data: bytes) -> Iterator[bytes]:
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

    @property
    def whole(self) -> bool:
        return not self._begun or bool(self._inner.eof)


class _Brotli:
    """Brotli (RFC 7932)."""

    def __init__(self) -> None:
        self._library = import_module("brotli")
        self._inner: Any = self._library.Decompressor()
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._begun |= bool(data)
        piece = b""
        while data or piece or not self._inner.can_accept_more_data():
            piece, data = self._unpacked(data), b""
            yield piece

    def _unpacked(self, data: bytes) -> bytes:
        try:
            return bytes(self._inner.process(data, output_buffer_limit=PIECE))
        except self._library.error as error:
            raise CodingError(f"the body is not br: {error}") from None

    @property
    def whole(self) -> bool:
        return not self._begun or bool(self._inner.is_finished())


def unpacked(chunks: AsyncIterator[bytes], coding: str) -> AsyncIterator[bytes]:
    """The body without a coding; as it came, where the coding is none that is known. Reading raises CodingError."""
    known = unpacker(coding)
    return _unpacking(chunks, known, coding) if known else chunks


async def _unpacking(chunks: AsyncIterator[bytes], known: Unpacker, coding: str) -> AsyncIterator[bytes]:
    async for chunk in chunks:
        for piece in known.feed(chunk):
            yield piece
    if not known.whole:
        raise CodingError(f"the {coding} of the body is truncated, although the body ended as a whole one does")
