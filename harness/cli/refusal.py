"""What a user asked for that cannot be done."""

from __future__ import annotations

import click

from ..matrix import Exit


class Refused(click.ClickException):
    """One sentence for the user, printed after `Error: ` without a traceback."""

    exit_code = int(Exit.USAGE)
