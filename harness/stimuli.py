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

VERBS: Mapping[str, tuple[str, ...]] = {
    "mcp": ("tool", "prompt_name", "resource"),
    "a2a": ("text", "message_id"),
    "agui": ("prompt",),
}
"""How a role is played, by protocol. A `message_id` may stand beside a `text`."""

_FREE_VERBS: Mapping[str, tuple[str, ...]] = {Role.WITNESS: ("get", "file", "command"), Role.STOP: ("post", "get")}
"""Roles that may also be played beside the protocol."""

ROLES: Mapping[str, tuple[Role, ...]] = {
    "mcp": (
        *(Role.ECHO, Role.QUICK, Role.CALL, Role.SLOW, Role.PROGRESS, Role.LOGS, Role.FAILING, Role.CRASH),
        *(Role.STRUCTURED, Role.MUTATE_TOOLS, Role.MUTATE_RESOURCE, Role.STREAM_CLOSE, Role.ELICIT, Role.ELICIT_URL),
        *(Role.SAMPLING, Role.ROOTS, Role.X_MCP_HEADER, Role.STATEFUL, Role.TASK, Role.PROMPT, Role.RESOURCE),
        Role.WITNESS,
    ),
    "a2a": (
        *(Role.ECHO, Role.TICKS, Role.HOLD, Role.ASK, Role.AUTH, Role.FAIL, Role.REJECT, Role.RAISE, Role.MESSAGE),
        *(Role.INVALID_RESPONSE, Role.IGNORE_CANCEL, Role.STORE_DOWN, Role.PUSH_STORE_DOWN, Role.WITNESS),
    ),
    "agui": (
        *(Role.CHAT, Role.TOOL, Role.TOOL_FAILING, Role.FRONT, Role.SLOW, Role.BOOM, Role.STATE, Role.INTERRUPT),
        *(Role.REASON, Role.SUB, Role.STEPS, Role.ACTIVITY, Role.CHUNKS, Role.HISTORY, Role.STOP, Role.MODEL_ERROR),
        *(Role.MODEL_HANG, Role.WITNESS),
    ),
}
"""What a target of each protocol can be asked to play."""

_PROTOCOL_OF = {verb: protocol for protocol, verbs in VERBS.items() for verb in verbs}
_ALL_VERBS = tuple(_PROTOCOL_OF)
_SPOKEN = frozenset(VERBS["a2a"] + VERBS["agui"])
_FIXED = ("lasts", "count", "gap", "progress", "only", "running", "stopped", "safe", "note")
KEYS = frozenset({*_ALL_VERBS, *sum(_FREE_VERBS.values(), ()), "arguments", *_FIXED})
"""What may stand in the table of some role."""

BINDING_ALIASES = {"http": "streamable-http"}
"""Short names of bindings that a configuration may use."""

_PLACEHOLDER = re.compile(r"\{(seconds|count|gap|key|text|level|city|thread|run)\}")
_NUMERIC = frozenset({"seconds", "count", "gap"})
_TEMPO_ARGUMENTS = {
    "lasts": ("seconds", "duration"),
    "count": ("count", "steps", "n"),
    "gap": ("gap", "delay"),
}
"""Names of constant arguments that tell how long a target works, used where nothing is stated."""


