"""What a target offers to a model, in one form for every protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, or a skill of an agent. `schema` is that of its input as the target sent it, `examples` are calls that
    it shows itself. What the target left out, or sent in another type than it should, is empty."""

    name: str
    description: str = ""
    schema: Any = None
    annotations: Mapping[str, Any] = field(default_factory=dict)
    examples: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, Mapping[str, Any]]:
        """The parameters that are described as objects, by name."""
        found = self.schema.get("properties") if isinstance(self.schema, Mapping) else None
        members = found.items() if isinstance(found, Mapping) else ()
        return {name: value for name, value in members if isinstance(value, Mapping)}

    @property
    def reads_only(self) -> bool:
        return self.annotations.get("readOnlyHint") is True

    @property
    def destroys(self) -> bool:
        return self.annotations.get("destructiveHint") is True


def tool(entry: Mapping[str, Any], schema: str = "inputSchema") -> Tool:
    """A tool as a list has it; `schema` is the member that holds its input."""
    annotations = entry.get("annotations")
    return Tool(
        _text(entry.get("name")),
        _text(entry.get("description")),
        entry.get(schema),
        annotations if isinstance(annotations, Mapping) else {},
    )


def skill(entry: Mapping[str, Any]) -> Tool:
    """A skill of an agent card."""
    listed = entry.get("examples")
    examples = tuple(text for text in listed if isinstance(text, str)) if isinstance(listed, list) else ()
    return Tool(_text(entry.get("name")), _text(entry.get("description")), examples=examples)


def declared(server: Mapping[str, Any]) -> Iterator[Tool]:
    """The tools of what a server declares of itself: skills of an agent card, tools of AG-UI capabilities."""
    card, capabilities = _table(server.get("card")), _table(server.get("capabilities"))
    yield from map(skill, objects(card.get("skills")))
    yield from (tool(item, "parameters") for item in objects(_table(capabilities.get("tools")).get("items")))


def distinct(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Each tool once. Two that share a name and nothing else are two."""
    return tuple({json.dumps([t.name, t.description, t.schema], sort_keys=True): t for t in tools}.values())


def addresses(value: Any) -> Iterator[tuple[str, str]]:
    """Every URL in a JSON value: (where it stands, the URL)."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from ((f"{key}.{where}".rstrip("."), url) for where, url in addresses(item))
    elif isinstance(value, list):
        for item in value:
            yield from addresses(item)
    elif isinstance(value, str) and _is_url(value):
        yield "", value


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https", "grpc", "ws", "wss") and bool(parts.hostname)
    except ValueError:
        return False


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; of anything else none."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
