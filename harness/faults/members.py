"""Members of JSON objects, read and replaced; and texts that no honest encoder writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..wire.json import JsonError, dumps, loads

Path = tuple[str, ...]


def read(text: bytes) -> dict[str, Any] | None:
    """The object that a text is; None when it is none."""
    try:
        value = loads(text)
    except JsonError:
        return None
    return value if isinstance(value, dict) else None


def found(value: Any, path: Path) -> Any:
    """What stands at a path, None when nothing does."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def put(value: dict[str, Any], path: Path, new: Any) -> dict[str, Any]:
    """The object with another value at a path; `new` None: with nothing there."""
    name, rest = path[0], path[1:]
    inner = put(value.get(name, {}), rest, new) if rest else new
    return {key: item for key, item in {**value, name: inner}.items() if key != name or inner is not None}


def padded(text: bytes, padding: bytes) -> bytes | None:
    """A JSON object with a member more, whose value is given as text: in the parameters of a call, or beside the
    members of what is no JSON-RPC. None for a text that is no object."""
    value = read(text)
    if value is None:
        return None
    params = value.get("params", {})
    if "jsonrpc" not in value or not isinstance(params, dict):
        return _with(value, b"padding", padding)
    others = {key: item for key, item in value.items() if key != "params"}
    return _with(others, b"params", _with(params, b"padding", padding))


def repeated(text: bytes) -> bytes | None:
    """A JSON object whose first member stands in it twice. None for a text that is no object, or an empty one."""
    value = read(text)
    if not value:
        return None
    key, item = next(iter(value.items()))
    return b"{" + dumps(key) + b":" + dumps(item) + b"," + dumps(value)[1:]


def _with(value: dict[str, Any], name: bytes, text: bytes) -> bytes:
    return b"".join(_parts(dumps(value), name, text))


def _parts(written: bytes, name: bytes, text: bytes) -> Iterator[bytes]:
    yield written[:-1]
    yield b"," if len(written) > 2 else b""
    yield b'"' + name + b'":' + text + b"}"
