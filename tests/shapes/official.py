"""Valid and broken instances of an official JSON Schema, and its verdict on them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

MOST_EXAMPLES = 120
"""Examples of one definition that are looked at."""

DEEPEST = 6
"""References that an example follows before it gives up, for types that contain themselves."""

WRONG: tuple[Any, ...] = (None, True, 7, -1.5, "x", {}, [], [7])
"""What a mutation puts in the place of a value."""


@dataclass(frozen=True, slots=True)
class Official:
    """The schema of one version."""

    definitions: Mapping[str, Any]

    @staticmethod
    def read(path: Path) -> Official:
        schema = json.loads(path.read_text())
        text = json.dumps(schema.get("$defs") or schema["definitions"]).replace("#/definitions/", "#/$defs/")
        return Official(json.loads(text))

    def validator(self, name: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": self.definitions})

    def examples(self, name: str) -> list[Any]:
        """Instances that exercise every member and every alternative, at most MOST_EXAMPLES."""
        found = self._examples({"$ref": f"#/$defs/{name}"}, 0)
        valid = self.validator(name)
        step = max(1, len(found) // MOST_EXAMPLES)
        return [example for example in found[::step] if valid.is_valid(example)]

    def _examples(self, schema: Any, depth: int) -> list[Any]:
        if not isinstance(schema, dict) or depth > DEEPEST:
            return ["deep"]
        if "$ref" in schema:
            return self._examples(self.definitions[schema["$ref"].rpartition("/")[2]], depth + 1)
        if "const" in schema or "enum" in schema:
            return [schema["const"]] if "const" in schema else list(schema["enum"])
        if "anyOf" in schema:
            return [each for option in schema["anyOf"] for each in self._examples(option, depth)]
        if "allOf" in schema:
            return [self._merged(schema["allOf"], depth)]
        return self._typed(schema, depth)

    def _merged(self, schemas: list[Any], depth: int) -> dict[str, Any]:
        every = [self._examples(schema, depth) for schema in schemas]
        return {name: value for examples in every for name, value in examples[-1].items()}

    def _typed(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        kind = schema.get("type", "object" if "properties" in schema else "any")
        if isinstance(kind, list):
            return [each for one in kind for each in self._typed({**schema, "type": one}, depth)]
        if kind == "object":
            return self._objects(schema, depth)
        if kind == "array":
            return [[], *([item] for item in self._examples(schema.get("items", {}), depth))]
        low = schema.get("minimum", 1)
        plain = {"string": ["text"], "integer": [low], "number": [low, 0.5], "boolean": [False, True], "null": [None]}
        return plain.get(kind, ["any", {}])

    def _objects(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        members = {name: self._examples(each, depth) for name, each in schema.get("properties", {}).items()}
        if isinstance(schema.get("additionalProperties"), dict):
            members["extra"] = self._examples(schema["additionalProperties"], depth)
        required = schema.get("required", [])
        full = {name: values[-1] for name, values in members.items()}
        least = {name: value for name, value in full.items() if name in required}
        variants = [{**full, name: value} for name, values in members.items() for value in values[:-1]]
        return [least, *variants, {**full, "x-unknown": [1]}]


def mutations(instance: Any) -> Iterator[tuple[str, Any]]:
    """Each way to drop one member or to put one wrong value in a place, with the path of the place."""
    for path in _paths(instance):
        yield "/".join(map(str, path)), _dropped(instance, path)
        for wrong in WRONG:
            yield "/".join(map(str, path)), _replaced(instance, path, wrong)


def _paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield (*above, name)
        yield from _paths(item, (*above, name))


def _dropped(instance: Any, path: tuple[Any, ...]) -> Any:
    changed = copy.deepcopy(instance)
    del _parent(changed, path)[path[-1]]
    return changed


def _replaced(instance: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(instance)
    _parent(changed, path)[path[-1]] = value
    return changed


def _parent(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path[:-1]:
        value = value[name]
    return value
