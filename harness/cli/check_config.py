"""`seatrial check-config`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from ..config import FILE, TargetConfig, parse
from ..document import ConfigError, Document, Entry, read
from .catalogue import Catalogue, load
from .refusal import Refused

_VARIABLE = re.compile(r"""(["']?)\$\{(\w+)\}""")
_WHOLE, _PART = "http://unset.invalid", "1"
"""What stands in for a variable that is not set, at the beginning of a text (which may be a URL) and within one."""


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE...]")
def command(files: tuple[Path, ...]) -> None:
    """Load a seatrial.toml and say what is wrong with it, by file, line and key.

    No target is spoken to, and no environment variable has to be set: fit for a pre-commit hook.
    """
    catalogue = load()
    for file in files or (FILE,):
        try:
            click.echo(_told(read(file), catalogue))
        except ConfigError as error:
            raise Refused(str(error)) from None


def _told(document: Document, catalogue: Catalogue) -> str:
    """What a document describes, in one line. Raises ConfigError."""
    wanted = stand_ins(document.text)
    targets = parse(document, {**wanted, **os.environ})
    for target in targets.values():
        _require_known(document, target, catalogue)
    described = ", ".join(f"{target.name} ({_counted(target)})" for target in targets.values())
    unset = ", ".join(sorted(wanted.keys() - os.environ.keys()))
    return f"{document.file}: {described}" + (f"; a run needs {unset} in the environment" if unset else "")


def _counted(target: TargetConfig) -> str:
    return f"{len(target.stimuli)} stimul{'us' if len(target.stimuli) == 1 else 'i'}"


def stand_ins(text: str) -> dict[str, str]:
    """Something legal for each environment variable of a configuration."""
    return {name: _WHOLE if quote else _PART for quote, name in _VARIABLE.findall(text)}


def _require_known(document: Document, target: TargetConfig, catalogue: Catalogue) -> None:
    """Raises ConfigError for a version or a binding that no check knows."""
    named = {
        "versions": (target.versions, catalogue.require_versions),
        "bindings": (target.bindings, catalogue.require_bindings),
    }
    for key, (values, require) in named.items():
        try:
            require(values)
        except Refused as refusal:
            entry = Entry(document, ("target", target.name, key), values)
            raise entry.error(f"is not understood: {refusal.message}") from None
