"""seatrial.toml: which targets there are, and what their owner says about them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .conduct import contact_problem
from .document import ConfigError, Document, Entry, read
from .redaction import is_secret, of_command, of_url
from .spelling import unknown
from .stimuli import BINDING_ALIASES, Stimulus, place, stimuli
from .transcript import Redactor

FILE = Path("seatrial.toml")
PROTOCOLS = ("mcp", "a2a", "agui")
RELEASES = ("1.0.0", "1.0.1")
MILESTONES = ("0.1.4", "0.1.10", "0.1.15", "0.1.19", "0.1.21")
PIPES = "stdio"
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_ANY_PORT = "{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetConfig:
    """One target as its owner describes it.

    `url` alone: attach. `command` alone: spawn, stdio. Both, `{port}` in both: spawn a server of HTTP.
    An empty `protocol`, and empty `versions` and `bindings`, are discovered. `release` is that of the A2A
    specification, `milestone` that of AG-UI 0.1; `webhook_host` is where the target can reach us, and
    `capabilities_url` where an AG-UI endpoint declares its capabilities (a path: on its own origin).
    `contact` is told to it as where we are reached. `ways` are further URLs of the same server by name, such as that
    of a gateway before it. `secrets` are the values that came from the environment.
    """

    name: str
    protocol: str = ""
    url: str = ""
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    versions: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    stimuli: Mapping[str, Stimulus] = field(default_factory=dict)
    identities: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    replicas: tuple[str, ...] = ()
    ca: str = ""
    release: str = ""
    milestone: str = ""
    webhook_host: str = "127.0.0.1"
    capabilities_url: str = ""
    contact: str = ""
    ways: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()

    @property
    def spawned(self) -> bool:
        return bool(self.command)

    @property
    def targets(self) -> tuple[TargetConfig, ...]:
        """The target itself, and what it is when it is reached in another way: `NAME@WAY`."""
        listening = tuple(name for name in self.bindings if name != PIPES)
        others = {f"{self.name}@{way}": url for way, url in self.ways.items()}
        far = replace(self, command=(), replicas=(), ways={}, bindings=listening)
        return (self, *(replace(far, name=name, url=url) for name, url in others.items()))

    @property
    def address(self) -> str:
        """What a person calls it: its URL, else its command line."""
        return self.url or " ".join(self.command)


def load(path: Path, environ: Mapping[str, str] = os.environ) -> dict[str, TargetConfig]:
    """The targets of a file by name. Raises ConfigError."""
    return parse(read(path), environ)


def parse(document: Document, environ: Mapping[str, str] = os.environ) -> dict[str, TargetConfig]:
    """The targets of a document by name. Raises ConfigError."""
    root = document.root().table(("target",), "table")
    if "target" not in root:
        raise ConfigError(f"{document.file} describes no target; add a table [target.NAME] with a url or a command")
    return {name: _target(name, entry, environ) for name, entry in root["target"].table().items()}


def described(name: str, keys: Mapping[str, Any], origin: str, environ: Mapping[str, str] = os.environ) -> TargetConfig:
    """A target whose keys come from a program, not from a file; errors name `origin`. Raises ConfigError."""
    return _target(name, Entry(Document(origin), ("target", name), dict(keys)), environ)


def select(targets: Mapping[str, TargetConfig], name: str, file: Path) -> TargetConfig:
    """The target of that name, or the only one when `name` is empty. Raises ConfigError."""
    if name in targets:
        return targets[name]
    if name:
        raise ConfigError(f"{file}: {unknown('target', name, targets)}")
    if len(targets) == 1:
        return next(iter(targets.values()))
    raise ConfigError(f"{file} describes {len(targets)} targets; name one of them: {', '.join(targets)}")


_Reader = Callable[[Entry], Any]


def _target(name: str, entry: Entry, environ: Mapping[str, str]) -> TargetConfig:
    secrets: list[str] = []
    readers = _readers(environ, secrets, _protocol_of(entry))
    table = entry.table(tuple(readers))
    values = {key: readers[key](item) for key, item in table.items()}
    config = TargetConfig(name=name, **values, secrets=tuple(dict.fromkeys(filter(None, secrets))))
    _require_place(entry, config)
    return config


def _protocol_of(entry: Entry) -> str:
    """The stated protocol of a target, "" where none is: how it is played depends on it."""
    stated = entry.table().get("protocol")
    return _protocol(stated) if stated else ""


def _readers(environ: Mapping[str, str], secrets: list[str], protocol: str) -> dict[str, _Reader]:
    """How each key of a target is read. Every value taken from the environment is added to `secrets`."""

    def expanded(entry: Entry) -> str:
        return _expanded(entry, environ, secrets)

    def texts(entry: Entry) -> dict[str, str]:
        return {key: expanded(item) for key, item in entry.table().items()}

    def variables(entry: Entry) -> dict[str, str]:
        found = texts(entry)
        secrets.extend(value for name, value in found.items() if is_secret(name))
        return found

    def command(entry: Entry) -> tuple[str, ...]:
        words = _command(entry)
        secrets.extend(of_command(words))
        return words

    def url(entry: Entry) -> str:
        return _url(entry, expanded(entry), entry.text())

    return {
        "protocol": _protocol,
        "url": url,
        "command": command,
        "env": variables,
        "versions": Entry.texts,
        "bindings": _bindings,
        "headers": texts,
        "stimuli": lambda entry: stimuli(entry, protocol),
        "identities": lambda entry: {key: texts(item) for key, item in entry.table().items()},
        "replicas": lambda entry: tuple(_url(entry, value, value) for value in entry.texts()),
        "ca": _file,
        "release": lambda entry: _one_of(entry, RELEASES),
        "milestone": lambda entry: _one_of(entry, MILESTONES),
        "webhook_host": _host,
        "capabilities_url": place,
        "contact": _contact,
        "ways": lambda entry: {_way(item): url(item) for item in entry.table().values()},
    }


def _expanded(entry: Entry, environ: Mapping[str, str], secrets: list[str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] not in environ:
            raise entry.error(f"uses ${{{match[1]}}}, but the environment has no variable {match[1]}; set it")
        secrets.append(environ[match[1]])
        return environ[match[1]]

    return _VARIABLE.sub(value, entry.text())


def _protocol(entry: Entry) -> str:
    if entry.text() not in PROTOCOLS:
        raise entry.error(f"is not spoken: {unknown('protocol', entry.text(), PROTOCOLS)}")
    return entry.text()


def _one_of(entry: Entry, known: tuple[str, ...]) -> str:
    if entry.text() not in known:
        raise entry.error(f"must be one of {', '.join(known)}, not {entry.value!r:.40}")
    return entry.text()


def _way(entry: Entry) -> str:
    """The name of a way to a server."""
    name = entry.path[-1]
    if not re.fullmatch(r"[\w.-]+", name):
        raise entry.error("must have a name of letters, digits, dots and hyphens, for example gateway")
    return name


def _contact(entry: Entry) -> str:
    """Where the target's owner reaches us."""
    if problem := contact_problem(entry.text()):
        raise entry.error(problem)
    return entry.text()


