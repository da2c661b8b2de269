"""Which stimuli a target's tools, prompts and resources may play, guessed from their names, descriptions and
parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ...model import Role
from ...stimuli import Stimulus
from .arguments import Arguments, arguments, kind_of, parameters, required

Tool = Mapping[str, Any]
Items = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""What a survey found: by kind (tools, prompts, resources, skills) and name."""

Candidates = dict[Role, list["Proposal"]]

NOWHERE = "seatrial-no-such-thing"
"""A value that no list of real things holds."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~\w-]+", re.ASCII)
"""What a header may be called (RFC 9110 section 5.1)."""

_FEW = 4
"""So many ways to play a role are worth a try."""


class Effects(StrEnum):
    """What a call may do to the target's world, as its annotations say."""

    NONE = "read-only"
    POSSIBLE = "may have effects"
    DESTRUCTIVE = "destructive"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A stimulus that may play its role. `sure`: its name and schema say so clearly enough to believe it untried."""

    stimulus: Stimulus
    effects: Effects = Effects.NONE
    sure: bool = True

    @property
    def role(self) -> Role:
        return Role(self.stimulus.role)


@dataclass(frozen=True, slots=True)
class _Rule:
    """`words` are looked for in name and description (`named`: in the name alone).

    Parameters take the placeholders `needs` (all of them) and `may`. `sure` false: a match is worth a try, no more.
    """

    role: Role
    words: str
    needs: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset({"key"})
    progress: bool = False
    named: bool = False
    sure: bool = True
    fits: Callable[[Tool], bool] = lambda tool: True


def _has_output_schema(tool: Tool) -> bool:
    return isinstance(tool.get("outputSchema"), dict)


def _read_only(tool: Tool) -> bool:
    return effects(tool) is Effects.NONE and not re.search(r"crash|fail|error|slow|break|ask", _about(tool), re.I)


def _runs_as_task(tool: Tool) -> bool:
    execution = tool.get("execution")
    return isinstance(execution, dict) and execution.get("taskSupport") in ("required", "optional")


_TEMPO = frozenset({"gap", "seconds"})

_RULES = (
    _Rule(Role.ECHO, r"\becho", frozenset({"text"})),
    _Rule(Role.PROGRESS, r"progress", frozenset({"count"}), _TEMPO, progress=True),
    _Rule(Role.SLOW, r"slow|long|sleep|wait|delay|duration|takes", frozenset({"seconds"})),
    _Rule(
        Role.FAILING, r"^(always )?(fail(s|ing)?|throws?|raises?|refuse)\b|^error$|\bfails?$|throws? error", named=True
    ),
    _Rule(Role.CRASH, r"^(crash|panic)\b|\bcrash$", named=True),
    _Rule(Role.LOGS, r"\blogs?\b|logging", frozenset({"level"}), frozenset({"count"}), named=True),
    _Rule(Role.LOGS, r"(simulated|toggle) logging|(emit|send)s? logs?\b", may=frozenset({"count"}), named=True),
    _Rule(Role.LOGS, r"\blogs?\b|logging", may=frozenset({"count"}), named=True, sure=False),
    _Rule(Role.STRUCTURED, r"structur", fits=_has_output_schema),
    _Rule(Role.STRUCTURED, "", fits=_has_output_schema),
    _Rule(Role.STREAM_CLOSE, r"(close|drop|cut)\w* (response )?stream", frozenset({"count"}), _TEMPO, progress=True),
    _Rule(Role.ELICIT, r"trigger elicit|^ask\b", named=True),
    _Rule(Role.ELICIT, r"elicit"),
    _Rule(Role.ELICIT_URL, r"url elicit|elicit\w* url|\bask url"),
    _Rule(Role.SAMPLING, r"sampling|createMessage|client's model"),
    _Rule(Role.ROOTS, r"(client|mcp)\b.*\broots|\broots\b.*\b(client|mcp)"),
    _Rule(Role.MUTATE_TOOLS, r"(mutate|add|remove|register|toggle|change) tools?\b", named=True),
    _Rule(
        Role.MUTATE_RESOURCE,
        r"(mutate|update|toggle|change) (resource|note|subscri)",
        may=frozenset({"text"}),
        named=True,
    ),
    _Rule(Role.TASK, "", frozenset({"seconds"}), fits=_runs_as_task),
    _Rule(Role.WITNESS, r"\bprobe|witness|ledger|audit|tally|effects", frozenset({"key"}), named=True),
    _Rule(Role.CALL, r"\becho", frozenset({"text"})),
    _Rule(Role.CALL, "", may=frozenset(), sure=False, fits=_read_only),
)
"""A tool that fits a rule may play its role, the rules of a role in this order."""


def candidates(protocol: str, items: Items) -> Candidates:
    """What may play each role, the best first."""
    found: Candidates = {}
    for proposal in _found(protocol, items):
        listed = found.setdefault(proposal.role, [])
        if proposal not in listed and len(listed) < _FEW:
            listed.append(proposal)
    return found


def _found(protocol: str, items: Items) -> Iterator[Proposal]:
    if protocol == "a2a":
        yield Proposal(Stimulus(role=Role.ECHO, verb="text", name="hello {text}"))
        yield from _examples(items["skills"])
    elif protocol == "agui":
        yield Proposal(Stimulus(role=Role.CHAT, verb="prompt", name="hello"))
    else:
        yield from _of_tools(list(items["tools"].values()))
        yield from map(_prompt, sorted(items["prompts"].values(), key=_needed))
        yield from (Proposal(Stimulus(role=Role.RESOURCE, verb="resource", name=uri)) for uri in items["resources"])


def _examples(skills: Mapping[str, Mapping[str, Any]]) -> Iterator[Proposal]:
    """What the card says that a user may say. Whether it is done without effects nobody says."""
    for skill in skills.values():
        listed = skill.get("examples")
        for words in listed if isinstance(listed, list) else ():
            if isinstance(words, str) and words.strip():
                yield Proposal(Stimulus(role=Role.ECHO, verb="text", name=words), Effects.POSSIBLE, sure=False)


def _of_tools(tools: list[Tool]) -> Iterator[Proposal]:
    for rule in _RULES:
        yield from (proposal for tool in tools if (proposal := _played(rule, tool)))
    for tool in tools:
        yield from _mirrored(tool)
        yield from _refused(tool)


def _played(rule: _Rule, tool: Tool) -> Proposal | None:
    about = spaced(tool["name"]) if rule.named else _about(tool)
    given = arguments(tool, rule.needs | rule.may)
    if not (re.search(rule.words, about, re.I) and rule.fits(tool) and rule.needs <= given.taken):
        return None
    progress = rule.progress or (rule.role is Role.SLOW and "progress" in _about(tool).lower())
    return _calling(rule.role, tool, given, progress, rule.sure)


def _calling(role: Role, tool: Tool, given: Arguments, progress: bool = False, sure: bool = True) -> Proposal:
    only = "streamable-http" if role is Role.STREAM_CLOSE else ""
    stimulus = Stimulus(
        role=role, verb="tool", name=tool["name"], arguments=given.values, progress=progress, only=only, **given.tempo
    )
    return Proposal(stimulus, effects(tool), sure and not given.invented)


def _mirrored(tool: Tool) -> Iterator[Proposal]:
    """A parameter that is mirrored in a header, with a text of ours."""
    given = arguments(tool, frozenset())
    for name in mirrored(tool):
        schema = parameters(tool)[name]
        if kind_of(schema) == "string" and "enum" not in schema:
            given.place(name, "text")
            yield _calling(Role.X_MCP_HEADER, tool, given, sure=False)
            return


def mirrored(tool: Tool) -> dict[str, str]:
    """Parameter -> the end of the header's name, where it can be one."""
    found = ((name, schema.get("x-mcp-header")) for name, schema in parameters(tool).items())
    return {name: header for name, header in found if isinstance(header, str) and _TOKEN.fullmatch(header)}


