"""Which stimuli a target's tools may play, guessed from their names, descriptions and parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Role

Tool = Mapping[str, Any]

_FILLED = (
    ("gap", {"number", "integer"}, re.compile(r"gap|interval|pause|every|delay", re.I)),
    ("seconds", {"number", "integer"}, re.compile(r"sec|duration|delay|sleep|wait|time", re.I)),
    ("count", {"number", "integer"}, re.compile(r"^n$|count|steps|times|total|number", re.I)),
    ("key", {"string"}, re.compile(r"key|token|tag|label|^id$", re.I)),
    ("text", {"string"}, re.compile(r"text|message|msg|content|input|prompt|query|value", re.I)),
    ("level", {"string"}, re.compile(r"level|severity", re.I)),
    ("city", {"string"}, re.compile(r"city|place|location", re.I)),
)
"""Placeholder, the types of parameter that it fits, and the names that suggest it.

The first that fits and is wanted is taken.
"""

_EXAMPLES: Mapping[str, Any] = {
    "string": "example",
    "number": 1,
    "integer": 1,
    "boolean": False,
    "array": [],
    "object": {},
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A role and what may play it. `active`: harmless enough to stand there without having been read by a person."""

    role: Role
    verb: str
    name: str
    arguments: Mapping[str, Any]
    progress: bool = False
    active: bool = True


@dataclass(frozen=True, slots=True)
class _Rule:
    """`words` are looked for in name and description (`named`: in the name alone).

    Parameters take the placeholders `needs` (all of them) and `may`.
    """

    role: Role
    words: str
    needs: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset({"key"})
    progress: bool = False
    named: bool = False
    fits: Callable[[Tool], bool] = lambda tool: True


def _has_output_schema(tool: Tool) -> bool:
    return isinstance(tool.get("outputSchema"), dict)


def _read_only(tool: Tool) -> bool:
    return _hint(tool, "readOnlyHint") is True and not re.search(r"crash|fail|error|slow|break|ask", _about(tool), re.I)


_WITNESSING = r"\bprobe|witness|ledger|audit|tally|effects"

_RULES = (
    _Rule(Role.ECHO, r"\becho", frozenset({"text"})),
    _Rule(Role.PROGRESS, r"progress|notif", frozenset({"count"}), frozenset({"gap", "seconds"}), progress=True),
    _Rule(Role.SLOW, r"slow|long|sleep|wait|delay|duration|takes", frozenset({"seconds"})),
    _Rule(Role.FAILING, r"\bfail|\berror|\bthrow|\braise", named=True),
    _Rule(Role.CRASH, r"\bcrash"),
    _Rule(Role.LOGS, r"\blogs?\b|logging", may=frozenset({"count", "level"})),
    _Rule(Role.STRUCTURED, r"structur", fits=_has_output_schema),
    _Rule(Role.STRUCTURED, "", fits=_has_output_schema),
    _Rule(Role.ELICIT, r"trigger elicit|\bask\b"),
    _Rule(Role.ELICIT, r"elicit"),
    _Rule(Role.ELICIT_URL, r"url elicit|elicit\w* url|\bask url"),
    _Rule(Role.SAMPLING, r"sampl|createMessage|client's model"),
    _Rule(Role.ROOTS, r"\broots"),
    _Rule(Role.MUTATE_TOOLS, r"(mutate|add|remove|register|toggle|change)\w* tool"),
    _Rule(Role.MUTATE_RESOURCE, r"(mutate|update|toggle|change)\w* (resource|note|subscri)", may=frozenset({"text"})),
    _Rule(Role.WITNESS, _WITNESSING, named=True),
    _Rule(Role.WITNESS, _WITNESSING),
    _Rule(Role.CALL, r"\becho", frozenset({"text"})),
    _Rule(Role.CALL, "", may=frozenset(), fits=_read_only),
)
"""The first tool that fits a rule plays its role; of several rules for one role the first with a tool counts."""


