"""What was typed after pytest, checked."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from ..baseline import Baseline
from ..cli.baseline import heeded
from ..cli.policy import allowed
from ..cli.refusal import Refused
from ..cli.run import fleet
from ..conduct import Conduct
from ..config import TargetConfig, load, select
from ..discovery import SuiteError, load_regressions, load_suites
from ..document import ConfigError, read
from ..engine import Options
from ..faults import FaultError
from ..faults.profile import read_profile
from ..matrix import Policy
from ..model import Suite
from ..planning import Shard

RUNS = Path(".seatrial") / "runs"
SEED, BEGUN = "seatrial_seed", "seatrial_begun"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """`file` describes the targets, `place` is where it is; `folder` gets evidence and reports; `begun` is when;
    `worker` is xdist's name of this process, or "", and `workers` says how many there are.
    """

    file: Path
    place: Path
    targets: tuple[TargetConfig, ...]
    suites: tuple[Suite, ...]
    options: Options
    policy: Policy
    folder: Path
    begun: str
    worker: str = ""
    workers: int = 1

    @property
    def told(self) -> dict[str, Any]:
        """What the workers of a controller have in common."""
        return {SEED: self.options.seed, BEGUN: self.begun}

    @property
    def shard(self) -> Shard | None:
        """What part of the run this process does, for who makes them one again."""
        number = self.worker.removeprefix("gw")
        return Shard(int(number) + 1, self.workers) if number.isdecimal() else None

    @property
    def ways(self) -> tuple[TargetConfig, ...]:
        """The targets, each in all its ways."""
        return tuple(way for target in self.targets for way in target.targets)

    @property
    def context(self) -> dict[str, Any]:
        """What the reports tell of how the run was asked for: what runs its targets again, beside the rest."""
        names = [target.name for target in self.targets]
        command = ["seatrial", "run", "--config", str(self.file), *(names if len(names) == 1 else ())]
        return {"command": command, **fleet(self.targets)}

    def line(self, target: str) -> int:
        """Where a target is described, from 0."""
        return read(self.place).line(("target", target)) - 1


def asked(config: pytest.Config) -> Asked:
    """Raises UsageError for what does not exist. Workers of xdist get the seed and the time of their controller."""
    typed, told = config.option, getattr(config, "workerinput", {})
    seed = told.get(SEED, secrets.randbelow(10**6) if typed.seatrial_seed is None else typed.seatrial_seed)
    begun, worker = told.get(BEGUN, time.strftime("%Y%m%d-%H%M%S")), str(told.get("workerid", ""))
    file = Path(typed.seatrial)
    place = (config.invocation_params.dir / file).resolve()
    with _usage():
        ambient = read_profile(typed.seatrial_faults)
    return Asked(
        file=file,
        place=place,
        targets=targets(config, file, tuple(typed.seatrial_target)),
        suites=suites(tuple(map(Path, typed.seatrial_suites)), place.parent),
        options=Options(
            seed=seed, tempo=typed.seatrial_tempo, profile=ambient.name, plan=ambient.plan, conduct=conduct(config)
        ),
        policy=replace(policy(config), baseline=baseline(config, place), whole=not worker),
        folder=config.rootpath / RUNS / "-".join(filter(None, (begun, str(seed), worker))),
        begun=begun,
        worker=worker,
        workers=int(told.get("workercount", 1)),
    )


def targets(config: pytest.Config, file: Path, names: tuple[str, ...]) -> tuple[TargetConfig, ...]:
    """The targets of a file, or those of some names. Raises UsageError."""
    place = config.invocation_params.dir / file
    if not place.is_file():
        raise pytest.UsageError(f"seatrial: there is no {file}; write one with seatrial init, or name another file")
    with _usage():
        known = load(place)
        return tuple(select(known, name, file) for name in names) if names else tuple(known.values())


def suites(extra: tuple[Path, ...], folder: Path) -> tuple[Suite, ...]:
    """All suites, and the regressions that are kept in a folder. Raises UsageError."""
    with _usage():
        return (*load_suites(extra), *load_regressions(folder))


def policy(config: pytest.Config) -> Policy:
    """What fails a test. Raises UsageError for a reason that does not exist."""
    typed = config.option
    with _usage():
        reasons = allowed(typed.seatrial_allow_inconclusive, "--seatrial-allow-inconclusive")
    return Policy(strict=typed.seatrial_strict, strict_info=typed.seatrial_strict_info, allowed=reasons)


def baseline(config: pytest.Config, place: Path) -> Baseline:
    """The failures that are accepted, by the file that was named or the one beside the targets. Raises UsageError."""
    typed = config.option
    named = config.invocation_params.dir / typed.seatrial_baseline if typed.seatrial_baseline else None
    with _usage():
        return heeded(named, typed.seatrial_no_baseline, place)


def conduct(config: pytest.Config) -> Conduct:
    """How targets are treated. The workers of xdist share what is due to somebody else's."""
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    return Conduct(allow_effects=config.option.seatrial_allow_effects, among=workers)


@contextmanager
def _usage() -> Iterator[None]:
    """What cannot be used is told as pytest tells it."""
    try:
        yield
    except (ConfigError, FaultError, SuiteError, Refused) as error:
        problem = str(error)
    else:
        return
    raise pytest.UsageError(f"seatrial: {problem}")
