"""The shards of a run made whole again: their results, and their evidence with the record numbers of one file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from typing import Any

from .events import RunFinished, RunStarted
from .evidence import FILE as EVIDENCE
from .evidence import Evidence
from .kept import Kept
from .matrix import merged
from .model import Case, Result, Violation
from .transcript import encode

_OF_A_SHARD = frozenset({"shard", "planned"})
"""Options that the whole run has not."""
_FREE = frozenset({"command", "concurrency", "verbose", "durations"})
"""Options in which the shards of one run may differ."""
_SHARD = re.compile(r"([1-9]\d{0,3})/([1-9]\d{0,3})", re.ASCII)


class MergeError(Exception):
    """Some runs are not the shards of one. The text is one sentence that says which and what to do."""


@dataclass(frozen=True, slots=True)
class Part:
    """One shard. `offset`: its record numbers come after so many of the shards before it."""

    kept: Kept
    evidence: Evidence
    offset: int = 0

    @property
    def results(self) -> Iterator[Result]:
        """With the record numbers of the whole."""
        for result in self.kept.finished.results:
            yield replace(
                result,
                records=self._moved(result.records),
                violations=tuple(map(self._found, result.violations)),
                notes=tuple(map(self._found, result.notes)),
            )

    def lines(self) -> Iterator[str]:
        """Its evidence with the record numbers of the whole. Raises OSError."""
        own = self.evidence.lines
        for line, record in zip(own, self.evidence.records(own), strict=True):
            yield encode(replace(record, number=record.number + self.offset), line.case)

    def _moved(self, numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(number + self.offset for number in numbers)

    def _found(self, violation: Violation) -> Violation:
        return replace(violation, records=self._moved(violation.records))


def parts(runs: Sequence[Kept]) -> tuple[Part, ...]:
    """The shards in their order. Raises MergeError for runs that are not all the shards of one."""
    for run in runs:
        _require_alike(runs[0], run)
    ordered = _complete(runs)
    found = [Part(run, _evidence(run)) for run in ordered]
    offsets = accumulate((part.evidence.last for part in found), initial=0)
    return tuple(replace(part, offset=offset) for part, offset in zip(found, offsets, strict=False))


def whole(found: Sequence[Part]) -> Kept:
    """The run that the shards are, by suite and check. Raises MergeError when they did not plan the same cases."""
    results = _united(found)
    planned = {part.kept.started.options.get("planned") for part in found}
    if planned != {len(results)}:
        raise MergeError(
            f"the shards planned {_listed(planned)} cases and have {len(results)}: the target was not the same for "
            "all of them; run them again"
        )
    started = _started([part.kept.started for part in found], results)
    return replace(found[0].kept, started=started, finished=_finished([part.kept.finished for part in found], results))


def _started(begins: Sequence[RunStarted], results: Sequence[Result]) -> RunStarted:
    return replace(
        begins[0],
        cases=tuple(result.case for result in results),
        requirements={id_: row for begin in begins for id_, row in begin.requirements.items()},
        server={column: said for begin in begins for column, said in begin.server.items()},
        options={name: value for name, value in begins[0].options.items() if name not in _OF_A_SHARD},
    )


def _finished(ends: Sequence[RunFinished], results: tuple[Result, ...]) -> RunFinished:
    """It took as long as the longest of them, and is as complete as all."""
    seconds, complete = max(end.seconds for end in ends), all(end.complete for end in ends)
    failure, stopped = _joined(end.failure for end in ends), _joined(end.stopped for end in ends)
    return RunFinished(results, seconds, complete, failure, stopped)


def _joined(reasons: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, reasons)))


def _united(found: Sequence[Part]) -> tuple[Result, ...]:
    """One result per case: by target and suite as they occur, then by check and column."""
    results: dict[str, list[Result]] = {}
    for part in found:
        for result in part.results:
            results.setdefault(result.case.id, []).append(result)
    return tuple(sorted((reduce(merged, each) for each in results.values()), key=_order(results)))


def _order(results: dict[str, list[Result]]) -> Callable[[Result], tuple[int, str, str]]:
    themes = list(dict.fromkeys(_theme(each[0].case) for each in results.values()))
    return lambda result: (themes.index(_theme(result.case)), result.case.check.id, str(result.case.column))


def _theme(case: Case) -> tuple[str, str]:
    """Target and suite."""
    return case.target, case.rows[0].suite if case.rows else ""


def _require_alike(first: Kept, other: Kept) -> None:
    """Raises MergeError for what two shards of one run have in common and these have not."""
    known, told = _identity(first), _identity(other)
    for name in {**known, **told}:
        if known.get(name) != told.get(name):
            has = f"{first.file} has {name} {known.get(name)!r:.80}, {other.file} {told.get(name)!r:.80}"
            raise MergeError(f"{has}; merge the shards of one run")


def _identity(run: Kept) -> dict[str, Any]:
    started = run.started
    told = {"version": run.version, "target": started.target, "address": started.address, "seed": started.seed}
    options = sorted(started.options.keys() - _FREE - _OF_A_SHARD)
    return told | {f"option {name}": started.options[name] for name in options}


def _complete(runs: Sequence[Kept]) -> list[Kept]:
    """The runs in the order of their shards, when every shard is there once. Raises MergeError."""
    shards: dict[int, Kept] = {}
    counts: set[int] = set()
    for run in runs:
        index, count = _shard(run)
        if index in shards:
            raise MergeError(f"{shards[index].file} and {run.file} are both shard {index}; name each shard once")
        shards[index] = run
        counts.add(count)
    if len(counts) > 1:
        raise MergeError(f"the runs are shards of {_listed(counts)}; merge the shards of one run")
    if missing := set(range(1, max(counts) + 1)) - shards.keys():
        raise MergeError(f"shard {_listed(missing)} of {max(counts)} is missing; name the folders of all of them")
    return [shards[index] for index in sorted(shards)]


def _shard(run: Kept) -> tuple[int, int]:
    found = _SHARD.fullmatch(str(run.started.options.get("shard", "")))
    if found:
        return int(found[1]), int(found[2])
    if run.finished.failure:
        raise MergeError(f"{run.file} has no results: {run.finished.failure:.200}; run that shard again")
    raise MergeError(f"{run.file} is not the report of a shard; merge what seatrial run --shard I/N has left")


def _evidence(run: Kept) -> Evidence:
    file = run.file.parent / EVIDENCE
    try:
        return Evidence.read(file)
    except OSError as error:
        raise MergeError(f"the evidence {file} cannot be read: {error.strerror}; keep it beside the report") from None


def _listed(numbers: Iterable[Any]) -> str:
    return " and ".join(sorted(map(str, numbers)))