Verbs = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Filled:
    """A stimulus with every placeholder replaced: what is really asked."""

    verb: str
    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """How one role is played.

    `name` is a tool, a prompt, the URI of a resource, what the user says (text, prompt), a URL (get, post; a path
    alone is one of the target's own origin), a path (file) or a shell-quoted command line. The arguments of a text
    may hold `message_id`, with which the id of the message begins. `lasts` and `gap` are seconds; they and `count`
    are None where the check chooses. `only` is the one binding on which it works, "" for all of them.
    `safe`: its owner says that it does no harm.
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
    safe: bool = False

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
        thread: str = "",
        run: str = "",
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
            "thread": thread,
            "run": run,
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


def stimuli(entry: Entry, protocol: str = "") -> dict[str, Stimulus]:
    """The stimuli of a target by role, in either spelling. Raises ConfigError.

    With `protocol` the verbs of other protocols are refused; without it all of them are understood.
    """
    return {role: _stimulus(role, item, protocol) for role, item in entry.table(tuple(Role), "role").items()}


def _stimulus(role: str, entry: Entry, protocol: str) -> Stimulus:
    legal = (*VERBS.get(protocol, _ALL_VERBS), *_FREE_VERBS.get(role, ()))
    return (_from_line if isinstance(entry.value, str) else _from_table)(role, entry, legal, protocol)


def _from_table(role: str, entry: Entry, legal: Verbs, protocol: str) -> Stimulus:
    table = entry.table((*_ALL_VERBS, *_FREE_VERBS.get(role, ()), "arguments", *_FIXED))
    verb = _verb(entry, table, legal, protocol)
    arguments = {key: item.value for key, item in table["arguments"].table().items()} if "arguments" in table else {}
    texts: dict[str, Any] = {key: table[key].text() for key in ("running", "stopped") if key in table}
    filled = _said(verb, _name(table[verb]), arguments, table.get("message_id"))
    return Stimulus(
        role=role,
        verb=filled.verb,
        name=filled.name,
        arguments=filled.arguments,
        progress="progress" in table and table["progress"].flag(),
        only=_binding(table["only"]) if "only" in table else "",
        safe="safe" in table and table["safe"].flag(),
        **_tempo(arguments, table),
        **texts,
    )


def _verb(entry: Entry, table: Mapping[str, Entry], legal: Verbs, protocol: str) -> str:
    """The verb of a table. Raises ConfigError unless there is exactly one, and it is of the target's protocol."""
    for key in table:
        if key in _PROTOCOL_OF and key not in legal:
            raise table[key].error(_foreign(key, legal, protocol))
    named = [verb for verb in legal if verb in table]
    if named == ["text", "message_id"]:
        return "text"
    if len(named) != 1:
        raise entry.error(f"needs exactly one of {', '.join(legal)}")
    if "arguments" in table and named[0] in _SPOKEN:
        raise table["arguments"].error(f"cannot stand beside {named[0]}; write all of it into the text")
    return named[0]


def _foreign(verb: str, legal: Verbs, protocol: str) -> str:
    return f"is a verb of {_PROTOCOL_OF[verb]}, but the target speaks {protocol}; use {' or '.join(legal)}"


def _said(verb: str, name: str, arguments: Mapping[str, Json], message_id: Entry | None = None) -> Filled:
    """A verb in its one form: a message id alone is a text of no matter with an id that begins so."""
    if verb == "message_id":
        return Filled("text", "{text}", {"message_id": name})
    return Filled(verb, name, {"message_id": message_id.text()} if message_id else arguments)


def _name(entry: Entry) -> str:
    """The object of a verb; a command may be a list of words."""
    if entry.path[-1] == "command" and isinstance(entry.value, list):
        return shlex.join(entry.texts())
    return place(entry) if entry.path[-1] in ("get", "post") else entry.text()


def place(entry: Entry) -> str:
    """A URL, or a path on the target's own origin. Raises ConfigError."""
    return _place(entry, entry.text())


def _place(entry: Entry, url: str) -> str:
    if "{port}" in url or not re.match(r"/(?!/)|https?://", url):
        raise entry.error(
            f"must be a URL, or a path such as /witness on the target's own host and port, not {url!r:.80}"
        )
    return url


def _binding(entry: Entry) -> str:
    return BINDING_ALIASES.get(entry.text(), entry.text())


def _tempo(arguments: Mapping[str, Json], table: Mapping[str, Entry], remark: str = "") -> dict[str, Any]:
    """lasts, count and gap: as stated, else as a constant argument or the remark tells, else as those two multiply."""
    found: dict[str, Any] = _remarked(remark)
    found |= {key: value for key, value in _constants(arguments).items() if value is not None}
    found |= {key: table[key].number() for key in ("lasts", "gap") if key in table}
    found |= {"count": table["count"].whole()} if "count" in table else {}
    if found["lasts"] is None and found["count"] and found["gap"]:
        found["lasts"] = found["count"] * found["gap"]
    return found


