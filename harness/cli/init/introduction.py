"""A target is looked at, what it may play is decided, and its configuration is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import click

from ...config import FILE, TargetConfig
from ...engine import Unreachable
from ...matrix import Exit
from ...model import Role, Suite
from ...spelling import printable
from ...stimuli import ROLES
from ...target import attach
from ..catalogue import load
from ..execution import clock
from ..refusal import Refused
from ..run import headers
from .adviser import Adviser, Nobody, called
from .choice import Choices, choices
from .coverage import Coverage, coverage
from .dialogue import Person
from .draft import counted, document, secret_variables, summary
from .proposal import Proposal
from .rehearsal import Finding
from .survey import Survey, survey, trial

_WANTS_CREDENTIALS = re.compile(r"answers 40[13]\b")
_ATTEMPTS = 3


def introduce(target: TargetConfig, output: Path, *, alone: bool, force: bool, named: bool, bold: bool) -> None:
    """Look, ask, write, and tell. `alone`: nobody answers. `named`: the target has the name that it is to have.

    `bold`: what may have effects is tried too. Raises Refused, and Abort when a person leaves.
    """
    adviser: Adviser = Nobody() if alone else Person()
    _require_place(output)
    if output.exists() and not force:
        adviser.overwrite(output)
    click.echo(f"Asking {printable(target.address)} what it speaks and offers ...")
    target, found = _looked_at(target, adviser, bold)
    click.echo(_described(found))
    if not bold and (doubtful := found.doubtful) and adviser.bold(doubtful):
        found = _run(target, bold=True)
    target = replace(target, name=_bare(target.name if named else adviser.name(_bare(found.name or target.name))))
    suites = load().suites
    taken = _decided(target, found, adviser, suites)
    active = {role.value: choice.stimulus for role, choice in taken.items() if choice.active}
    covered = coverage(suites, found.claims, target, active)
    _write(output, "\n".join(document(target, found, taken, covered)) + "\n")
    if alone:
        _list(taken, () if bold else found.doubtful)
    _conclude(target, output, covered)


def _require_place(output: Path) -> None:
    """Raises Refused before anybody has answered anything, where nothing can be written."""
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise Refused(f"{output} cannot be written; give --output a file in a folder that is there")


def _looked_at(target: TargetConfig, adviser: Adviser, bold: bool) -> tuple[TargetConfig, Survey]:
    """What the target offers, and the target with the credentials that it wants. Raises Refused."""
    for _ in range(_ATTEMPTS):
        problem = ""
        try:
            return target, _run(target, bold)
        except Unreachable as error:
            problem = str(error)
        given = adviser.credentials(problem) if _WANTS_CREDENTIALS.search(problem) else ""
        if not given:
            break
        target = replace(target, headers={**target.headers, **headers((f"Authorization: {given}",))})
    raise _Silent(problem)


def _run(target: TargetConfig, bold: bool) -> Survey:
    real = attach(target)
    return anyio.run(survey, real, bold, backend="trio", backend_options=clock((real,)))


class _Silent(Refused):
    """The target said nothing."""

    exit_code = int(Exit.UNREACHABLE)


def _described(found: Survey) -> str:
    versions = ", ".join(sorted({version for version, _ in found.columns}))
    bindings = ", ".join(sorted({binding for _, binding in found.columns}))
    listed = ", ".join(counted(items, kind.rstrip("s")) for kind, items in found.items.items() if items)
    offers = f" and offers {listed}" if listed else ""
    return f"It speaks {found.protocol.upper()} {versions} over {bindings}{offers}."


def _decided(target: TargetConfig, found: Survey, adviser: Adviser, suites: tuple[Suite, ...]) -> Choices:
    """What plays each role, when the adviser was asked. Roles that more checks need come first."""
    taken = choices(found)
    needed = coverage(suites, found.claims, target, {}).needed
    if isinstance(adviser, Person):
        adviser.protocol, adviser.attempt = found.protocol, lambda proposal: _attempted(target, found, proposal)
    decided: Choices = {}
    for role in sorted(ROLES[found.protocol], key=lambda role: (role is Role.WITNESS, -len(needed.get(role, ())))):
        choice = adviser.decide(role, taken.get(role), len(needed.get(role, ())))
        if choice:
            decided[Role(choice.stimulus.role)] = choice
    return decided


def _attempted(target: TargetConfig, found: Survey, proposal: Proposal) -> Finding | None:
    real = attach(target)
    try:
        return anyio.run(trial, real, found, proposal, backend="trio", backend_options=clock((real,)))
    except Unreachable as error:
        raise _Silent(str(error)) from None


def _bare(text: str) -> str:
    """A name that is a bare key of TOML."""
    return re.sub(r"[^\w-]+", "-", text, flags=re.ASCII).strip("-") or "target"


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(f"{output} cannot be written: {error.strerror}; choose another place with --output") from None


def _list(taken: Choices, untried: Sequence[str]) -> None:
    """What was decided without anybody, and what would make it surer."""
    wide = max((len(role.value) for role in taken), default=0)
    for role, choice in taken.items():
        mark = "" if choice.active else "left out: "
        click.echo(f"  {role.value:<{wide}}  {mark}{called(choice.stimulus)}   {choice.remark}")
    if untried:
        click.echo(
            f"{len(untried)} were not tried, since nothing says that they only read; --allow-effects tries them."
        )


def _conclude(target: TargetConfig, output: Path, covered: Coverage) -> None:
    click.echo(f"\n{output} written. {summary(covered)}")
    variables = sorted(secret_variables(target))
    if variables:
        click.echo(f"It takes {' and '.join(variables)} from the environment; set them before a run.")
    named = "" if output == FILE else f" --config {output}"
    click.echo(f"Next: seatrial run{named}")