def proposals(protocol: str, items: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[Proposal]:
    """At most one proposal per role, from what a survey found: items by kind and name."""
    if protocol == "a2a":
        return [Proposal(Role.ECHO, "text", _suggested(items["skills"]), {})]
    if protocol == "agui":
        return [Proposal(Role.CHAT, "prompt", "hello", {})]
    found = [proposal for rule in _RULES for tool in items["tools"].values() if (proposal := _played(rule, tool))]
    found += map(_prompt, items["prompts"].values())
    found += (Proposal(Role.RESOURCE, "resource", uri, {}) for uri in items["resources"])
    by_role: dict[Role, Proposal] = {}
    for proposal in found:
        by_role.setdefault(proposal.role, proposal)
    return list(by_role.values())


def _suggested(skills: Mapping[str, Mapping[str, Any]]) -> str:
    """What the first skill with examples says that one may ask it."""
    listed = (skill.get("examples") for skill in skills.values())
    texts = (text for examples in listed if isinstance(examples, list) for text in examples if isinstance(text, str))
    return next(texts, "hello {text}")


def _played(rule: _Rule, tool: Tool) -> Proposal | None:
    arguments = _arguments(tool, rule.needs | rule.may)
    taken = {value[1:-1] for value in arguments.values() if isinstance(value, str)}
    about = _spaced(tool["name"]) if rule.named else _about(tool)
    if not (re.search(rule.words, about, re.I) and rule.fits(tool) and rule.needs <= taken):
        return None
    progress = rule.progress or (rule.role is Role.SLOW and "progress" in _about(tool).lower())
    return Proposal(rule.role, "tool", tool["name"], arguments, progress, _harmless(tool))


def _about(tool: Tool) -> str:
    return _spaced(f"{tool['name']} {tool.get('description', '')}")


def _spaced(text: str) -> str:
    return text.replace("_", " ").replace("-", " ")


def _prompt(prompt: Mapping[str, Any]) -> Proposal:
    declared = prompt.get("arguments")
    listed = declared if isinstance(declared, list) else []
    required = [item for item in listed if isinstance(item, dict) and item.get("required")]
    return Proposal(Role.PROMPT, "prompt_name", prompt["name"], {str(i.get("name")): "example" for i in required})


def _harmless(tool: Tool) -> bool:
    return _hint(tool, "destructiveHint") is not True


def _hint(tool: Tool, name: str) -> Any:
    annotations = tool.get("annotations")
    return annotations.get(name) if isinstance(annotations, dict) else None


def _arguments(tool: Tool, wanted: frozenset[str]) -> dict[str, Any]:
    """Values for the required parameters and for those that take a wanted placeholder."""
    schema = tool.get("inputSchema")
    declared = schema.get("properties") if isinstance(schema, dict) else None
    parameters = declared if isinstance(declared, dict) else {}
    required = schema.get("required") if isinstance(schema, dict) else None
    found: dict[str, Any] = {}
    for name, parameter in parameters.items():
        placeholder = _placeholder(name, parameter, wanted)
        if placeholder in wanted and f"{{{placeholder}}}" not in found.values():
            found[name] = f"{{{placeholder}}}"
        elif isinstance(required, list) and name in required:
            found[name] = _example(parameter, placeholder)
    return found


def _placeholder(name: str, parameter: Any, wanted: frozenset[str]) -> str:
    """The placeholder that suits a parameter, a wanted one before others; "" when none does."""
    kind = parameter.get("type") if isinstance(parameter, dict) else None
    suiting = [word for word, kinds, names in _FILLED if kind in kinds and names.search(name)]
    return next((word for word in suiting if word in wanted), suiting[0] if suiting else "")


def _example(parameter: Any, placeholder: str) -> Any:
    """A legal value: a constant, a default, an example, else one of the right type."""
    schema = parameter if isinstance(parameter, dict) else {}
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    if schema.get("format") == "uri":
        return "https://example.com/"
    if placeholder == "text":
        return "{text}"
    return schema.get("minimum", _EXAMPLES.get(str(schema.get("type")), "example"))
