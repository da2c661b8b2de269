"""`seatrial run`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..config import FILE, TargetConfig, load, select, url_problem
from ..document import ConfigError
from ..engine import Options
from ..matrix import Exit
from ..target import Target, attach
from ..transcript import REDACTED, SECRET_HEADERS, Redactor
from .catalogue import Catalogue
from .execution import perform, prepare
from .options import TargetCommand, Wanted, run_options
from .refusal import Refused

_HEADER = re.compile(r"([!#$%&'*+.^_`|~\w-]+)\s*:[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)", re.ASCII)


@click.command(cls=TargetCommand, options_metavar="[OPTIONS] [URL | NAME | -- COMMAND...]")
@click.argument("place", default="", metavar="")
@click.option(
    "--config", type=click.Path(path_type=Path), metavar="FILE", help=f"Where NAME is described.  [default: {FILE}]"
)
@click.option(
    "--header", multiple=True, metavar="'NAME: VALUE'", help="Send this header with every request (repeatable)."
)
@run_options
@click.pass_context
def command(ctx: click.Context, /, place: str, config: Path | None, header: tuple[str, ...], **typed: Any) -> None:
    """Run the checks against a target and say clause by clause what held.

    The target is a URL to attach to, a command to start (it speaks over standard input and output), or the
    NAME of a table in seatrial.toml, which may be left out when there is one only.
    """
    described = target_config(place, ctx.meta[TargetCommand.SPAWN], config)
    given = headers(header)
    target = replace(described, headers={**described.headers, **given})
    words = ("run", *_named(place, config, given, target))

    def make(catalogue: Catalogue, options: Options) -> list[Target]:
        catalogue.require_versions(target.versions)
        catalogue.require_bindings(target.bindings)
        return [attach(target)]

    code = perform(prepare(Wanted(**typed), make, words))
    if not target.stimuli and code in (Exit.UNJUDGED, Exit.BROKEN):
        _advise(place, target)
    ctx.exit(code)


def _advise(place: str, target: TargetConfig) -> None:
    """How to get more judged, in one line."""
    known = "" if "://" not in place and not target.command else " " + " ".join(_named(place, None, {}, target))
    click.echo(f"No stimuli are configured; to have more judged: seatrial init{known}, then seatrial run", err=True)


def target_config(place: str, spawn: tuple[str, ...] | None, config: Path | None) -> TargetConfig:
    """The target that the words of a command line mean. Raises Refused."""
    if spawn is not None:
        return _spawned(place, spawn, config)
    if "://" in place:
        return _attached(place, config)
    return _described(place, config or FILE)


def _spawned(place: str, spawn: tuple[str, ...], config: Path | None) -> TargetConfig:
    if place or config:
        raise Refused("a command after -- is the whole target; leave out the URL, the NAME and --config")
    if not spawn:
        raise Refused("there is no command after --; write it there, for example: -- python server.py")
    return TargetConfig(name=Path(spawn[0]).name, command=spawn)


def _attached(place: str, config: Path | None) -> TargetConfig:
    if config:
        raise Refused("give a URL, or --config and a NAME, not both")
    if problem := url_problem(place):
        raise Refused(f"the target {problem}")
    return TargetConfig(name="target", url=place)


def _described(name: str, file: Path) -> TargetConfig:
    if not file.exists():
        hint = f" An address begins with http://, so {name} is looked up there." if name else ""
        raise Refused(f"there is no {file}; write one with seatrial init, or give a URL or -- COMMAND.{hint}")
    try:
        return select(load(file), name, file)
    except ConfigError as error:
        raise Refused(str(error)) from None


def headers(texts: tuple[str, ...]) -> dict[str, str]:
    """Name to value of `NAME: VALUE` texts. Raises Refused."""
    found = {text: _HEADER.fullmatch(text) for text in texts}
    for text, match in found.items():
        if match is None:
            raise Refused(f"--header {text!r:.60} is no header; write it as 'Name: value' on one line")
    return {match[1]: match[2].strip() for match in found.values() if match}


def _named(place: str, config: Path | None, given: Mapping[str, str], target: TargetConfig) -> list[str]:
    """The words that name the target in a rerun. Secrets do not stand in them."""
    redactor = Redactor(target.secrets)
    words = ["--config", str(config)] if config else []
    for name, value in given.items():
        words += ["--header", f"{name}: {REDACTED if name.lower() in SECRET_HEADERS else redactor.text(value)}"]
    if place:
        return [*words, redactor.text(place)]
    return words if not target.command or config or FILE.exists() else [*words, "--", *target.command]