def _host(entry: Entry) -> str:
    """The name or address of this machine as a target reaches it."""
    if not re.fullmatch(r"[\w.:-]+", entry.text()):
        raise entry.error(f"must be a host name or an address such as 127.0.0.1, not {entry.value!r:.80}")
    return entry.text()


def _url(entry: Entry, value: str, written: str) -> str:
    problem = url_problem(value, written)
    if problem:
        raise entry.error(problem)
    return value


def url_problem(value: str, written: str = "") -> str:
    """Why a text is no address of a target, as the rest of a sentence; "" when it is one.

    `written` is how the user wrote it, where variables were put in. A password in it is not told.
    """
    shown = Redactor(tuple(of_url(written or value))).text(written or value)
    wanted = "must be an address such as http://127.0.0.1:8080/mcp"
    try:
        parts = urlsplit(value.replace(_ANY_PORT, "1"))
        complete = parts.scheme in ("http", "https", "ws") and parts.hostname and (parts.port or True)
    except ValueError:
        return f"{wanted}; {shown!r:.80} has no valid host and port"
    return "" if complete else f"{wanted}, not {shown!r:.80}"


def _command(entry: Entry) -> tuple[str, ...]:
    words = entry.texts()
    if not words:
        raise entry.error('must not be empty; write it as a list of words, for example ["python", "server.py"]')
    return words


def _bindings(entry: Entry) -> tuple[str, ...]:
    return tuple(BINDING_ALIASES.get(name, name) for name in entry.texts())


def _file(entry: Entry) -> str:
    if not Path(entry.text()).is_file():
        raise entry.error(f"must name a file of certificates; there is no file {entry.value!r}")
    return entry.text()


def _require_place(entry: Entry, config: TargetConfig) -> None:
    """A target is somewhere: raises ConfigError unless url and command say where."""
    if not config.url and not config.command:
        raise entry.error('needs url = "http://…" or command = ["…"]')
    if config.command and config.url and _ANY_PORT not in config.url and ":" not in urlsplit(config.url).netloc:
        raise entry.error(
            "has a command and a url without a port; write {port} in both, or the port that it listens on"
        )
    if config.ways and not config.url:
        raise entry.error("has ways but no url; they are further addresses of a server of HTTP")
    if not config.command and _ANY_PORT in config.url:
        raise entry.error("has {port} in its url but no command that starts a server there")
