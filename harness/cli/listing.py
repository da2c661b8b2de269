"""`seatrial list`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..model import Check, Level, Suite
from ..planning import Selection
from .catalogue import Catalogue, load
from .options import selection_options
from .selection import selection


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@selection_options
def command(form: str, suites: tuple[Path, ...], **typed: Any) -> None:
    """List the checks, by suite."""
    catalogue = load(suites, Path())
    found = chosen(catalogue, selection(catalogue, **typed))
    rows = [entry(catalogue, *pair) for pair in found]
    click.echo(json.dumps(rows, indent=1) if form == "json" else "\n".join(_text(rows)))


def chosen(catalogue: Catalogue, selection: Selection) -> list[tuple[Suite, Check]]:
    """The checks of a selection with their suites."""
    return [(suite, check) for suite, check in catalogue.checks.values() if catalogue.selects(selection, suite, check)]


def entry(catalogue: Catalogue, suite: Suite, check: Check) -> dict[str, Any]:
    """One check as the JSON list tells it."""
    rows = catalogue.rows(check)
    return {
        "id": check.id,
        "title": check.title,
        "suite": suite.name,
        "protocol": rows[0].protocol if rows else "",
        "requirements": [
            {"id": row.id, "level": row.level, "versions": row.versions, "bindings": row.bindings} for row in rows
        ],
        "level": min((row.level for row in rows), key=lambda found: found.rank, default=Level.INFO),
        "versions": sorted({version for row in rows for version in row.versions}),
        "bindings": sorted({binding for row in rows for binding in row.bindings}),
        "needs": sorted(check.needs),
        "faults": check.faults,
        "isolation": check.isolation,
        "mutants": check.mutants,
    }


def _text(rows: list[dict[str, Any]]) -> Iterator[str]:
    width = max(len(row["id"]) for row in rows)
    for name in dict.fromkeys(row["suite"] for row in rows):
        own = [row for row in rows if row["suite"] == name]
        yield f"{name} ({len(own)})"
        yield from (f"  {row['id']:<{width}}  {row['level']:<6}  {row['title']}" for row in own)
    yield f"{len(rows)} checks"
