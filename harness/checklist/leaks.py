"""What a text shows of the insides of the program that wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TRACE = re.compile(
    r"Traceback \(most recent call last\)"
    r"|\bFile \"[^\"\n]{1,200}\", line \d+"
    r"|\bat [\w.$<>]{1,100} ?\([^()\n]{1,200}:\d+(?::\d+)?\)"
    r"|\bgoroutine \d+ \["
    r"|\bthread '[^'\n]{1,80}' panicked at"
)
_PATH = re.compile(
    r"(?<![\w:/.])/(?:home|root|Users|usr|opt|var|srv|app|etc|tmp|workspace|mnt|proc)(?:/[\w.@+-]{1,80}){1,12}"
    r"|\b[A-Z]:\\(?:[\w. @+-]{1,80}\\){1,12}[\w.@+-]{0,80}"
)
_SECRET = re.compile(
    r"\bBearer [\w.~+/-]{16,}=*"
    r"|\b(?:sk|pk|ghp|gho|xox[abp])[-_][\w-]{16,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY"
    r"|\b\w{2,20}://[^\s/:@\"']{1,60}:[^\s/@\"'\[]{1,60}@"
)
"""Shapes that nothing but a secret has."""

_KINDS = (("a stack trace", _TRACE), ("a path of its machine", _PATH), ("what looks like a secret", _SECRET))


def paths(text: str) -> frozenset[str]:
    """The paths of a machine that a text names."""
    return frozenset(_PATH.findall(text))


@dataclass(frozen=True, slots=True)
class Leak:
    """What kind of thing is given away, and the words that do."""

    kind: str
    quote: str


def leaks(text: str, known: frozenset[str] = frozenset()) -> tuple[Leak, ...]:
    """The first of each kind that a text gives away. `known` are paths that its reader named first."""
    found = ((kind, next((m[0] for m in pattern.finditer(text) if m[0] not in known), "")) for kind, pattern in _KINDS)
    return tuple(Leak(kind, quote) for kind, quote in found if quote)