def _refused(tool: Tool) -> Iterator[Proposal]:
    """What looks something up fails where there is no such thing."""
    if effects(tool) is not Effects.NONE:
        return
    given, needed = arguments(tool, frozenset()), required(tool)
    for name, schema in parameters(tool).items():
        numbered = kind_of(schema) in ("integer", "number") and re.search(r"id$", name, re.I)
        if numbered or (name in needed and kind_of(schema) == "string" and "enum" not in schema):
            given.values[name] = -1 if numbered else NOWHERE
            yield _calling(Role.FAILING, tool, given, sure=False)
            return


def _prompt(prompt: Mapping[str, Any]) -> Proposal:
    """Its required arguments have a name and a description, and no type but text."""
    declared = prompt.get("arguments")
    listed = [item for item in declared if isinstance(item, dict)] if isinstance(declared, list) else []
    schemas = {str(item.get("name")): {"type": "string", "description": item.get("description")} for item in listed}
    needed = [str(item.get("name")) for item in listed if item.get("required")]
    schema = {"properties": schemas, "required": needed}
    given = arguments({"inputSchema": schema}, frozenset({"city"}))
    return Proposal(Stimulus(role=Role.PROMPT, verb="prompt_name", name=prompt["name"], arguments=given.values))


def _needed(prompt: Mapping[str, Any]) -> bool:
    """Prompts that take arguments come first: more can be asked of them."""
    return not prompt.get("arguments")


def effects(tool: Tool) -> Effects:
    if _hint(tool, "readOnlyHint") is True:
        return Effects.NONE
    return Effects.DESTRUCTIVE if _hint(tool, "destructiveHint") is True else Effects.POSSIBLE


def _hint(tool: Tool, name: str) -> Any:
    annotations = tool.get("annotations")
    return annotations.get(name) if isinstance(annotations, dict) else None


def _about(tool: Tool) -> str:
    return spaced(f"{tool['name']} {tool.get('description', '')}")


def spaced(text: str) -> str:
    return text.replace("_", " ").replace("-", " ")
