"""The command line. Commands are imported when they are used, so that help is quick."""

from __future__ import annotations

import traceback
from importlib import import_module
from typing import NoReturn

import click

_COMMANDS = {
    "demo": ("demo", "Run every check against the bundled server."),
    "run": ("run", "Run the checks against a target."),
    "list": ("listing", "List the checks."),
    "explain": ("explain", "Explain a check, a requirement or a mutant."),
    "init": ("init", "Ask a target what it offers and write a seatrial.toml."),
    "check-config": ("check_config", "Say what is wrong with a seatrial.toml, without a network."),
    "merge": ("merge", "Make one run of its shards."),
    "report": ("report", "Tell an earlier run again, in any format."),
    "rerun": ("rerun", "Run one case of an earlier run again."),
    "checklist": ("checklist", "Make the pre-launch checklist of a target, and sign its lines."),
    "baseline": ("baseline", "Accept failures for a while, and drop what holds again."),
    "diff": ("diff", "Compare two runs: what got worse?"),
    "explore": ("explore", "Look for faults under which a target breaks its promises."),
    "relay": ("relay", "Stand with faults between your own client and your server."),
    "witness": ("witness", "Run what a target leans on, and see what reaches it."),
}
"""Command -> the module that defines it as `command`, and its help in one line."""

_INTERRUPTED = 130
_OUR_FAULT = 3


class Commands(click.Group):
    """A group that imports a command when it is called, and that turns what escapes one into an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        found: click.Command = import_module(f".{_COMMANDS[cmd_name][0]}", __name__).command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from ..spelling import unknown

        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            ctx.fail(unknown("command", args[0], _COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(_INTERRUPTED)
        except BaseExceptionGroup as group:
            if group.subgroup(KeyboardInterrupt):
                ctx.exit(_INTERRUPTED)
            _confess(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception:
            _confess(ctx)


def _confess(ctx: click.Context) -> NoReturn:
    """Our own bug: the traceback is for the report about it, the exit code is not that of a failed target."""
    traceback.print_exc()
    click.echo("Error: this is a fault of Seatrial itself, not of the target; please report it", err=True)
    ctx.exit(_OUR_FAULT)


@click.group(cls=Commands)
@click.version_option(package_name="seatrial")
def main() -> None:
    """Try an agent-protocol server at sea: clause by clause, on bad networks too."""
