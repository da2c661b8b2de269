"""What was typed after pytest, checked."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..config import TargetConfig, load, select
from ..discovery import SuiteError, load_suites
from ..document import ConfigError, read
from ..engine import Options
from ..matrix import Policy
from ..model import Reason, Suite
from ..spelling import unknown
from . import EVERY_REASON

RUNS = Path(".seatrial") / "runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """`file` describes the targets, `place` is where it is; `folder` gets evidence and reports; `worker` is xdist's
    name of this process, or "".
    """

    file: Path
    place: Path
    targets: tuple[TargetConfig, ...]
    suites: tuple[Suite, ...]
    options: Options
    policy: Policy
    folder: Path
    worker: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        """What runs the targets again on the command line."""
        names = [target.name for target in self.targets]
        return ("seatrial", "run", "--config", str(self.file), *(names if len(names) == 1 else ()))

    def line(self, target: str) -> int:
        """Where a target is described, from 0."""
        return read(self.place).line(("target", target)) - 1


def asked(config: pytest.Config) -> Asked:
    """Raises UsageError for what does not exist. Workers of xdist get the seed and the time of their controller."""
    typed = config.option
    if typed.seatrial_seed is None:
        typed.seatrial_seed = secrets.randbelow(10**6)
    typed.seatrial_begun = getattr(typed, "seatrial_begun", None) or time.strftime("%Y%m%d-%H%M%S")
    worker = str(getattr(config, "workerinput", {}).get("workerid", ""))
    name = "-".join(filter(None, (typed.seatrial_begun, str(typed.seatrial_seed), worker)))
    file = Path(typed.seatrial)
    return Asked(
        file=file,
        place=(config.invocation_params.dir / file).resolve(),
        targets=targets(config, file, tuple(typed.seatrial_target)),
        suites=suites(tuple(map(Path, typed.seatrial_suites))),
        options=Options(seed=typed.seatrial_seed, tempo=typed.seatrial_tempo, profile=typed.seatrial_faults),
        policy=policy(config),
        folder=config.rootpath / RUNS / name,
        worker=worker,
    )


def targets(config: pytest.Config, file: Path, names: tuple[str, ...]) -> tuple[TargetConfig, ...]:
    """The targets of a file, or those of some names. Raises UsageError."""
    place = config.invocation_params.dir / file
    if not place.is_file():
        raise pytest.UsageError(f"seatrial: there is no {file}; write one with seatrial init, or name another file")
    try:
        known = load(place)
        return tuple(select(known, name, file) for name in names) if names else tuple(known.values())
    except ConfigError as error:
        raise pytest.UsageError(f"seatrial: {error}") from None


def suites(extra: tuple[Path, ...]) -> tuple[Suite, ...]:
    try:
        return load_suites(extra)
    except SuiteError as error:
        raise pytest.UsageError(f"seatrial: {error}") from None


def policy(config: pytest.Config) -> Policy:
    """What fails a test. Raises UsageError for a reason that does not exist."""
    typed = config.option
    return Policy(
        strict=typed.seatrial_strict,
        strict_info=typed.seatrial_strict_info,
        allowed=_allowed(typed.seatrial_allow_inconclusive),
    )


def _allowed(text: str | None) -> frozenset[Reason]:
    names = [] if text is None else list(Reason) if text == EVERY_REASON else text.split(",")
    for name in names:
        if name not in list(Reason):
            raise pytest.UsageError(f"--seatrial-allow-inconclusive: {unknown('reason', name, Reason)}")
    return frozenset(map(Reason, names))