def _constants(arguments: Mapping[str, Json]) -> dict[str, float | int | None]:
    return {key: _constant(arguments, names) for key, names in _TEMPO_ARGUMENTS.items()}


def _constant(arguments: Mapping[str, Json], names: tuple[str, ...]) -> float | int | None:
    values = (arguments.get(name) for name in names)
    return next((value for value in values if isinstance(value, int | float) and not isinstance(value, bool)), None)


_REMARKED: Mapping[str, re.Pattern[str]] = {
    "lasts": re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) s\b(?! apart)"),
    "count": re.compile(r"(?<![\w.])(\d+)(?: \w+)? (?:chunks|deltas|events|steps|ticks)\b"),
    "gap": re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) s apart\b"),
}
"""How a remark tells the tempo: `10 s of chunks`, `10 chunks`, `0.2 s apart`."""


def _remarked(remark: str) -> dict[str, float | int | None]:
    found = {key: pattern.search(remark) for key, pattern in _REMARKED.items()}
    return {key: (int if key == "count" else float)(match[1]) if match else None for key, match in found.items()}


_WORDS = {"tool": "tool", "prompt": "prompt_name"} | {verb: verb for verb in ("prompt_name", "resource")}
_FREE_WORDS = frozenset(sum(_FREE_VERBS.values(), ()))
_QUOTED = re.compile(r"""(text|message_id|prompt)\s+(['"])(.*?)\2\s*(?::(.*))?""", re.IGNORECASE | re.DOTALL)
_ANY_RUN = re.compile(r"every run\s*(?::(.*))?", re.IGNORECASE | re.DOTALL)


def _from_line(role: str, entry: Entry, legal: Verbs, protocol: str) -> Stimulus:
    """`VERB NAME JSON: remark`, `VERB 'TEXT': remark` or `every run: remark`."""
    filled, remark = _line(role, entry, legal)
    if filled.verb not in legal:
        raise entry.error(_foreign(filled.verb, legal, protocol))
    return Stimulus(
        role=role,
        verb=filled.verb,
        name=filled.name,
        arguments=filled.arguments,
        progress=role == Role.PROGRESS or ("progress" in remark and "no progress" not in remark),
        **_tempo(filled.arguments, {}, remark),
    )


def _line(role: str, entry: Entry, legal: Verbs) -> tuple[Filled, str]:
    """What a line asks for, and its remark."""
    line = entry.value.strip()
    if quoted := _QUOTED.fullmatch(line):
        return _said(quoted[1].lower(), quoted[3], {}), quoted[4] or ""
    if any_run := _ANY_RUN.fullmatch(line):
        return Filled("prompt", "{text}"), any_run[1] or ""
    verb, rest = _opening(role, entry, legal)
    name, arguments, remark = _object(entry, rest)
    return Filled(verb, _place(entry, name) if verb in ("get", "post") else name, arguments), remark


def _opening(role: str, entry: Entry, legal: Verbs) -> tuple[str, str]:
    """The verb of a line and the rest; the verb may be left out where the role is `prompt` or `resource`."""
    first, _, rest = entry.value.strip().partition(" ")
    words = _WORDS | {verb: verb for verb in legal if verb in _FREE_WORDS}
    if first.lower() in words and rest:
        return words[first.lower()], rest
    if role in (Role.PROMPT, Role.RESOURCE) and first:
        return words[role], entry.value.strip()
    if first.lower() in _SPOKEN:
        raise entry.error(f"must have its words in quotes, for example: {first} 'hello'")
    example = "tool NAME {}" if legal[0] == "tool" else f"{legal[0]} 'hello'"
    raise entry.error(f"must begin with one of {', '.join(legal)}, for example: {example}")


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
