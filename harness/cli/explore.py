"""`seatrial explore`."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from ..model import Role
from .options import CARE, CONDITIONS, TARGET, TargetCommand, option, seed_option
from .refusal import Refused

_PATH = click.Path(path_type=Path)


@click.command(cls=TargetCommand, options_metavar="[OPTIONS] [URL | NAME | -- COMMAND...]")
@click.argument("place", required=False, default="", metavar="")
@option("--stimulus", common=True, metavar="ROLE", help="What is played; a call with progress if it can be.")
@option("--protocol-version", common=True, metavar="VERSION", help="In this version, not in the newest.")
@option("--binding", common=True, metavar="NAME", help="Over this binding.")
@option(
    *("--examples",),
    section=CONDITIONS,
    common=True,
    type=click.IntRange(1, 100_000),
    default=100,
    metavar="N",
    help="So many plans at most; 100 without it.",
)
@option(
    *("--seconds",),
    section=CONDITIONS,
    common=True,
    type=click.FloatRange(min=1),
    default=60.0,
    metavar="S",
    help="So long at most; 60 without it.",
)
@seed_option(common=True)
@option("--save", common=True, type=_PATH, metavar="DIR", help="Keep what was found there, not beside the config.")
@option("--config", section=TARGET, common=True, type=_PATH, metavar="FILE", help="Where NAME is described.")
@option("--break", "mutant", section=TARGET, common=True, metavar="MUTANT", help="The bundled server, so broken.")
@option("--allow-effects", section=CARE, is_flag=True, help="Break connections of a target elsewhere too.")
@click.pass_context
def command(
    ctx: click.Context,
    place: str,
    stimulus: str | None,
    protocol_version: str | None,
    binding: str | None,
    examples: int,
    seconds: float,
    seed: int | None,
    save: Path | None,
    config: Path | None,
    mutant: str | None,
    allow_effects: bool,
) -> None:
    """Look for faults under which the target loses, repeats or mixes up what it says: plans are drawn at random,
    and the smallest that fails is kept as a regression, which seatrial run plays again.
    """
    from .exploring import Asked, explored  # It brings the engine, which no help needs.

    role = None if stimulus is None else _role(stimulus)
    number = secrets.randbelow(10**6) if seed is None else seed
    asked = Asked(
        place=place,
        spawn=ctx.meta[TargetCommand.SPAWN],
        mutant=mutant,
        config=config,
        role=role,
        versions=(protocol_version,) if protocol_version else (),
        bindings=(binding,) if binding else (),
        examples=examples,
        seconds=seconds,
        seed=number,
        folder=save,
        allow_effects=allow_effects,
    )
    ctx.exit(explored(asked))


def _role(name: str) -> Role:
    from ..spelling import unknown

    if name not in list(Role):
        raise Refused(f"--stimulus: {unknown('role', name, list(Role))}")
    return Role(name)
