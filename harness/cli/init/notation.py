"""JSON values as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any


def toml(value: Any) -> str:
    """A JSON value as TOML on one line; null, which TOML does not have, as an empty text."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case Mapping():
            inner = ", ".join(f"{_key(str(key))} = {toml(item)}" for key, item in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
        case _:
            return _text("" if value is None else str(value))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(text: str) -> str:
    """A basic string: JSON's, with the one control character that JSON lets pass escaped, and no lone surrogate."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return quoted.encode("utf-8", errors="replace").decode()
