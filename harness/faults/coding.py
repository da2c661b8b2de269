"""Faults of content codings: an answer compressed on its way, honestly or not."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from typing import ClassVar, Protocol

from .exchange import Exchange, HttpAnswer, Rewritten
from .fault import Armed, Fault, FaultError, Mount
from .http import RELAYED
from .stage import Action, Headers, Stage


class Coding(StrEnum):
    """Content codings (RFC 9110, 8.4.1)."""

    GZIP = "gzip"
    DEFLATE = "deflate"
    BR = "br"


class Flush(StrEnum):
    """When a compressor lets go of what it has: with every piece of the body, or not before its end."""

    EVENT = "event"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode(Fault):
    """An answer is compressed. `honour`: only where the client takes that and the target does not forbid it.

    `flush` never: nothing comes before the end. `truncated`: the last half of what the compressor had left is
    missing, although the body ends as a whole one does.
    """

    name: ClassVar[str] = "recode"
    mounts: ClassVar[frozenset[Mount]] = RELAYED
    times: int = 0
    coding: Coding = Coding.GZIP
    flush: Flush = Flush.EVENT
    truncated: bool = False
    honour: bool = True

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        if self.coding is Coding.BR and not find_spec("brotli"):
            raise FaultError("recode: br needs the package brotli; install seatrial[br]")

    @property
    def benign(self) -> bool:
        return self.honour and self.flush is Flush.EVENT and not self.truncated

    @property
    def outward(self) -> int:
        return 2 if self.benign else 1

    def on_answer(self, armed: Armed, exchange: Exchange, answer: HttpAnswer) -> Rewritten | None:
        allowed = takes(exchange.request.headers, self.coding) and not _protected(answer)
        mine = _codable(exchange.request.verb, answer) and (allowed or not self.honour)
        if not mine or not armed.fire(f"{exchange.name}, answer as {self.coding}"):
            return None
        kept = (pair for pair in answer.headers if pair[0].lower() not in ("content-length", "transfer-encoding"))
        told = (("Content-Encoding", self.coding.value), ("Vary", "Accept-Encoding"), ("Transfer-Encoding", "chunked"))
        return Rewritten(replace(answer, headers=(*kept, *told)), _Coded(self))


def takes(headers: Headers, coding: str) -> bool:
    """Whether a client takes a coding. Without Accept-Encoding it takes any (RFC 9110, 12.5.3)."""
    told = [value for name, value in headers if name.lower() == "accept-encoding"]
    offers = [[part.strip().lower() for part in offer.split(";")] for offer in ",".join(told).split(",")]
    return not told or any(name in (coding, "*") and not _refused(weights) for name, *weights in offers)


def _refused(weights: list[str]) -> bool:
    return any(weight.startswith("q=") and not weight[2:].strip("0.") for weight in weights)


def _codable(verb: str, answer: HttpAnswer) -> bool:
    """Whether there is a body that is not coded already."""
    bodiless = verb == "HEAD" or answer.status in (204, 206, 304) or answer.header("content-length") == "0"
    return not bodiless and answer.header("content-encoding").lower() in ("", "identity")


def _protected(answer: HttpAnswer) -> bool:
    """Whether nobody may change the body on its way (RFC 9111, 5.2.2.6)."""
    return "no-transform" in answer.header("cache-control").lower()


class _Compressor(Protocol):
    def process(self, data: bytes) -> bytes: ...
    def flush(self) -> bytes: ...
    def finish(self) -> bytes: ...


class _Zlib:
    def __init__(self, window: int) -> None:
        self._inner = zlib.compressobj(wbits=window)

    def process(self, data: bytes) -> bytes:
        return self._inner.compress(data)

    def flush(self) -> bytes:
        return self._inner.flush(zlib.Z_SYNC_FLUSH)

    def finish(self) -> bytes:
        return self._inner.flush()


def _compressor(coding: Coding) -> _Compressor:
    if coding is Coding.BR:
        compressor: _Compressor = import_module("brotli").Compressor()
        return compressor
    return _Zlib(zlib.MAX_WBITS + (16 if coding is Coding.GZIP else 0))


class _Coded(Stage):
    def __init__(self, fault: Recode) -> None:
        self._fault = fault
        self._compressor = _compressor(fault.coding)

    def feed(self, data: bytes) -> Iterator[Action]:
        if data:
            yield self._compressor.process(data)
            if self._fault.flush is Flush.EVENT:
                yield self._compressor.flush()

    def eof(self) -> Iterator[Action]:
        rest = self._compressor.finish()
        yield rest[: len(rest) // 2] if self._fault.truncated else rest
