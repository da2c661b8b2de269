"""How a target is made to do what a check needs: roles to real requests."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .document import Entry
from .model import Json, Role

VERBS = ("tool", "prompt_name", "resource")
WITNESS_VERBS = (*VERBS, "get", "file", "command")
_FIXED = ("lasts", "count", "gap", "progress", "only", "running", "stopped", "note")

BINDING_ALIASES = {"http": "streamable-http", "sse": "http+sse"}
"""Short names of bindings that a configuration may use."""

_PLACEHOLDER = re.compile(r"\{(seconds|count|gap|key|text|level|city)\}")
_NUMERIC = frozenset({"seconds", "count", "gap"})
_TEMPO_ARGUMENTS = {
    "lasts": ("seconds", "duration"),
    "count": ("count", "steps", "n"),
    "gap": ("gap", "delay"),
}
"""Names of constant arguments that tell how long a target works, used where nothing is stated."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A stimulus with every placeholder replaced: what is really asked."""

    verb: str
    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """How one role is played.

    `name` is a tool, a prompt, the URI of a resource, a URL (get), a path (file) or a shell-quoted
    command line. `lasts` and `gap` are seconds; they and `count` are None where the check chooses.
    `only` is the one binding on which it works, "" for all of them.
    """

    role: str
    verb: str
    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    lasts: float | None = None
    count: int | None = None
    gap: float | None = None
    progress: bool = False
    only: str = ""
    running: str = ""
    stopped: str = ""

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset(_PLACEHOLDER.findall(self.name + json.dumps(self.arguments)))

    @property
    def keyed(self) -> bool:
        """Whether a key ties what it does to what the witness shows."""
        return "key" in self.placeholders

    def works_on(self, binding: str) -> bool:
        return self.only in ("", binding)

    def duration(self, seconds: float) -> float:
        """How long it works when it is asked for `seconds`."""
        if self.lasts is not None and "seconds" not in self.placeholders:
            return self.lasts
        return seconds

    def fill(
        self,
        *,
        seconds: float = 2.0,
        count: int = 5,
        gap: float = 0.1,
        key: str = "seatrial",
        text: str = "hello",
        level: str = "info",
        city: str = "Paris",
    ) -> Filled:
        """The request with its placeholders replaced. A text that is only a numeric one becomes a number."""
        values = {
            "seconds": _plain(seconds),
            "count": count,
            "gap": _plain(gap),
            "key": key,
            "text": text,
            "level": level,
            "city": city,
        }
        return Filled(self.verb, _inserted(self.name, values), _filled(self.arguments, values))


def _plain(number: float) -> float | int:
    """A whole number without its fraction, so that a parameter of type integer takes it too."""
    return int(number) if float(number).is_integer() else number


def _inserted(template: str, values: Mapping[str, Any]) -> str:
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), template)


def _filled(value: Json, values: Mapping[str, Any]) -> Json:
    if isinstance(value, str):
        alone = _PLACEHOLDER.fullmatch(value)
        return values[alone[1]] if alone and alone[1] in _NUMERIC else _inserted(value, values)
    if isinstance(value, Mapping):
        return {key: _filled(item, values) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(item, values) for item in value]
    return value


def choose(stimuli: Mapping[str, Stimulus], role: str, binding: str = "") -> Stimulus | None:
    """The stimulus of a role on a binding; `quick` may be played by `echo`. None where there is none."""
    for name in (role, *((Role.ECHO,) if role == Role.QUICK else ())):
        stimulus = stimuli.get(name)
        if stimulus and (not binding or stimulus.works_on(binding)):
            return stimulus
    return None


def stimuli(entry: Entry) -> dict[str, Stimulus]:
    """The stimuli of a target by role, in either spelling. Raises ConfigError."""
    return {role: _stimulus(role, item) for role, item in entry.table(tuple(Role), "role").items()}


def _stimulus(role: str, entry: Entry) -> Stimulus:
    return _from_line(role, entry) if isinstance(entry.value, str) else _from_table(role, entry)


def _from_table(role: str, entry: Entry) -> Stimulus:
    verbs = WITNESS_VERBS if role == Role.WITNESS else VERBS
    table = entry.table((*verbs, "arguments", *_FIXED))
    named = [verb for verb in verbs if verb in table]
    if len(named) != 1:
        raise entry.error(f"needs exactly one of {', '.join(verbs)}")
    arguments = {key: item.value for key, item in table["arguments"].table().items()} if "arguments" in table else {}
    texts: dict[str, Any] = {key: table[key].text() for key in ("running", "stopped") if key in table}
    return Stimulus(
        role=role,
        verb=named[0],
        name=_name(table[named[0]]),
        arguments=arguments,
        progress="progress" in table and table["progress"].flag(),
        only=_binding(table["only"]) if "only" in table else "",
        **_tempo(arguments, table),
        **texts,
    )


def _name(entry: Entry) -> str:
    """The object of a verb; a command may be a list of words."""
    if entry.path[-1] == "command" and isinstance(entry.value, list):
        return shlex.join(entry.texts())
    return entry.text()


def _binding(entry: Entry) -> str:
    return BINDING_ALIASES.get(entry.text(), entry.text())


def _tempo(arguments: Mapping[str, Json], table: Mapping[str, Entry]) -> dict[str, Any]:
    """lasts, count and gap: as stated, else as a constant argument tells, else as those two multiply."""
    found: dict[str, Any] = {key: _constant(arguments, names) for key, names in _TEMPO_ARGUMENTS.items()}
    found |= {key: table[key].number() for key in ("lasts", "gap") if key in table}
    found |= {"count": table["count"].whole()} if "count" in table else {}
    if found["lasts"] is None and found["count"] and found["gap"]:
        found["lasts"] = found["count"] * found["gap"]
    return found


def _constant(arguments: Mapping[str, Json], names: tuple[str, ...]) -> float | int | None:
    values = (arguments.get(name) for name in names)
    return next((value for value in values if isinstance(value, int | float) and not isinstance(value, bool)), None)


_WORDS = {"tool": "tool", "prompt": "prompt_name", "prompt_name": "prompt_name", "resource": "resource"}
_WITNESS_WORDS = {**_WORDS, "get": "get", "file": "file", "command": "command"}


def _from_line(role: str, entry: Entry) -> Stimulus:
    """`VERB NAME JSON: remark`; the verb may be left out where the role is `prompt` or `resource`."""
    words = _WITNESS_WORDS if role == Role.WITNESS else _WORDS
    first, _, rest = entry.value.strip().partition(" ")
    if first.lower() not in words or not rest:
        if role not in (Role.PROMPT, Role.RESOURCE) or not first:
            raise entry.error(f"must begin with one of {', '.join(words)} and a name, for example: tool NAME {{}}")
        first, rest = role, entry.value.strip()
    name, arguments, remark = _object(entry, rest)
    return Stimulus(
        role=role,
        verb=words[first.lower()],
        name=name,
        arguments=arguments,
        progress=role == Role.PROGRESS or ("progress" in remark and "no progress" not in remark),
        **_tempo(arguments, {}),
    )


def _object(entry: Entry, rest: str) -> tuple[str, dict[str, Json], str]:
    """NAME, JSON and remark of the one-line spelling. Without JSON the remark follows a colon and a blank."""
    name, _, tail = rest.strip().partition(" ")
    if not tail.lstrip().startswith("{"):
        return name.rstrip(":"), {}, tail
    tail = tail.lstrip()
    try:
        arguments, end = json.JSONDecoder().raw_decode(tail)
    except ValueError as error:
        raise entry.error(f"has arguments that are not JSON: {error}") from None
    return name, arguments, tail[end:]
