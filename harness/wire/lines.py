"""Newline framing, as the stdio transport has it: one message per line, LF ends it."""

from __future__ import annotations

from dataclasses import dataclass, field

LINE_LIMIT = 16 * 1024 * 1024


class LineTooLong(ValueError):
    """A line exceeds the limit; the framing is lost."""


@dataclass(slots=True)
class LineDecoder:
    """Incremental. Lines are raw bytes without their LF: nothing is decoded, a CR stays."""

    limit: int = LINE_LIMIT
    _tail: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that the new bytes end. Raises LineTooLong."""
        head, newline, rest = data.rpartition(b"\n")
        lines = bytes(self._tail + head).split(b"\n") if newline else []
        self._tail = bytearray(rest) if newline else self._tail + data
        if max(map(len, lines), default=0) > self.limit or len(self._tail) > self.limit:
            raise LineTooLong(f"a line is longer than {self.limit} bytes")
        return lines

    def close(self) -> bytes:
        """The tail that no LF ended; empty when there is none."""
        tail = bytes(self._tail)
        self._tail.clear()
        return tail


def encode(message: bytes) -> bytes:
    """The message as one line. Raises ValueError when it holds an LF, which would make it two."""
    if b"\n" in message:
        raise ValueError("a message on one line cannot hold a newline")
    return message + b"\n"
