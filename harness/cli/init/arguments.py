"""The arguments that a tool is called with: placeholders where a parameter takes one, else values that its schema
names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...wire.json import dumps

_FILLED = (
    ("gap", {"number"}, re.compile(r"gap|interval|pause|every|delay", re.I)),
    ("seconds", {"number", "integer"}, re.compile(r"sec|duration|delay|sleep|wait|(?<!run)time(?!s|out|zone)", re.I)),
    ("count", {"number", "integer"}, re.compile(r"^n$|count|steps|times|total|number", re.I)),
    ("key", {"string"}, re.compile(r"key|token|tag|label|^id$", re.I)),
    ("text", {"string"}, re.compile(r"text|message|msg|content|input|prompt|query|value", re.I)),
    ("level", {"string"}, re.compile(r"level|severity", re.I)),
    ("city", {"string"}, re.compile(r"city|place|location", re.I)),
)
"""Placeholder, the types of parameter that it fits, and the names that suggest it.

The first that fits and is wanted is taken.
"""

_MILLISECONDS = re.compile(r"(?:^|_)ms$|[a-z]Ms$|milli", re.I)
_IN_MILLISECONDS: Mapping[str, tuple[int, str, float]] = {"seconds": (3000, "lasts", 3.0), "gap": (100, "gap", 0.1)}
"""Placeholder that cannot be filled -> the constant in its place, and what that amounts to in seconds."""

_STEPS = re.compile(r"^(steps|ticks|chunks)$", re.I)
_MANY = 50
"""Work in so many steps can be interrupted soon after any of them."""

_EXAMPLE = re.compile(
    r"""(?:e\.g\.|for (?:example|instance)|such as|example:|like)[,:]?\s*["'`]([^"'`]{1,80})["'`]""", re.I
)

_LONGEST = 1000
"""Bytes of an argument that a schema names."""

_BY_TYPE: Mapping[str, Any] = {
    "string": "example",
    "number": 1,
    "integer": 1,
    "boolean": False,
    "array": [],
    "object": {},
}


@dataclass(slots=True)
class Arguments:
    """Values by parameter. `taken`: the placeholders among them. `tempo`: what constants amount to (lasts, gap, count).

    `invented`: a value stands for a required parameter of which the schema says nothing but its type.
    """

    values: dict[str, Any] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    tempo: dict[str, Any] = field(default_factory=dict)
    invented: bool = False

    def place(self, name: str, placeholder: str) -> None:
        self.values[name] = f"{{{placeholder}}}"
        self.taken.add(placeholder)


def parameters(tool: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The schemas of a tool's parameters; an empty one for what is none."""
    schema = tool.get("inputSchema")
    declared = schema.get("properties") if isinstance(schema, dict) else None
    found = declared if isinstance(declared, dict) else {}
    return {str(name): item if isinstance(item, dict) else {} for name, item in found.items()}


def required(tool: Mapping[str, Any]) -> list[str]:
    schema = tool.get("inputSchema")
    named = schema.get("required") if isinstance(schema, dict) else None
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []


def arguments(tool: Mapping[str, Any], wanted: frozenset[str]) -> Arguments:
    """Values for the required parameters and for those that take a wanted placeholder."""
    found, needed = Arguments(), required(tool)
    for name, schema in parameters(tool).items():
        if not _wanted(found, name, schema, wanted) and name in needed:
            _legal(found, name, schema)
    return found


def _wanted(found: Arguments, name: str, schema: Mapping[str, Any], wanted: frozenset[str]) -> bool:
    """Fill a parameter that plays a part in the tempo, or that tells one play from another."""
    kind = kind_of(schema)
    if "seconds" in wanted and "count" not in wanted and _STEPS.search(name) and kind in ("number", "integer"):
        found.values[name] = found.tempo["count"] = _MANY
        return True
    placeholder = next((word for word in _suiting(name, schema) if word in wanted and word not in found.taken), "")
    if not placeholder:
        return False
    if placeholder in _IN_MILLISECONDS and _MILLISECONDS.search(name):
        found.values[name], key, found.tempo[key] = _IN_MILLISECONDS[placeholder]
        found.taken.add(placeholder)
    else:
        found.place(name, placeholder)
    return True


def _suiting(name: str, schema: Mapping[str, Any]) -> list[str]:
    """The placeholders that suit a parameter. One that takes certain values only takes no text of ours."""
    kind, values = kind_of(schema), schema.get("enum")
    suiting = [word for word, kinds, names in _FILLED if kind in kinds and names.search(name)]
    if isinstance(values, list):
        return ["level"] if "level" in suiting and "info" in values else []
    return [] if "const" in schema else suiting


def _legal(found: Arguments, name: str, schema: Mapping[str, Any]) -> None:
    """A legal value: a constant, a default, an example, else one of the right type."""
    stated = _stated(schema)
    if stated:
        found.values[name] = stated[0]
    elif "text" in _suiting(name, schema):
        found.place(name, "text")
    else:
        least = [schema["minimum"]] if "minimum" in schema and _sensible(schema["minimum"]) else []
        found.values[name] = [*least, _BY_TYPE.get(kind_of(schema), "example")][0]
        found.invented = True


def _stated(schema: Mapping[str, Any]) -> list[Any]:
    """What the schema itself names: at most one value."""
    values = [schema[key] for key in ("const", "default") if key in schema]
    lists = (schema.get(key) for key in ("enum", "examples"))
    values += [listed[0] for listed in lists if isinstance(listed, list) and listed]
    about = schema.get("description")
    if isinstance(about, str) and kind_of(schema) == "string" and (named := _EXAMPLE.search(about)):
        values.append(named[1])
    values += ["https://example.com/"] if schema.get("format") == "uri" else []
    return [value for value in values if _sensible(value)][:1]


def _sensible(value: Any) -> bool:
    """Can it be sent, and written on one line?"""
    try:
        return len(dumps(value)) <= _LONGEST
    except ValueError:
        return False


def kind_of(schema: Mapping[str, Any]) -> str:
    """The JSON type that a schema asks for; of several the first that is not null."""
    kind, choices = schema.get("type"), schema.get("anyOf")
    kinds = kind if isinstance(kind, list) else [kind]
    if kind is None and isinstance(choices, list):
        kinds = [choice.get("type") for choice in choices if isinstance(choice, dict)]
    return next((each for each in kinds if isinstance(each, str) and each != "null"), "")
