"""JSON Patch (RFC 6902), as a hostile peer may write it: what is wrong with one, and what a good one leads to."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import jsonpatch
import jsonpointer

MEMBERS = {
    "add": ("value",),
    "replace": ("value",),
    "test": ("value",),
    "remove": (),
    "move": ("from",),
    "copy": ("from",),
}
"""RFC 6902 section 4: the operations, and what each needs beside its path."""

POINTER = re.compile(r"(/([^/~]|~[01])*)*")
"""RFC 6901 section 3."""

LARGEST = 1_000_000
"""Values of a document that copying may make it; what becomes larger is no longer followed."""


class Unfollowed(Exception):
    """The document has become too large or too deep to follow."""


class NotApplicable(Exception):
    """The patch does not apply to the document."""


def malformed(patch: Any) -> str:
    """What is wrong with a JSON Patch as such (RFC 6902 sections 3 and 4), empty for a valid one."""
    if not isinstance(patch, list):
        return "is no array"
    return next((f"operation {n}: {wrong}" for n, item in enumerate(patch) if (wrong := _malformed(item))), "")


def _malformed(operation: Any) -> str:
    if not isinstance(operation, dict):
        return "is no object"
    name = operation.get("op")
    if not isinstance(name, str) or name not in MEMBERS:
        return f"op is {_shown(name)}"
    missing = [member for member in ("path", *MEMBERS[name]) if member not in operation]
    if missing:
        return f"{name} without {', '.join(missing)}"
    pointers = [operation[member] for member in ("path", "from") if member in ("path", *MEMBERS[name])]
    wrong = [p for p in pointers if not isinstance(p, str) or not POINTER.fullmatch(p)]
    return f"{_shown(wrong[0])} is no JSON Pointer" if wrong else ""


def patched(document: Any, patch: list[Any]) -> Any:
    """The document after a valid patch; both stay as they are. Raises NotApplicable, or Unfollowed."""
    try:
        result = deepcopy(document)
        for operation in deepcopy(patch):
            result = jsonpatch.JsonPatch([_of_root(operation, result)]).apply(result, in_place=True)
            if operation["op"] == "copy" and _larger(result, LARGEST):
                raise Unfollowed
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, LookupError) as error:
        raise NotApplicable(str(error)) from error
    except RecursionError:
        raise Unfollowed from None
    return result


def _of_root(operation: Any, document: Any) -> Any:
    """A copy of the whole document as the addition that it is: the library copies members and elements only."""
    if operation["op"] != "copy" or operation["from"]:
        return operation
    return {"op": "add", "path": operation["path"], "value": deepcopy(document)}


def _larger(document: Any, limit: int) -> bool:
    """Whether a document has more values than that."""
    count, todo = 0, [document]
    while todo:
        value = todo.pop()
        count += 1
        if count > limit:
            return True
        todo += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return False


def _shown(value: Any) -> str:
    """A value in a sentence, short."""
    return f"{value!r:.80}"
