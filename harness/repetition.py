"""The command that runs one case of a run again."""

from __future__ import annotations

from .events import RunStarted
from .faults.profile import BENIGN, NONE
from .model import Case


def rerun_words(case: Case, run: RunStarted) -> list[str]:
    """The words of a command line: the same case, target and seed. `options.command` holds how the run was called,
    and `options.places` the words for each target where there are several. None where no command line does it.
    """
    column = case.column
    words = [*run.options.get("command", ("seatrial", "run", run.address))]
    if not words:
        return []
    words += run.options.get("places", {}).get(case.target, ())
    end = words.index("--") if "--" in words else len(words)
    selection = ["--check", case.check.id, "--protocol-version", column.version, "--binding", column.binding]
    selection += ["--faults", _faults(column.profile, run), "--seed", str(run.seed)]
    return [*words[:end], *selection, *words[end:]]


def _faults(profile: str, run: RunStarted) -> str:
    """A profile that has a meaning of its own by its name, a plan by its text: its file may say something else now."""
    return profile if profile in (NONE, BENIGN) else "; ".join(run.options.get("faults", [profile]))
