"""A run: with one target or several, told to everybody as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import anyio

from .berth import Berth
from .chance import Chance
from .logbook import Emit, Logbook
from .model import Case, Result, Suite
from .options import Options as Options
from .planning import Selection
from .protocols import driver_of, names
from .reach import Unreachable as Unreachable
from .redaction import redactor
from .target import Target
from .tempo import Tempo
from .transcript import Transcript
from .voyage import Voyage as Voyage

Sink = Callable[[str], None]


async def run(
    target: Target | Sequence[Target], suites: Sequence[Suite], options: Options, emit: Emit, sink: Sink | None = None
) -> tuple[Result, ...]:
    """Run every selected case of a target, or of several one after the other, and emit what happens.

    `sink` gets the evidence, one JSON line per record. A target that cannot be reached, or that speaks none of the
    versions, is the failure that RunFinished tells beside the results of the others; raises Unreachable where none can.
    When cancelled, RunFinished is still emitted, with `complete` false.
    """
    targets = (target,) if not isinstance(target, Sequence) else tuple(target)
    unreachable: Unreachable | None = None
    results: tuple[Result, ...] = ()
    async with embarked(targets, suites, options, emit, sink) as fleet:
        try:
            results = await fleet.sail()
        except Unreachable as error:
            unreachable = error
    if unreachable:
        raise unreachable
    return results


@asynccontextmanager
async def embarked(
    targets: Sequence[Target], suites: Sequence[Suite], options: Options, emit: Emit, sink: Sink | None = None
) -> AsyncIterator[Fleet]:
    """Open targets with one transcript and one logbook, for who runs cases one by one. See `run` for the arguments."""
    begun = anyio.current_time()
    clean = redactor(targets)
    transcript = Transcript(lambda: anyio.current_time() - begun, clean, sink)
    logbook = Logbook(emit, clean, begun, options.policy.fails, options.maxfail)
    async with AsyncExitStack() as stack:
        voyages = [
            await stack.enter_async_context(_aboard(each, suites, options, transcript, logbook)) for each in targets
        ]
        yield Fleet(tuple(voyages), options, logbook)


@asynccontextmanager
async def _aboard(
    target: Target, suites: Sequence[Suite], options: Options, transcript: Transcript, logbook: Logbook
) -> AsyncIterator[Voyage]:
    """An open target, and everything of it closed again."""
    ambient = options.ambient
    tempo = Tempo(options.tempo, ambient.allowance)
    first = driver_of(target.protocol or names(target.listens)[0])
    async with target.open(), anyio.create_task_group() as tasks:
        berth = Berth(target, first, tempo, Chance(options.seed), transcript, tasks, ambient.benign, ambient.malign)
        try:
            yield Voyage(berth, suites, options, logbook)
        finally:
            with anyio.CancelScope(shield=True):
                await berth.cast_off()
            tasks.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class Fleet:
    """The voyages of one run, one per target."""

    voyages: tuple[Voyage, ...]
    options: Options
    logbook: Logbook

    async def sail(self) -> tuple[Result, ...]:
        """First what all targets speak, then their cases."""
        planned, absent = await self.charted()
        self.begin(tuple(case for _, cases in planned for case in cases))
        complete = False
        try:
            for voyage, cases in planned:
                await voyage.sail(cases)
            complete = True
        finally:
            results = self.logbook.finish(complete, "; ".join(absent.values()))
        return results

    async def charted(self) -> tuple[list[tuple[Voyage, tuple[Case, ...]]], dict[str, str]]:
        """The voyages whose targets were reached, with their cases; by name, why the others were not.

        Raises Unreachable when none was.
        """
        planned, absent = list[tuple[Voyage, tuple[Case, ...]]](), dict[str, str]()
        for voyage in self.voyages:
            name = voyage.berth.target.name
            try:
                planned.append((voyage, await voyage.chart()))
            except Unreachable as error:
                absent[name] = f"{name}: {error}" if len(self.voyages) > 1 else str(error)
        if not planned:
            raise Unreachable("; ".join(absent.values()))
        return planned, absent

    def begin(self, cases: tuple[Case, ...]) -> None:
        """Tell everybody which cases are run, and how. The targets have been reached."""
        options, listed = self.options, ("versions", "bindings")
        asked = {name: getattr(options, name) for name in ("profile", "tempo", "concurrency")}
        asked |= {name: list(getattr(options, name)) for name in listed}
        asked |= {"faults": told} if (told := options.ambient.told) else {}
        asked |= {"repeat": options.repeat} if options.repeat > 1 else {}
        asked |= {"selected": True} if options.selection != Selection() else {}
        if options.shard:
            asked |= {"shard": str(options.shard), "planned": sum(voyage.planned for voyage in self.voyages)}
        if care := {voyage.berth.target.name: text for voyage in self.voyages if (text := str(voyage.berth.terms))}:
            asked |= {"care": care}
        rows = {row.id: row for suite in self.voyages[0].suites for row in suite.requirements}
        spoken = [(voyage.berth.target, voyage.berth.claims) for voyage in self.voyages]
        self.logbook.begin(spoken, cases, rows, options.seed, asked)
