"""Advice on the input schemas of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .lints import Remark
from .offer import Tool

_TYPING = frozenset({"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "properties", "items"})


def schema(tools: Sequence[Tool]) -> Iterator[Remark]:
    """A schema that is none."""
    for tool in tools:
        if not isinstance(tool.schema, Mapping):
            yield Remark(tool.name, "has an input schema that is no object")
        elif problem := _invalid(tool.schema):
            yield Remark(tool.name, "has an input schema that is not valid", problem)


def _invalid(found: Mapping[str, Any]) -> str:
    """Why a schema is none by its own dialect, "" when it is one."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    dialect = found.get("$schema", "")
    if not isinstance(dialect, str):
        return "its $schema is no text"
    try:
        validator_for(dict(found), default=Draft202012Validator).check_schema(dict(found))
    except SchemaError as error:
        return f"{error.json_path}: {error.message[:160]}"
    except ValueError:
        return f"its $schema is no address: {dialect[:80]}"
    except RecursionError:
        return "it is nested too deeply"
    return ""


def parameters(tools: Sequence[Tool]) -> Iterator[Remark]:
    """Parameters without a type or without a description."""
    for tool in tools:
        untyped = [name for name, found in tool.parameters.items() if not _TYPING & found.keys()]
        bare = [name for name, found in tool.parameters.items() if not found.get("description")]
        if untyped:
            yield Remark(tool.name, "has parameters without a type", ", ".join(untyped))
        if bare:
            yield Remark(tool.name, "has parameters without a description", ", ".join(bare))


def closed(tools: Sequence[Tool]) -> Iterator[Remark]:
    """Tools with effects that accept parameters which they do not know. A reader may: the worst is a vague answer."""
    for tool in tools:
        if tool.parameters and not tool.reads_only and _open(tool.schema):
            yield Remark(tool.name, 'takes parameters that it does not know; add "additionalProperties": false')


def _open(found: Mapping[str, Any]) -> bool:
    return found.get("additionalProperties", True) is True and found.get("unevaluatedProperties", True) is True
