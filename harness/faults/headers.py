"""Faults of header fields, on requests (`direction` up), on answers (down), or on both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from .exchange import Exchange, Forward, HttpAnswer, Rewritten, header
from .fault import Armed, Fault, FaultError, Mount
from .http import RELAYED
from .stage import Direction, Headers


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFault(Fault):
    """Makes other header fields of those of a message. It fires where that makes a difference."""

    mounts: ClassVar[frozenset[Mount]] = RELAYED
    direction: Direction = Direction.UP

    def __post_init__(self) -> None:
        Fault.__post_init__(self)
        for field in ("names", "values"):
            for text in getattr(self, field, ()):
                _line(self.name, field, text)

    def changed(self, headers: Headers) -> Headers:
        raise NotImplementedError

    async def on_exchange(self, armed: Armed, exchange: Exchange, forward: Forward) -> None:
        changed = self._made(armed, exchange, Direction.UP, exchange.request.headers)
        if changed is not None:
            exchange.change(replace(exchange.request, headers=changed))
        await forward()

    def on_answer(self, armed: Armed, exchange: Exchange, answer: HttpAnswer) -> Rewritten | None:
        changed = self._made(armed, exchange, Direction.DOWN, answer.headers)
        return None if changed is None else Rewritten(replace(answer, headers=changed))

    def _made(self, armed: Armed, exchange: Exchange, way: Direction, headers: Headers) -> Headers | None:
        if not self.direction.covers(way):
            return None
        changed = self.changed(headers)
        return changed if changed != headers and armed.fire(f"{exchange.name} {way}") else None


def _named(pattern: str, name: str) -> bool:
    """Whether a name is meant: names ignore case, `Mcp-*` means all that begin so."""
    pattern, name = pattern.lower(), name.lower()
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class StripHeaders(HeaderFault):
    """Header fields are left out; `Mcp-*` means all whose names begin so."""

    name: ClassVar[str] = "strip_headers"
    names: tuple[str, ...] = ("Mcp-*", "A2A-*", "Last-Event-ID", "Authorization")

    def changed(self, headers: Headers) -> Headers:
        return tuple(pair for pair in headers if not any(_named(pattern, pair[0]) for pattern in self.names))


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameHeader(HeaderFault):
    """Header fields keep their values under other names: `prefix` goes before each."""

    name: ClassVar[str] = "rename_header"
    names: tuple[str, ...] = ("Mcp-*", "A2A-*")
    prefix: str = "X-"

    def __post_init__(self) -> None:
        HeaderFault.__post_init__(self)
        _token(self.name, "prefix", self.prefix)

    def changed(self, headers: Headers) -> Headers:
        return tuple((self.prefix + name if self._meant(name) else name, value) for name, value in headers)

    def _meant(self, name: str) -> bool:
        return any(_named(pattern, name) for pattern in self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateHeader(HeaderFault):
    """A header field comes again behind itself, with each of `values`; without any, as it is."""

    name: ClassVar[str] = "duplicate_header"
    header: str = "Mcp-Session-Id"
    values: tuple[str, ...] = ()

    def changed(self, headers: Headers) -> Headers:
        return tuple(self._repeated(headers))

    def _repeated(self, headers: Headers) -> Iterator[tuple[str, str]]:
        for name, value in headers:
            yield name, value
            if _named(self.header, name):
                yield from ((name, again) for again in self.values or (value,))


class Letters(StrEnum):
    """How the names of header fields are written."""

    LOWER = "lower"
    UPPER = "upper"
    SWAPPED = "swapped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(HeaderFault):
    """The names of header fields are written in other letters; without `names`, of all."""

    name: ClassVar[str] = "case"
    names: tuple[str, ...] = ("*",)
    letters: Letters = Letters.UPPER

    def changed(self, headers: Headers) -> Headers:
        return tuple((self._written(name), value) for name, value in headers)

    def _written(self, name: str) -> str:
        if not any(_named(pattern, name) for pattern in self.names):
            return name
        return {"lower": name.lower(), "upper": name.upper(), "swapped": name.swapcase()}[self.letters]


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteType(HeaderFault):
    """The body comes as another media type, or in another charset by its own word; "" keeps the media type."""

    name: ClassVar[str] = "rewrite_type"
    media_type: str = "text/plain"
    charset: str = ""

    def __post_init__(self) -> None:
        HeaderFault.__post_init__(self)
        _line(self.name, "media_type", self.media_type)
        _line(self.name, "charset", self.charset)

    def changed(self, headers: Headers) -> Headers:
        kept = tuple(pair for pair in headers if pair[0].lower() != "content-type")
        told = self.media_type or header(headers, "content-type").partition(";")[0]
        return (*kept, ("Content-Type", told + (f"; charset={self.charset}" if self.charset else "")))


def _line(fault: str, field: str, value: object) -> None:
    """Raises FaultError for what no header field can hold."""
    if not isinstance(value, str):
        raise FaultError(f"{fault}: {field} must be texts")
    if any(ord(letter) < 32 or ord(letter) > 255 or letter == "\x7f" for letter in value):
        raise FaultError(
            f"{fault}: {field} holds what no header field can: control characters or letters beyond Latin-1"
        )


def _token(fault: str, field: str, value: str) -> None:
    if not all(letter.isascii() and (letter.isalnum() or letter in "!#$%&'*+-.^_`|~") for letter in value):
        raise FaultError(f"{fault}: {field} may hold letters, digits and hyphens only")
