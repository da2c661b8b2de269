"""One run from the command line: its folder, its reports, its interruption and its exit code."""

from __future__ import annotations

import gc
import secrets
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import anyio
import click
from anyio.abc import TaskStatus

from ..config import FILE as CONFIG
from ..engine import Options, Unreachable
from ..engine import run as run_cases
from ..events import RunFinished, RunStarted
from ..matrix import Exit, Policy, conclusion
from ..redaction import redactor
from ..stimuli import BINDING_ALIASES
from ..target import Target
from .care import repeated
from .catalogue import Catalogue, load
from .options import Wanted
from .policy import policy
from .profile import profile
from .reporting import Feed, Request, opened, parsed, requested, writable
from .runs import fresh_folder, remember
from .selection import chosen, earlier_failures, require_same_targets


@dataclass(frozen=True, slots=True)
class Job:
    """A run that has been checked and may start. `command` are the words that name its targets in a rerun."""

    targets: tuple[Target, ...]
    catalogue: Catalogue
    options: Options
    policy: Policy
    reports: tuple[Request, ...]
    folder: Path
    command: tuple[str, ...]
    shown: Mapping[str, Any] = field(default_factory=dict)


Make = Callable[[Catalogue, Options], Sequence[Target]]


def prepare(wanted: Wanted, make: Make, target: tuple[str, ...], told: Mapping[str, Any] | None = None) -> Job:
    """A job from what was typed. `target` are the words that name it, `told` goes into the options of the report.

    Raises Refused for what does not exist.
    """
    catalogue = load(wanted.suites, (wanted.config or CONFIG).parent)
    policy = _policy(wanted)
    options = _options(wanted, catalogue, policy)
    targets = tuple(make(catalogue, options))
    require_same_targets(options.first, [target.name for target in targets])
    reports = parsed(wanted.report)
    folder = wanted.output or fresh_folder(options.seed)
    command, *words = target
    repeated = (*_program(), command, *_repeated(wanted), *words)
    return Job(targets, catalogue, options, policy, reports, folder, repeated, {**_shown(wanted), **(told or {})})


def _shown(wanted: Wanted) -> dict[str, Any]:
    """What the reports are told of how the run was asked for. A run that left cases out is `partial`."""
    asked = {"verbose": wanted.verbose, "durations": wanted.durations, "partial": wanted.partial}
    return {name: value for name, value in asked.items() if value}


def _program() -> list[str]:
    """How this program was called. A shell that does not find it by its name needs the path as it was typed."""
    name = shlex.split(click.get_current_context().find_root().info_name or "seatrial")
    typed = Path(sys.argv[0])
    return [str(typed)] if name == [typed.name] and shutil.which(typed.name) is None else name


def _repeated(wanted: Wanted) -> Iterator[str]:
    """The options without which a rerun would be another run."""
    for path in wanted.suites:
        yield from ("--suites", str(path))
    if wanted.tempo != 1.0:
        yield from ("--tempo", f"{wanted.tempo:g}")
    yield from repeated(wanted.conduct)


def _options(wanted: Wanted, catalogue: Catalogue, policy: Policy) -> Options:
    bindings = tuple(BINDING_ALIASES.get(name, name) for name in wanted.binding)
    catalogue.require_versions(wanted.protocol_version)
    catalogue.require_bindings(bindings)
    failed = earlier_failures(wanted, policy.fails)
    ambient = profile(wanted.faults)
    return Options(
        seed=secrets.randbelow(10**6) if wanted.seed is None else wanted.seed,
        tempo=wanted.tempo,
        profile=ambient.name,
        plan=ambient.plan,
        versions=wanted.protocol_version,
        bindings=bindings,
        concurrency=wanted.concurrency,
        selection=chosen(wanted, catalogue, failed),
        repeat=wanted.repeat,
        shard=wanted.shard,
        first=failed,
        maxfail=1 if wanted.exitfirst else wanted.maxfail or 0,
        policy=policy,
        conduct=wanted.conduct,
    )


def _policy(wanted: Wanted) -> Policy:
    return policy(
        strict=wanted.strict,
        strict_info=wanted.strict_info,
        allow_inconclusive=wanted.allow_inconclusive,
        baseline=wanted.baseline,
        no_baseline=wanted.no_baseline,
        config=wanted.config,
        whole=not (wanted.partial or wanted.shard),
    )


def perform(job: Job) -> Exit:
    """Run the job, write every report, and say how it went. Raises Refused before the run, never after its start."""
    evidence = job.folder / "evidence.jsonl"
    with writable(evidence, "the evidence") as lines, opened(requested(job.reports, job.folder)) as reporters:
        remember(job.folder)
        feed = Feed(reporters, job.policy, _start(job, evidence), _asked(job))
        _spare_the_collector()
        return anyio.run(_Run(job, feed, lines).go, backend="trio", backend_options=clock(job.targets))


def _spare_the_collector() -> None:
    """Nearly everything that a run makes lives to its end: looking through it for garbage again and again finds none,
    and takes a seventh of the time."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


def _asked(job: Job) -> dict[str, Any]:
    """What the reports tell of the command line beside the options of the engine."""
    return {"command": list(job.command), **job.shown}


def _start(job: Job, evidence: Path) -> RunStarted:
    """What is known of the run before the engine has spoken."""
    names = ", ".join(dict.fromkeys(target.name for target in job.targets))
    address = redactor(job.targets).text(", ".join(target.address for target in job.targets))
    return RunStarted(names, address, job.options.seed, (), {}, evidence=str(evidence))


def leaves(group: BaseExceptionGroup[Any]) -> Iterator[BaseException]:
    """The exceptions of a group, of the groups in it too."""
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from leaves(error)
        else:
            yield error


def clock(targets: Sequence[Target]) -> dict[str, Any]:
    """The bundled servers have no reason to make anybody wait: their time is virtual."""
    if not all(target.virtual for target in targets):
        return {}
    from trio.testing import MockClock

    return {"clock": MockClock(autojump_threshold=0)}


@dataclass(slots=True)
class _Run:
    """One run inside the event loop."""

    job: Job
    feed: Feed
    lines: TextIO
    interrupted: bool = False

    async def go(self) -> Exit:
        failure = ""
        try:
            async with anyio.create_task_group() as tasks:
                await tasks.start(self._watch, tasks.cancel_scope)
                failure = await self._cases()
                tasks.cancel_scope.cancel()
        finally:
            finished = self.feed.conclude(failure)
        return self._exit(failure, finished)

    async def _cases(self) -> str:
        """Run them; what keeps the target from being judged at all, "" when nothing does."""
        job, failure = self.job, ""
        try:
            await run_cases(job.targets, job.catalogue.suites, job.options, self.feed.emit, self._keep)
        except* Unreachable as group:
            failure = "; ".join(map(str, leaves(group)))
        return failure

    def _keep(self, line: str) -> None:
        self.lines.write(f"{line}\n")

    async def _watch(self, scope: anyio.CancelScope, *, task_status: TaskStatus[None]) -> None:
        """The first signal ends the run in order; after that signals do what they always do."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            task_status.started()
            async for _ in signals:
                self.interrupted = True
                click.echo("interrupted; writing the reports", err=True)
                scope.cancel()
                return

    def _exit(self, failure: str, finished: RunFinished) -> Exit:
        if failure:
            return Exit.UNREACHABLE
        return Exit.INTERRUPTED if self.interrupted else conclusion(finished, self.job.policy)
