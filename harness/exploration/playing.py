"""One play of a regression: a run of its own, with a target that is opened for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import anyio

from ..engine import run
from ..options import Options
from ..reach import Unreachable
from ..target import Target
from .regression import Regression, suite_of
from .search import Played


@dataclass(frozen=True, slots=True)
class Player:
    """`make` gives a target that nobody has used, `clock` the options of the event loop for it. What one play leaves
    in a target that it started cannot be seen in the next."""

    make: Callable[[], Target]
    options: Options
    clock: Callable[[Sequence[Target]], dict[str, Any]]

    def __call__(self, regression: Regression, seed: int) -> Played:
        """Raises Unreachable."""
        target, lines = self.make(), list[str]()
        asked = replace(self.options, seed=seed, versions=(regression.version,), bindings=(regression.binding,))
        unreachable: Unreachable | None = None
        try:
            results = anyio.run(
                run,
                target,
                (suite_of([replace(regression, target=target.name)]),),
                asked,
                lambda event: None,
                lines.append,
                backend="trio",
                backend_options=self.clock((target,)),
            )
        except* Unreachable as group:
            unreachable = _first(group)
        if unreachable:
            raise unreachable
        return Played(results[0], lines)


def _first(group: BaseExceptionGroup[Unreachable]) -> Unreachable:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
