"""What a case sent, as lines for a shell."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from .transcript import REDACTED, Kind, Record

_MADE_BY_CURL = frozenset({"content-length", "transfer-encoding", "connection", "accept-encoding"})
_UNSEEN = re.compile(r"[^\x20-\x7e]")


def curl_line(record: Record) -> str:
    """The command that sends an HTTP request again, a remark for what went elsewhere, "" for no request.

    What a record does not keep (secrets, the end of a long body) is not in it either.
    """
    if record.kind is not Kind.SENT:
        return ""
    if "url" not in record.data:
        verb = record.data.get("verb", "line")
        where = "to standard input" if verb == "line" else f"in a frame ({verb})"
        return f"# record {record.number}, {where}: {_UNSEEN.sub('?', _body(record.data))}"
    return " ".join(map(_word, _words(record.data)))


def incomplete(text: str) -> bool:
    """Whether a secret has to be put back before a line, or a word of it, can be used."""
    return REDACTED in text


def _words(data: Mapping[str, Any]) -> Iterator[str]:
    verb, body = str(data.get("verb", "GET")), _body(data)
    yield from ("curl", "-sSNg", *(("-I",) if verb == "HEAD" else ("-X", verb)), str(data["url"]))
    for name, value in data.get("headers", ()):
        if name.lower() not in _MADE_BY_CURL:
            yield from ("-H", f"{name}: {value}")
    if body:
        yield from ("--data-raw", body)


def _body(data: Mapping[str, Any]) -> str:
    if "message" in data:
        return json.dumps(data["message"], separators=(",", ":")) if data["message"] is not None else ""
    return str(data.get("raw") or "")


def _word(text: str) -> str:
    """The text as one word of a shell; what a terminal would not show as it is becomes an escape."""
    if not _UNSEEN.search(text):
        return shlex.quote(text)
    shown = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{_UNSEEN.sub(_escape, shown)}'"


def _escape(match: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in match[0].encode("utf-8", "surrogatepass"))
