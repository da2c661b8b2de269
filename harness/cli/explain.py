"""`seatrial explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from ..clauses import clause_links
from ..faults import FAULTS, Fault, settings
from ..glossary import meanings, words
from ..model import Check, Mutant, Requirement
from ..spelling import unknown
from .catalogue import Catalogue, load
from .options import suites_option
from .refusal import Refused


@click.command()
@click.argument("name", metavar="ID")
@suites_option
def command(name: str, suites: tuple[Path, ...]) -> None:
    """Explain a check, a requirement, a mutant or a word of a report: what is meant, and where it is written."""
    catalogue = load(suites, Path())
    found = list(explained(catalogue, name))
    if not found:
        known = (*catalogue.checks, *catalogue.requirements, *catalogue.mutants, *FAULTS, *words())
        raise Refused(unknown("id or word", name, known))
    click.echo("\n".join(found))


def explained(catalogue: Catalogue, name: str) -> Iterator[str]:
    """The lines about an id; a check and a requirement of the same id are told together."""
    checks, rows, mutants = catalogue.checks, catalogue.requirements, catalogue.mutants
    if name in checks:
        suite, check = checks[name]
        yield from _check(suite.name, check)
        for row in catalogue.rows(check):
            yield from ("", *_row(row))
    elif name in rows:
        yield from _row(rows[name])
        yield _field("checks", _ids(check for _, check in checks.values() if name in check.requirements))
    elif name in mutants:
        yield from _mutant(mutants[name])
        yield _field("found by", _ids(check for _, check in checks.values() if name in check.mutants))
    elif name in FAULTS:
        yield from _fault(FAULTS[name])
    else:
        yield from (f"{name} ({kind}): {meaning}" for kind, meaning in meanings(name))


def _check(suite: str, check: Check) -> Iterator[str]:
    yield f"{check.id}: {check.title}"
    yield _field("suite", suite)
    yield _field("needs", ", ".join(sorted(check.needs)) or "nothing but the server")
    yield _field("faults", ", ".join(check.faults) or "none")
    yield _field("isolation", check.isolation)
    yield _field("mutants", ", ".join(check.mutants) or "unproven: no mutant of the reference server breaks it")
    if check.doc:
        yield _field("method", " ".join(check.doc.split()))


def _row(row: Requirement) -> Iterator[str]:
    yield f"{row.id} ({row.level}): {row.title}"
    yield _field("versions", ", ".join(row.versions))
    yield _field("bindings", ", ".join(row.bindings))
    if row.probe:
        yield _field("probe", row.probe)
    if row.expected:
        yield _field("expected", row.expected)
    found = dict.fromkeys(link for version in row.versions for link in clause_links(row, version))
    yield from (_field("clause", link) for link in found)
    if not found:
        yield _field("clause", f"none ({row.spec})")


def _mutant(mutant: Mutant) -> Iterator[str]:
    yield f"{mutant.id}: the reference server with one behaviour broken"
    yield _field("imitates", mutant.imitates)
    yield _field("versions", ", ".join(mutant.versions) or "all")
    yield _field("bindings", ", ".join(mutant.bindings) or "all")
    yield _field("try it", f"seatrial demo --break {mutant.id}")


def _fault(kind: type[Fault]) -> Iterator[str]:
    yield f"{kind.name} (fault): {' '.join((kind.__doc__ or '').split())}"
    yield _field("mounts", ", ".join(sorted(kind.mounts)))
    yield _field("settings", ", ".join(settings(kind)) or "none of its own")


def _ids(checks: Iterable[Check]) -> str:
    return ", ".join(check.id for check in checks) or "none"


def _field(name: str, text: str) -> str:
    return f"  {name:<10} {text}"
