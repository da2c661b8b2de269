"""Advice on what a target offers: pure functions that find what a model, or its owner, will stumble over.

They read names, descriptions and schemas and know nothing of what a tool does, so a remark is a question to a person
and never a verdict. Each quotes what it was made from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .offer import Tool

MANY = 20
"""Tools in one view from which on models choose worse."""

NEW_WORDS = 3
"""So many words a description must have that the names do not."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_FILLER = re.compile(
    r"an?|and|are|as|at|be|by|for|from|given|in|into|is|its?|of|on|or|that|the|this|to|us(?:e|ing)|with|your?"
    r"|tool|function|method|arguments?|parameters?|input|value|gets?|returns?|takes"
)
_LIMIT = re.compile(
    r"\b(?:only|unless|except|must|cannot|can't|won't|not|never|instead|rather than|avoid|without|limited|at most"
    r"|up to|no more than|requires?|restricted|prefer|before|after)\b",
    re.I,
)
_EXAMPLE = re.compile(
    r"\bexamples?\b|\be\.\s?g\.|\bfor instance\b|\bsuch as\b|\blike [\"'`]|```|\{\s*\"\w+\"\s*:", re.I
)
_WRITES = re.compile(
    r"append|approve|buy|cancel|create|delete|deploy|drop|edit|insert|kill|merge|move|overwrite|pay|post|publish|purge"
    r"|push|put|remove|rename|reset|restart|send|stop|submit|transfer|update|upload|write"
)


@dataclass(frozen=True, slots=True)
class Remark:
    """`subject` is the name of a tool, or what else it is about; `text` says what was found there, and `quote` in
    which words, "" where there are none."""

    subject: str
    text: str
    quote: str = ""


Lint = Callable[[Sequence[Tool]], Iterator[Remark]]


def words(text: str) -> list[str]:
    """The words of a name or a sentence, in lower case: `listOpen_items` has three."""
    return [word.lower() for word in _WORD.findall(text)]


def foreign(text: str) -> bool:
    """Is it written in an alphabet whose words these lints cannot read?"""
    letters = [letter for letter in text if letter.isalpha()]
    return sum(not letter.isascii() for letter in letters) * 3 > len(letters)


def _readable(tools: Iterable[Tool]) -> Iterator[Tool]:
    return (tool for tool in tools if tool.description.strip() and not foreign(tool.description))


def purpose(tools: Sequence[Tool]) -> Iterator[Remark]:
    """A description that is missing, or that says no more than the names."""
    for tool in tools:
        if not tool.description.strip():
            yield Remark(tool.name, "has no description")
    for tool in _readable(tools):
        names = {_stem(word) for name in (tool.name, *tool.parameters) for word in words(name)}
        own = [word for word in words(tool.description) if not _FILLER.fullmatch(word) and _stem(word) not in names]
        if len(set(own)) < NEW_WORDS:
            yield Remark(tool.name, "says no more than its names", tool.description)


def _stem(word: str) -> str:
    """A word without the endings in which a name and a sentence differ."""
    return re.sub(r"(?:ing|es|ed|s|e)$", "", word) if len(word) > 3 else word


def limits(tools: Sequence[Tool]) -> Iterator[Remark]:
    """A description that sets no limit."""
    for tool in _readable(tools):
        if not _LIMIT.search(tool.description):
            yield Remark(tool.name, "does not say when not to use it", tool.description)


def example(tools: Sequence[Tool]) -> Iterator[Remark]:
    """No example anywhere: neither in words nor among the values of its parameters."""
    for tool in tools:
        if not (tool.schema is not None and not tool.parameters) and not _shows_a_call(tool):
            yield Remark(tool.name, "gives no example, neither in its description nor for its parameters")


def _shows_a_call(tool: Tool) -> bool:
    texts = (tool.description, *(str(p.get("description", "")) for p in tool.parameters.values()))
    values = ("example", "examples", "default", "enum", "const")
    shown = any(key in parameter for parameter in tool.parameters.values() for key in values)
    return bool(tool.examples) or shown or any(map(_EXAMPLE.search, texts)) or "examples" in (tool.schema or {})


def count(tools: Sequence[Tool]) -> Iterator[Remark]:
    """More tools than one agent should choose among."""
    if len(tools) > MANY:
        yield Remark("the list", f"has {len(tools)} tools; above {MANY} models choose worse: split it, or offer fewer")


def names(tools: Sequence[Tool]) -> Iterator[Remark]:
    """Names that are one name but for their spelling, and descriptions that tell no tools apart."""
    for first, *others in _alike(tools, lambda tool: " ".join(words(tool.name)) or tool.name):
        yield Remark(first.name, "is hard to tell from", ", ".join(tool.name for tool in others))
    for first, *others in _alike(tools, lambda tool: " ".join(tool.description.split())):
        yield Remark(first.name, "has the same description as", ", ".join(tool.name for tool in others))


def _alike(tools: Sequence[Tool], key: Callable[[Tool], str]) -> Iterator[list[Tool]]:
    """Tools that have one key, two or more; an empty key is none."""
    groups: dict[str, list[Tool]] = {}
    for tool in tools:
        groups.setdefault(key(tool), []).append(tool)
    return (group for found, group in groups.items() if found and len(group) > 1)


def hints(tools: Sequence[Tool]) -> Iterator[Remark]:
    """Annotations that are missing, or that contradict the name or one another; readers and writers in one place."""
    for tool in tools:
        verb = next(iter(words(tool.name)), "")
        if "readOnlyHint" not in tool.annotations:
            yield Remark(tool.name, "does not say whether it only reads (readOnlyHint)")
        elif tool.reads_only and tool.destroys:
            yield Remark(tool.name, "says that it only reads, and that it destroys")
        elif tool.reads_only and _WRITES.fullmatch(verb):
            yield Remark(tool.name, "says that it only reads, and is called", verb)
    reading = [tool for tool in tools if tool.reads_only]
    if reading and len(reading) < len(tools):
        yield Remark("the list", f"has {len(reading)} tools that only read beside {len(tools) - len(reading)} others")
