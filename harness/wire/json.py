"""JSON as it was written: duplicate keys stay visible, NaN is refused, size and depth are bounded."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from ..model import Json

SIZE_LIMIT = 16 * 1024 * 1024
DEPTH_LIMIT = 256

_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


class JsonError(ValueError):
    """The text is no JSON (RFC 8259), or beyond a limit."""


@dataclass(frozen=True, slots=True)
class Document:
    """A decoded value, and the object keys that occurred twice in one object (the last one won)."""

    value: Json
    duplicates: tuple[str, ...] = ()


def load(text: str | bytes, *, size: int = SIZE_LIMIT, depth: int = DEPTH_LIMIT) -> Document:
    """Raises JsonError with a sentence that says what is wrong."""
    if len(text) > size:
        raise JsonError(f"larger than {size} bytes")
    decoded = _decoded(text)
    _check_depth(decoded, depth)
    duplicates: list[str] = []
    try:
        value = json.loads(decoded, object_pairs_hook=_noting(duplicates), parse_constant=_refuse)
    except JsonError:
        raise
    except (ValueError, RecursionError) as error:
        raise JsonError(f"not JSON: {error}") from None
    return Document(value, tuple(duplicates))


def loads(text: str | bytes) -> Json:
    """The value of `load`, for those who do not care about duplicate keys."""
    return load(text).value


def dumps(value: Json) -> bytes:
    """Compact UTF-8. Lone surrogates, which UTF-8 cannot hold, stay escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace")


def _decoded(text: str | bytes) -> str:
    try:
        return text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8 at byte {error.start}") from None


def _check_depth(text: str, limit: int) -> None:
    if text.count("[") + text.count("{") <= limit:
        return
    depth = 0
    for token in _STRUCTURE.finditer(text):
        depth += (token.group() in "[{") - (token.group() in "]}")
        if depth > limit:
            raise JsonError(f"nested deeper than {limit}")


def _noting(duplicates: list[str]) -> Any:
    def build(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(pairs)
        if len(value) < len(pairs):
            keys = [key for key, _ in pairs]
            duplicates.extend(sorted({key for key in keys if keys.count(key) > 1}))
        return value

    return build


def _refuse(constant: str) -> NoReturn:
    raise JsonError(f"{constant} is not JSON")
