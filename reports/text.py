"""Text of a target made safe to show: it may neither move a cursor nor be taken for markup."""

from __future__ import annotations

import re

_OTHERS = "\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff"
"""Format characters, those that turn the direction of text, and halves of surrogate pairs."""

_UNSAFE = re.compile(f"[\x00-\x1f{_OTHERS}]")
_UNSAFE_IN_LINES = re.compile(f"[\x00-\x09\x0b-\x1f{_OTHERS}]")

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def visible(text: str) -> str:
    """The text on one line, every control or invisible character as its escape."""
    return _UNSAFE.sub(_escape, text)


def visible_lines(text: str) -> str:
    """The same, but its line feeds stay."""
    return _UNSAFE_IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    known = {10: "\\n", 13: "\\r", 9: "\\t"}
    return known.get(code) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def brief(text: str, limit: int) -> str:
    """The text made safe in about `limit` characters. What is cut off is not looked at, however long it is."""
    return shortened(visible(text[: limit + 1]), limit)


def markdown(text: str) -> str:
    """The text as Markdown that shows it literally, in a table cell too, and that mentions nobody."""
    return _MARKDOWN.sub(r"\\\1", visible(text)).replace("@", "&#64;")
