"""An exploration from the command line: its target, its progress, what it found, and its exit code."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import click

from ..conduct import Conduct
from ..config import FILE as CONFIG
from ..document import ConfigError
from ..exploration import FILE, Finding, Player, Regression, Search, Unplayable, append, load, name_of
from ..matrix import Exit
from ..model import Role, Verdict
from ..options import Options
from ..reach import Unreachable
from ..spelling import printable
from ..stimuli import BINDING_ALIASES
from ..target import Target, attach
from .catalogue import Catalogue
from .catalogue import load as load_catalogue
from .demo import bundled
from .execution import clock
from .refusal import Refused
from .run import target_config


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The values of the options, as typed. `spawn` are the words after `--`."""

    place: str
    spawn: tuple[str, ...] | None
    mutant: str | None
    config: Path | None
    role: Role | None
    versions: tuple[str, ...]
    bindings: tuple[str, ...]
    examples: int
    seconds: float
    seed: int
    folder: Path | None
    allow_effects: bool

    @property
    def file(self) -> Path:
        """Where a regression is kept."""
        return (self.folder or (self.config or CONFIG).parent) / FILE

    @property
    def again(self) -> list[str]:
        """The words of the command that plays a regression of this target again, without the check."""
        if self.mutant:
            return ["seatrial", "demo", "--break", self.mutant]
        named = ["--config", str(self.config)] if self.config else []
        words = ["--", *self.spawn] if self.spawn is not None else [self.place] if self.place else []
        return ["seatrial", "run", *named, *words]


def explored(asked: Asked) -> Exit:
    """Explore, tell what was found, and keep it. Raises Refused for what cannot be explored at all."""
    if find_spec("hypothesis") is None:
        raise Refused("explore draws its plans with hypothesis, which is not installed: pip install 'seatrial[fuzz]'")
    catalogue = load_catalogue()
    catalogue.require_versions(asked.versions)
    bindings = tuple(BINDING_ALIASES.get(name, name) for name in asked.bindings)
    catalogue.require_bindings(bindings)
    kept = _kept(asked.file)
    conduct = Conduct(allow_effects=asked.allow_effects)
    player = Player(_maker(asked, catalogue), Options(seed=asked.seed, conduct=conduct), clock)
    try:
        subject, extent = player.subject(asked.seed, asked.role, asked.versions, bindings)
        search = Search(subject, extent, player, asked.seed, asked.examples, asked.seconds, told=_Progress())
        _announce(search)
        finding = search.run()
    except Unplayable as reason:
        hint = "" if player.make().stimuli else "; seatrial init proposes stimuli and writes them down"
        click.echo(f"There is nothing to explore: {printable(str(reason))}{hint}", err=True)
        return Exit.UNJUDGED
    except Unreachable as gone:
        click.echo(f"The target cannot be explored: {printable(str(gone))}", err=True)
        return Exit.UNREACHABLE
    return _concluded(search, finding, asked, kept)


def _kept(file: Path) -> tuple[Regression, ...]:
    """What the file of regressions has already: read before anything is played. Raises Refused."""
    try:
        return load(file) if file.exists() else ()
    except ConfigError as error:
        raise Refused(str(error)) from None


def _maker(asked: Asked, catalogue: Catalogue) -> Callable[[], Target]:
    """What gives the target anew for each play. Raises Refused."""
    if asked.mutant is None:
        config = target_config(asked.place, asked.spawn, asked.config)
        return lambda: attach(config)
    if asked.place or asked.config or asked.spawn is not None:
        raise Refused("--break explores a bundled server; leave out the URL, the NAME and the command")
    catalogue.require_mutants([asked.mutant])
    broken = catalogue.mutants[asked.mutant]
    return lambda: bundled(broken.protocol, broken.versions, broken.build)


def _announce(search: Search) -> None:
    subject = search.subject
    where = f"{subject.target}, {subject.protocol} {subject.version} over {subject.binding}"
    click.echo(
        f"exploring {printable(where)}: {subject.stimulus.value}, at most {search.examples} plans "
        f"in {search.seconds:g} s, seed {search.seed}",
        err=True,
    )


@dataclass(slots=True)
class _Progress:
    """One line, rewritten on a terminal; elsewhere one for every fifty plays."""

    every: int = 50

    def __call__(self, search: Search) -> None:
        line = f"{_counted(search)}{'; making it smaller' if search.sought else ''}"
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{line}", nl=False, err=True)
        elif len(search.played) % self.every == 0:
            click.echo(line, err=True)


def _counted(search: Search) -> str:
    told = ", ".join(f"{number} {verdict.value}" for verdict, number in sorted(search.verdicts.items()))
    return f"{len(search.played)} plans: {told or 'none played'}"


def _concluded(search: Search, finding: Finding | None, asked: Asked, kept: tuple[Regression, ...]) -> Exit:
    if sys.stderr.isatty():
        click.echo(err=True)
    click.echo(_counted(search))
    for why, number in search.unjudged.most_common(3):
        click.echo(f"  {number} not judged: {printable(why)}")
    if finding is None:
        judged = search.verdicts[Verdict.PASS]
        click.echo(f"No plan broke a promise; {judged} of {len(search.played)} were judged.")
        return Exit.WELL if judged else Exit.UNJUDGED
    _tell(finding, asked, kept)
    return Exit.BROKEN


def _tell(finding: Finding, asked: Asked, kept: tuple[Regression, ...]) -> None:
    regression, violation = finding.regression, finding.violation
    click.echo(f"FAIL under {regression.faults}")
    click.echo(f"  expected  {printable(violation.expected)}")
    click.echo(f"  actual    {printable(violation.actual)}")
    click.echo(f"  again     {regression.failed} further plays{'' if finding.steady else ': it is flaky'}")
    if not finding.again:
        click.echo("  not kept: it did not fail again")
        return
    named = _named(regression, kept)
    if named not in kept:
        _append(asked.file, named)
    click.echo(f"  kept      {asked.file}, as {named.name}")
    click.echo(f"  run again {shlex.join([*asked.again[:2], '--check', named.id, *asked.again[2:]])}")


def _named(found: Regression, kept: tuple[Regression, ...]) -> Regression:
    """The regression under a name of its own, or the one in the file that is the same."""
    for other in kept:
        same = replace(found, name=other.name, invariant=other.invariant, failed=other.failed, found=other.found)
        if same == other:
            return other
    return replace(found, name=name_of(found.plan, [other.name for other in kept]), found=date.today())


def _append(file: Path, regression: Regression) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        append(file, regression)
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error.strerror}; choose another place by --save") from None
