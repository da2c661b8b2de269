"""The reference pages, made from the code: `python docs/generate.py` writes docs/reference/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from seatrial.cli import main
from seatrial.cli.catalogue import Catalogue, load
from seatrial.cli.listing import entry
from seatrial.cli.options import Sectioned
from seatrial.faults import FAULTS, Trigger, settings
from seatrial.faults.trigger import TRIGGERS
from seatrial.fixtures.interop.known import Known
from seatrial.fixtures.interop.known import load as read_known
from seatrial.glossary import EXITS, REASONS, ROLES, STIMULUS_KEYS, TARGET_KEYS, VERDICTS
from seatrial.matrix import Exit
from seatrial.protocols import driver_of, known, names
from seatrial.stimuli import ROLES as PLAYED

REFERENCE = Path(__file__).parent / "reference"
MADE = "Made from the code by `python docs/generate.py`; do not edit."
_WIDTH = 100
"""Columns of a help screen."""
_OF_A_CHECK = ("check", "level", "claim", "versions", "needs", "faults")


def pages() -> dict[str, str]:
    """Each page by the name of its file."""
    catalogue = load()
    checks = {f"checks-{name}.md": _page(_checks(catalogue, name)) for name in known()}
    return {
        **checks,
        "faults.md": _page(_faults()),
        "commands.md": _page(_commands()),
        "words.md": _page(_words()),
        "config.md": _page(_config()),
        "found.md": _page(_found()),
    }


def _page(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _checks(catalogue: Catalogue, protocol: str) -> Iterator[str]:
    rows = [entry(catalogue, suite, check) for suite, check in catalogue.checks.values()]
    own = [row for row in rows if row["protocol"] == protocol]
    yield from (f"# Checks of {driver_of(protocol).title}", "", MADE, "")
    yield f"{len(own)} checks. `seatrial explain ID` tells the clause of each, how it is probed and what proves it."
    for suite in dict.fromkeys(row["suite"] for row in own):
        yield from ("", f"## {suite}", "")
        yield from _table(
            ["check", "level", "claim", "versions", "needs", "faults"], (_check(r) for r in own if r["suite"] == suite)
        )


def _check(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        _code(row["id"]),
        row["level"],
        row["title"],
        _listed(row["versions"]),
        *map(_codes, (row["needs"], row["faults"])),
    )


def _faults() -> Iterator[str]:
    yield from ("# Faults", "", MADE, "")
    yield "[faults.md](../faults.md) shows each at work. Every fault has `on`, `after` and `times` beside its settings."
    for kind in FAULTS.values():
        mounts = sorted(mount.value for mount in kind.mounts)
        yield from ("", f"## {kind.name}", "", _prose(kind), "", f"Mounts: {_codes(mounts)}.")
        yield f"Settings: {_codes(settings(kind)) or 'none of its own'}."
    yield from ("", "## Triggers", "")
    yield from _table(
        ("trigger", "where it fires"), ((_code(_written(kind)), _prose(kind)) for kind in TRIGGERS.values())
    )


def _written(kind: type[Trigger]) -> str:
    named = ", ".join(item.name for item in fields(kind))
    return f"{kind.name}({named})" if named else kind.name


def _commands() -> Iterator[str]:
    yield from ("# Commands", "", MADE)
    for words, screen in _screens(main, ("seatrial",), None):
        yield from ("", f"## {' '.join(words)}", "", "```text", screen.rstrip(), "```")


def _screens(
    command: click.Command, words: tuple[str, ...], parent: click.Context | None
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The whole help of a command and of each below it."""
    context = click.Context(command, parent=parent, info_name=words[-1], terminal_width=_WIDTH)
    context.meta[Sectioned.WHOLE] = True
    yield words, command.get_help(context)
    if isinstance(command, click.Group):
        below = ((name, command.get_command(context, name)) for name in command.list_commands(context))
        for name, found in below:
            if found:
                yield from _screens(found, (*words, name), context)


def _words() -> Iterator[str]:
    yield from ("# Words", "", MADE)
    yield from (
        "",
        "## Exit codes",
        "",
        *_table(("code", "meaning"), ((str(code.value), EXITS[code]) for code in Exit)),
    )
    for title, words in (("Verdicts", VERDICTS), ("Reasons", REASONS)):
        rows = ((_code(word.value), meaning) for word, meaning in words.items())
        yield from ("", f"## {title}", "", *_table((title[:-1].lower(), "meaning"), rows))


def _config() -> Iterator[str]:
    yield from ("# seatrial.toml", "", MADE, "")
    yield "[config.md](../config.md) shows how the file is written."
    for title, keys in (("target", TARGET_KEYS), ("stimulus", STIMULUS_KEYS)):
        rows = ((_code(key), meaning) for key, meaning in keys.items())
        yield from ("", f"## Keys of a {title}", "", *_table(("key", "meaning"), rows))
    for protocol in names():
        roles = ((_code(role.value), ROLES[role]) for role in PLAYED[protocol])
        yield from ("", f"## Roles of {driver_of(protocol).title}", "")
        yield from _table(("role", "the stimulus"), roles)


def _found() -> Iterator[str]:
    yield from ("# What Seatrial found on real servers", "", MADE, "")
    yield "Each failure of the servers of [interop.md](../interop.md): what the specification asks, what was sent, and"
    yield "why that is held against the server. The versions of the packages stand there; later ones may be better."
    for target, found in groupby(sorted(read_known(), key=lambda entry: entry.target), key=lambda entry: entry.target):
        yield from ("", f"## {target}", "")
        yield from (line for entry in found for line in _argued(entry))


def _argued(entry: Known) -> Iterator[str]:
    places = _listed((*entry.versions, *entry.bindings))
    yield f"- `{entry.check}` ({places}). {entry.clause}"
    yield f"  Sent: {_code(entry.record.replace('`', chr(39)))}. {entry.reason}" + _public(entry.issue)


def _public(issue: str) -> str:
    return "" if issue == "none known" else f" Public report: {issue}"


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    heading = tuple(headings)
    yield _row(heading)
    yield _row("---" for _ in heading)
    yield from map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _prose(kind: type[Any]) -> str:
    return " ".join((kind.__doc__ or "").split())


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)


def _code(text: str) -> str:
    return f"`{text}`"


def _codes(words: Iterable[str]) -> str:
    return _listed(map(_code, words))


def write(folder: Path = REFERENCE) -> None:
    """Write every page."""
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, "utf-8")


if __name__ == "__main__":
    write()
