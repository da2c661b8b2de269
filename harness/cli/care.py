"""The options that say how a target is treated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ..conduct import BUDGET, RATE, Conduct, contact_problem
from .options import CARE, Function, added, option


def _contact(ctx: click.Context, param: click.Parameter, text: str) -> str:
    """The value of --contact. Raises BadParameter."""
    if text and (problem := contact_problem(text)):
        raise click.BadParameter(f"it {problem}")
    return text


_OPTIONS = (
    option("--dry-run", section=CARE, common=True, is_flag=True, help="Tell what would be sent, and send nothing."),
    option("--safe", section=CARE, is_flag=True, help="Safe mode, as for every target that is not of this machine."),
    option("--allow-effects", section=CARE, is_flag=True, help="Do to a target elsewhere what is done to one's own."),
    option(
        "--rate",
        section=CARE,
        type=click.FloatRange(min=0.01, max=10_000),
        metavar="N",
        help=f"Requests per second at most; {RATE:g} elsewhere.",
    ),
    option(
        "--budget",
        section=CARE,
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Requests in all at most; {BUDGET} elsewhere.",
    ),
    option(
        "--contact",
        section=CARE,
        default="",
        metavar="ADDRESS",
        callback=_contact,
        help="Where you are reached, told in the User-Agent.",
    ),
)


def care_options(function: Function) -> Function:
    """How the target is treated, and whether it is sent anything at all (`dry_run`)."""
    return added(function, _OPTIONS)


def conduct(typed: dict[str, Any]) -> Conduct:
    """What was typed of it, taken out of the other values."""
    names = ("safe", "allow_effects", "rate", "budget", "contact")
    return Conduct(**{name: typed.pop(name) for name in names})


def repeated(asked: Conduct) -> Iterator[str]:
    """The words that ask for the same."""
    yield from (word for word, wanted in (("--safe", asked.safe), ("--allow-effects", asked.allow_effects)) if wanted)
    given = {"--rate": asked.rate, "--budget": asked.budget, "--contact": asked.contact or None}
    for name, value in given.items():
        if value is not None:
            yield from (name, f"{value:g}" if isinstance(value, float) else str(value))
