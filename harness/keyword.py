"""The expressions of `-k`: words joined by `and`, `or`, `not` and parentheses, as pytest has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

Matches = Callable[[str], bool]
"""Whether a text is meant. The case of letters does not matter."""

_TOKEN = re.compile(r"[()]|[^\s()]+")
_OPERATORS = ("and", "or", "not", "(", ")")


class KeywordError(ValueError):
    """An expression cannot be understood. The text is the rest of a sentence that begins with the expression."""


@lru_cache
def keyword(expression: str) -> Matches:
    """What an expression means; an empty one means every text. Words that stand together are one phrase.

    Raises KeywordError.
    """
    reader = _Reader(_TOKEN.findall(expression))
    if not reader.tokens:
        return lambda text: True
    found = reader.any_of()
    if reader.next:
        raise KeywordError(f"has an unexpected {reader.next!r}")
    return found


@dataclass(slots=True)
class _Reader:
    """Reads an expression from left to right; `or` binds least, `not` most."""

    tokens: Sequence[str]
    place: int = 0

    @property
    def next(self) -> str:
        """The token that is to be read, "" at the end."""
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def takes(self, token: str) -> bool:
        found = self.next == token
        self.place += found
        return found

    def any_of(self) -> Matches:
        parts = [self.all_of()]
        while self.takes("or"):
            parts.append(self.all_of())
        return lambda text: any(part(text) for part in parts)

    def all_of(self) -> Matches:
        parts = [self.term()]
        while self.takes("and"):
            parts.append(self.term())
        return lambda text: all(part(text) for part in parts)

    def term(self) -> Matches:
        if self.takes("not"):
            inverted = self.term()
            return lambda text: not inverted(text)
        if self.takes("("):
            inner = self.any_of()
            if not self.takes(")"):
                raise KeywordError("has an opening parenthesis without its closing one")
            return inner
        return self.phrase()

    def phrase(self) -> Matches:
        words: list[str] = []
        while self.next and self.next not in _OPERATORS:
            words.append(self.next.lower())
            self.place += 1
        if not words:
            raise KeywordError(f"lacks a word before {self.next!r}" if self.next else "lacks a word at its end")
        phrase = " ".join(words)
        return lambda text: phrase in text.lower()
