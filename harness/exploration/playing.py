"""One play of a regression: a run of its own, with a target that is opened for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import anyio

from ..engine import run
from ..model import Result, Role
from ..options import Options
from ..reach import Unreachable
from ..target import Target
from .draws import Extent
from .regression import Regression, suite_of
from .search import Played, Unplayable
from .subject import NAME, candidates, chosen


@dataclass(frozen=True, slots=True)
class Player:
    """`make` gives a target that nobody has used, `clock` the options of the event loop for it. What one play leaves
    in a target that it started cannot be seen in the next."""

    make: Callable[[], Target]
    options: Options
    clock: Callable[[Sequence[Target]], dict[str, Any]]

    def __call__(self, regression: Regression, seed: int) -> Played:
        """One play. Raises Unreachable."""
        asked = replace(self.options, seed=seed, versions=(regression.version,), bindings=(regression.binding,))
        ((_, played),) = self._run([regression], asked)
        return played

    def subject(
        self, seed: int, role: Role | None = None, versions: tuple[str, ...] = (), bindings: tuple[str, ...] = ()
    ) -> tuple[Regression, Extent]:
        """What is to be explored of the target, and what it shows in peace. Raises Unplayable, Unreachable."""
        every = tuple(candidates(self.make(), role, versions, bindings))
        if not every:
            raise Unplayable("no protocol that it may speak has such a version and binding")
        found = self._run(every, replace(self.options, seed=seed, versions=versions, bindings=bindings))
        subject, extent = chosen(found)
        return replace(subject, name=NAME), extent

    def _run(self, regressions: Sequence[Regression], options: Options) -> list[tuple[Regression, Played]]:
        """Those that the target has a column for, played, in their order."""
        target, lines = self.make(), list[str]()
        unreachable: Unreachable | None = None
        results: tuple[Result, ...] = ()
        try:
            results = anyio.run(
                partial(run, target, (suite_of(regressions),), options, lambda event: None, lines.append),
                backend="trio",
                backend_options=self.clock((target,)),
            )
        except* Unreachable as group:
            unreachable = _first(group)
        if unreachable:
            raise unreachable
        played = {result.case.check.id: Played(result, lines) for result in results}
        return [(each, played[each.id]) for each in regressions if each.id in played]


def _first(group: BaseExceptionGroup[Unreachable]) -> Unreachable:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
