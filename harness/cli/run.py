"""`seatrial run`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..config import FILE, TargetConfig, load, select, url_problem
from ..document import ConfigError
from ..matrix import Exit
from ..options import Options
from ..protocols import protocol_of
from ..redaction import redactor
from ..target import Target, attach
from ..transcript import REDACTED
from .care import care_options, conduct
from .catalogue import Catalogue
from .options import TARGET, TargetCommand, Wanted, option, run_options
from .refusal import Refused

_HEADER = re.compile(r"([!#$%&'*+.^_`|~\w-]+)\s*:[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)", re.ASCII)


@click.command(cls=TargetCommand, options_metavar="[OPTIONS] [URL | NAME... | -- COMMAND...]")
@click.argument("places", nargs=-1, metavar="")
@option("--all", "every", section=TARGET, common=True, is_flag=True, help=f"Every target of {FILE}.")
@option(
    "--config",
    section=TARGET,
    common=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Where NAME is described, if not in {FILE}.",
)
@option("--header", section=TARGET, common=True, multiple=True, metavar="'NAME: VALUE'", help="Send this header too.")
@care_options
@run_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    places: tuple[str, ...],
    every: bool,
    config: Path | None,
    header: tuple[str, ...],
    dry_run: bool,
    **typed: Any,
) -> None:
    """Run the checks against a target and say clause by clause what held: a URL to attach to, a command to start,
    or NAMEs of seatrial.toml, which may be left out when there is one only.
    """
    from .dry_run import rehearse
    from .execution import perform, prepare  # They bring the engine, which no help needs.

    given = headers(header)
    described = target_configs(places, every, ctx.meta[TargetCommand.SPAWN], config)
    targets = [replace(target, headers={**target.headers, **given}) for target in described]
    place = places[0] if len(places) == 1 else ""
    whole = _named(place if len(targets) == 1 else "", config, given, targets[0])

    def make(catalogue: Catalogue, options: Options) -> list[Target]:
        for target in targets:
            catalogue.require_versions(target.versions)
            catalogue.require_bindings(target.bindings)
        return [attach(way) for target in targets for way in target.targets]

    asked = conduct(typed)
    wanted = Wanted(**typed, config=config, conduct=asked)
    if dry_run:
        rehearse([way for target in targets for way in target.targets], wanted)
        ctx.exit()
    code = perform(prepare(wanted, make, ("run", *whole), fleet(targets)))
    needy = len(targets) == 1 and not targets[0].stimuli and not protocol_of(targets[0].url)
    if needy and code in (Exit.UNJUDGED, Exit.BROKEN):
        _advise(place, targets[0])
    ctx.exit(code)


def fleet(targets: Sequence[TargetConfig]) -> dict[str, Any]:
    """What the reports tell of several targets: the words that name each, and which is another way to which."""
    ways = {way.name: target.name for target in targets for way in target.targets[1:]}
    names = {way.name: [target.name] for target in targets for way in target.targets}
    return {**({"ways": ways} if ways else {}), **({"places": names} if len(targets) > 1 else {})}


def _advise(place: str, target: TargetConfig) -> None:
    """How to get more judged, in one line."""
    typed = "://" in place or _spawn() is not None
    asked = " ".join(["seatrial init", *(_named(place, None, {}, target) if typed else ())])
    click.echo(f"No stimuli are configured; to have more judged: {asked}, then seatrial run", err=True)


def _spawn() -> tuple[str, ...] | None:
    """The words after `--`; None where there is no `--`."""
    found: tuple[str, ...] | None = click.get_current_context().meta[TargetCommand.SPAWN]
    return found


def target_configs(
    places: tuple[str, ...], every: bool, spawn: tuple[str, ...] | None, config: Path | None
) -> tuple[TargetConfig, ...]:
    """The targets that the words of a command line mean: one, several by name, or every one. Raises Refused."""
    if not every and len(places) < 2:
        return (target_config("".join(places), spawn, config),)
    if spawn is not None or (every and places):
        raise Refused(f"--all means every target of {config or FILE}; leave out the names, URLs and commands")
    if addresses := [place for place in places if "://" in place]:
        raise Refused(f"give one URL, or the names of several targets of {config or FILE}, not {len(addresses)} URLs")
    file = config or FILE
    known = _known(file, "")
    try:
        return tuple(select(known, name, file) for name in dict.fromkeys(places or known))
    except ConfigError as error:
        raise Refused(str(error)) from None


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
    known = _known(file, name)
    try:
        return select(known, name, file)
    except ConfigError as error:
        raise Refused(str(error)) from None


def _known(file: Path, name: str) -> dict[str, TargetConfig]:
    """The targets of a file; `name` is what is looked up there. Raises Refused."""
    if not file.exists():
        hint = f" An address begins with http://, so {name} is looked up there." if name else ""
        raise Refused(f"there is no {file}; write one with seatrial init, or give a URL or -- COMMAND.{hint}")
    try:
        return load(file)
    except ConfigError as error:
        raise Refused(str(error)) from None


def headers(texts: tuple[str, ...]) -> dict[str, str]:
    """Name to value of `NAME: VALUE` texts. Raises Refused."""
    found = [_HEADER.fullmatch(text) for text in texts]
    if None in found:
        which = f"--header number {found.index(None) + 1}" if len(found) > 1 else "the --header"
        raise Refused(f"{which} is no header; write it as 'Name: value' on one line")
    return {match[1]: match[2].strip() for match in found if match}


def _named(place: str, config: Path | None, given: Mapping[str, str], target: TargetConfig) -> list[str]:
    """The words that name the target in a rerun. Secrets do not stand in them."""
    words = ["--config", str(config)] if config else []
    for name in given:
        words += ["--header", f"{name}: {REDACTED}"]
    typed = ("--", *target.command) if _spawn() is not None else (place,) if place else ()
    return [*words, *map(redactor([target]).text, typed)]
