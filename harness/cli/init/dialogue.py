"""The dialogue of `init`: whoever presses Enter at every question gets what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from ...document import ConfigError, Document, Entry
from ...model import Role
from ...roles import MEANINGS
from ...spelling import printable
from ...stimuli import VERBS, Stimulus, stimuli
from ..refusal import Refused
from .adviser import Attempt, called
from .choice import Choice, chosen, typed
from .proposal import Effects
from .rehearsal import Finding

_MENU = "[Enter] {default}, (t)ry, (c)hange, {other}, (a)ll: ask no more"
_SPELLING = {
    "mcp": 'tool NAME {"PARAMETER": "VALUE"}',
    "a2a": "the words of the user",
    "agui": "the words of the user",
}
_WITNESS = (
    "Without one nobody can prove that cancelled work stopped. It is written so:\n"
    '    tool NAME {"key": "{key}"}, get /PATH?key={key}, file PATH or command WORDS'
)
_RISK = {Effects.POSSIBLE: "It may have effects.", Effects.DESTRUCTIVE: "It is destructive."}


@dataclass(slots=True)
class Person:
    """Somebody at the terminal. `attempt` plays a proposal once; it is there as soon as the target was looked at."""

    protocol: str = "mcp"
    attempt: Attempt | None = None
    weary: bool = field(default=False, init=False)
    """No more questions: what was found is taken."""

    def overwrite(self, output: Path) -> None:
        if not click.confirm(f"{output} is there already. Overwrite it?"):
            raise Refused(f"{output} stays as it is; choose another place with --output")

    def credentials(self, problem: str) -> str:
        click.echo(problem)
        asked = "Authorization header, such as Bearer TOKEN (Enter: give up)"
        return str(click.prompt(asked, default="", show_default=False, hide_input=True)).strip()

    def name(self, proposed: str) -> str:
        return str(click.prompt("What do you call it", default=proposed))

    def bold(self, names: Sequence[str]) -> bool:
        click.echo(f"\n{len(names)} of them may have effects, since nothing says that they only read:")
        click.echo(f"    {printable(', '.join(names))}")
        return click.confirm("Call each of them once, to propose only what works?", default=False)

    def decide(self, role: Role, choice: Choice | None, checks: int) -> Choice | None:
        if self.weary or not checks or (choice is None and not self._worth(role)):
            return choice
        click.echo(f"\n{role.value}: something that {MEANINGS[role]} ({checks} check{'s' if checks != 1 else ''})")
        current = choice or self._change(role)
        while current is not None:
            click.echo(f"    {called(current.stimulus)}   {current.remark}")
            match self._answer(current):
                case "t":
                    current = self._try(current)
                case "c":
                    current = self._change(role) or current
                case "s":
                    return None if current.active else current
                case "a":
                    self.weary = True
                    return current
                case _:
                    return replace(current, active=True)
        return None

    def _worth(self, role: Role) -> bool:
        """Is it worth a question that nothing was found? Words can be guessed by nobody else, nor can a witness."""
        return role is Role.WITNESS or self.protocol != "mcp"

    def _answer(self, choice: Choice) -> str:
        """k, t, c, s or a. Enter keeps what may be asked for without harm, and skips the rest."""
        default, other = ("keep", "(s)kip") if choice.active else ("skip", "(k)eep")
        typed_ = click.prompt(f"    {_MENU.format(default=default, other=other)}", default="", show_default=False)
        letter = str(typed_).strip()[:1].lower()
        return letter if letter in tuple("ktcsa") else default[0]

    def _try(self, choice: Choice) -> Choice:
        effects = choice.proposal.effects
        if effects is not Effects.NONE and not click.confirm(f"    {_RISK[effects]} Call it once now?", default=False):
            return choice
        assert self.attempt is not None, "a target is looked at before anything is tried"
        finding = self.attempt(choice.proposal)
        if finding is None:
            click.echo("    It cannot be tried.")
            return choice
        click.echo(f"    {_outcome(finding)}")
        return replace(chosen(finding), active=finding.fits)

    def _change(self, role: Role) -> Choice | None:
        """What a person types, in the one-line spelling of a stimulus; None for nothing."""
        if role is Role.WITNESS:
            click.echo(f"    {_WITNESS}")
        asked = "    Its witness" if role is Role.WITNESS else f"    What does that ({_SPELLING[self.protocol]})"
        while line := str(click.prompt(f"{asked}; Enter: nothing", default="", show_default=False)).strip():
            try:
                return typed(self._read(role, line))
            except ConfigError as error:
                click.echo(f"    {str(error).partition(': ')[2]}")
        return None

    def _read(self, role: Role, line: str) -> Stimulus:
        """Raises ConfigError. Words alone are said to an agent as they are."""
        spoken = VERBS[self.protocol][0]
        if self.protocol != "mcp" and role not in (Role.WITNESS, Role.STOP) and not line.startswith((spoken, "'", '"')):
            quote = "'" if '"' in line else '"'
            line = f"{spoken} {quote}{line}{quote}"
        entry = Entry(Document("your answer"), (), {role.value: line})
        return stimuli(entry, self.protocol)[role.value]


def _outcome(finding: Finding) -> str:
    sight = finding.sight
    fitting = "That fits." if finding.fits else "That is not what this role asks for."
    return f"After {sight.seconds:.1f} s: {printable(sight.said)!r:.200}. {fitting}"
