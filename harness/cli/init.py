"""`seatrial init`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import click

from ..config import FILE, TargetConfig
from ..engine import Unreachable
from ..stimuli import ROLES
from ..target import attach
from ..transcript import SECRET_HEADERS
from .options import TargetCommand
from .proposal import Proposal, proposals
from .refusal import Refused
from .run import headers, target_config
from .survey import Survey, survey


@click.command(cls=TargetCommand, options_metavar="[OPTIONS] [URL | -- COMMAND...]")
@click.argument("place", default="", metavar="")
@click.option("--header", multiple=True, metavar="'NAME: VALUE'", help="Send this header with every request.")
@click.option("--name", default="", help="What to call the target.  [default: from its address]")
@click.option("--output", type=click.Path(path_type=Path), default=FILE, show_default=True, metavar="FILE")
@click.option("--force", is_flag=True, help="Overwrite the file.")
@click.pass_context
def command(ctx: click.Context, /, place: str, header: tuple[str, ...], name: str, output: Path, force: bool) -> None:
    """Ask a target what it offers and write a seatrial.toml with stimuli to check."""
    spawn = ctx.meta[TargetCommand.SPAWN]
    if spawn is None and "://" not in place:
        raise Refused("give the URL of the target, or the command that starts it after --")
    if output.exists() and not force:
        raise Refused(f"{output} is there already; --force overwrites it")
    described = target_config(place, spawn, None)
    target = replace(described, name=_name(name or described.name), headers=headers(header))
    found = anyio.run(_asked, target, backend="trio")
    _write(output, "\n".join(document(target, found)) + "\n")
    known = sum(map(len, found.items.values()))
    click.echo(f"{output} written: {len(found.columns)} columns, {known} items; read its stimuli, then: seatrial run")


async def _asked(target: TargetConfig) -> Survey:
    try:
        return await survey(attach(target))
    except Unreachable as error:
        raise _Silent(str(error)) from None


class _Silent(Refused):
    """The target said nothing."""

    exit_code = 4


def _name(text: str) -> str:
    return re.sub(r"[^\w-]+", "-", text, flags=re.ASCII).strip("-") or "target"


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(f"{output} cannot be written: {error.strerror}; choose another place with --output") from None


def document(target: TargetConfig, found: Survey) -> Iterator[str]:
    """The lines of a configuration of this target."""
    yield f"[target.{target.name}]"
    yield f"protocol = {toml(found.protocol)}"
    yield f"command = {toml(list(target.command))}" if target.command else f"url = {toml(target.url)}"
    versions = sorted({version for version, _ in found.columns})
    yield f"# versions = {toml(versions)}   # found; without this line they are found anew in every run"
    if target.headers:
        yield f"headers = {toml({key: _kept(key, value) for key, value in target.headers.items()})}"
    yield ""
    yield "# How this target plays the roles that checks need. They were guessed: read each of them, correct it, and"
    yield "# take away the # where it may be asked for. Without a stimulus its checks are INCONCLUSIVE."
    yield "# A check fills {seconds} {count} {gap} {key} {text} {level} {city}."
    yield from _NEXT.get(found.protocol, ())
    yield f"[target.{target.name}.stimuli]"
    yield from _stimuli(found.protocol, proposals(found.protocol, found.items))
    yield ""
    for kind, items in found.items.items():
        yield from (_offered(kind, name, item) for name, item in items.items())


_NEXT = {
    "a2a": (
        "# Say how your agent works for a while, needs input, fails: which words make it do so?",
        '# For example: hold = { text = "write a long report", lasts = 10 }   ask = { text = "book a flight" }',
    ),
    "agui": (
        "# Say how your agent uses a tool, works for a while, fails: which prompts make it do so?",
        '# For example: slow = { prompt = "count to 1000", lasts = 10 }   tool = { prompt = "what is the weather?" }',
    ),
}
"""What a person has to tell of an agent that nobody can guess."""


def _stimuli(protocol: str, found: list[Proposal]) -> Iterator[str]:
    for proposal in found:
        mark = "" if proposal.active else "# destructive: "
        yield f"{mark}{proposal.role.value} = {toml(_table(proposal))}"
    missing = [role.value for role in ROLES[protocol] if role not in {proposal.role for proposal in found}]
    yield f"# nothing was found for: {', '.join(missing)}"


def _table(proposal: Proposal) -> dict[str, Any]:
    table: dict[str, Any] = {proposal.verb: proposal.name}
    if proposal.verb in ("tool", "prompt_name"):
        table["arguments"] = dict(proposal.arguments)
    return table | ({"progress": True} if proposal.progress else {})


def _offered(kind: str, name: str, item: Mapping[str, Any]) -> str:
    """One item as a comment: on one line, without control characters, whatever the target wrote."""
    about = item.get("description")
    told = f"{kind[:-1]} {name}" + (f": {about}" if isinstance(about, str) else "")
    return f"# {re.sub(r'[^ -~]+', ' ', told)[:160]}".rstrip()


def _kept(name: str, value: str) -> str:
    """A secret does not go into a file: its place is the environment."""
    if name.lower() not in SECRET_HEADERS:
        return value
    scheme = value.split(" ", 1)[0] + " " if " " in value else ""
    return f"{scheme}${{{re.sub(r'[^A-Z0-9]', '_', name.upper())}}}"


def toml(value: Any) -> str:
    """A JSON value as TOML on one line; null, which TOML does not have, as an empty text."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case Mapping():
            inner = ", ".join(f"{_key(str(key))} = {toml(item)}" for key, item in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
        case _:
            return _text("" if value is None else str(value))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _text(text: str) -> str:
    """A basic string: JSON's, with the one control character that JSON lets pass escaped, and no lone surrogate."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return quoted.encode("utf-8", errors="replace").decode()
