"""`seatrial relay`."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import click

from ..config import url_problem
from .options import REPORTS, TARGET, TargetCommand, faults_option, option, seed_option
from .refusal import Refused

_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<host>[\w.-]+)):(?P<port>\d{1,5})", re.ASCII)


@click.command(cls=TargetCommand, options_metavar="[OPTIONS] [URL... | -- COMMAND...]")
@click.argument("urls", nargs=-1, metavar="")
@option(
    "--listen",
    section=TARGET,
    common=True,
    default="127.0.0.1:0",
    metavar="HOST:PORT",
    help="Where the client finds it; a free port if left out.",
)
@faults_option(common=True)
@seed_option(common=True)
@option("--keep-host", section=TARGET, common=True, is_flag=True, help="Let the Host header be the client's.")
@option(
    "--transcript",
    section=REPORTS,
    common=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep all that is said and done, a JSON line each.",
)
@option("-q", "--quiet", section=REPORTS, common=True, is_flag=True, help="Show no exchanges.")
@click.pass_context
def command(
    ctx: click.Context,
    urls: tuple[str, ...],
    listen: str,
    faults: str,
    seed: int | None,
    keep_host: bool,
    transcript: Path | None,
    quiet: bool,
) -> None:
    """Stand between your own client and your server, with faults: the client speaks to the relay instead of to URL
    (several serve in turn), or starts the relay instead of COMMAND.

    A FILE with faults is read again when it changes, and at SIGHUP. Ctrl-C or SIGTERM ends it.
    """
    from .profile import profile
    from .relaying import Asked, carry, serve  # They bring the fault plane, which no help needs.

    spawn = ctx.meta[TargetCommand.SPAWN]
    if bool(urls) is (spawn is not None):
        raise Refused("give the URL of a server, or its command after --, and not both")
    number = secrets.randbelow(10**6) if seed is None else seed
    asked = Asked(profile(faults), number, transcript, quiet)
    if spawn is not None:
        if not spawn:
            raise Refused("there is no command after --; write it there, for example: -- python server.py")
        ctx.exit(carry(asked, spawn))
    ctx.exit(serve(asked, tuple(map(_upstream, urls)), _address(listen), keep_host))


def _upstream(url: str) -> str:
    if problem := url_problem(url):
        raise Refused(f"the URL {problem}")
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise Refused(
            "the URL holds a password, which the relay would not send: the client sends its own; leave it out"
        )
    return url


def _address(written: str) -> tuple[str, int]:
    found = _ADDRESS.fullmatch(written)
    if not found or int(found["port"]) > 65535:
        raise Refused(f"--listen {written!r:.60}: write it as HOST:PORT, for example 127.0.0.1:9000")
    return found["six"] or found["host"], int(found["port"])
