"""Words for a person: what a name that does not exist may have meant, and what a target said, made safe to print."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LISTED = 12
"""So many known names are shown when none of them is near."""


def unknown(kind: str, word: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of `known`: the nearest of them, or which there are when none is near."""
    names = sorted(set(known))
    near = get_close_matches(word, names, n=3, cutoff=0.5)
    return f'unknown {kind} "{word}"; {_hint(near, names)}'


def printable(text: str) -> str:
    """What a target said, without anything that a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _hint(near: list[str], names: list[str]) -> str:
    if near:
        return f"did you mean {' or '.join(near)}?"
    if not names:
        return "there are none"
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"known: {', '.join(names[:LISTED])}{more}"
