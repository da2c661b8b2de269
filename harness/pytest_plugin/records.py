"""What a session of pytest leaves in the folder of its run: evidence as it comes, reports at its end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from ..cli.reporting import IN_FOLDER, Feed, Request, opened, writable
from ..cli.runs import remember, unversioned
from ..engine import Fleet
from ..events import BaselineProblem, CaseFinished, RunStarted
from ..evidence import FILE as EVIDENCE
from ..model import Case
from .asked import Asked


@dataclass(slots=True, eq=False)
class Records:
    """The folder is made when the first case begins; what was recorded before it, while the targets were asked what
    they speak, is written then.
    """

    asked: Asked
    _feed: Feed | None = None
    _early: list[str] = field(default_factory=list)
    _evidence: TextIO | None = None
    _files: ExitStack = field(default_factory=ExitStack)

    @property
    def begun(self) -> bool:
        return self._feed is not None

    def begin(self, started: RunStarted, planned: int, whole: bool) -> None:
        """Open everything. So many cases are `planned`, all workers taken together; not `whole`: others are left out.

        Raises Refused.
        """
        folder = self.asked.folder
        self._evidence = self._files.enter_context(writable(folder / EVIDENCE, "the evidence"))
        unversioned(folder) if self.asked.worker else remember(folder)
        requests = [Request(name, str(folder / file)) for name, file in IN_FOLDER.items()]
        reporters = self._files.enter_context(opened(requests))
        policy = replace(self.asked.policy, whole=whole and not self.asked.worker)
        context = {**self.asked.context, **self._part(planned, whole)}
        self._feed = Feed(reporters, policy, replace(started, evidence=str(folder / EVIDENCE)), context)
        self._evidence.writelines(self._early)
        self._early.clear()

    def _part(self, planned: int, whole: bool) -> dict[str, Any]:
        """What the reports are told of cases that are left out, or run by other workers."""
        shard = {"shard": str(self.asked.shard), "planned": planned} if self.asked.shard else {}
        return {**({} if whole else {"partial": True}), **shard}

    def keep(self, line: str) -> None:
        """A line of evidence."""
        if self._evidence is None:
            self._early.append(f"{line}\n")
        elif not self._evidence.closed:  # Processes that end with the session are told of after its reports.
            self._evidence.write(f"{line}\n")

    def conclude(self, fleet: Fleet, selected: Sequence[Case], failure: str) -> tuple[BaselineProblem, ...]:
        """Write the reports: which entries of the baseline are amiss. `failure`: why some targets have no results.

        To be called in the loop, when no case is under way any more.
        """
        assert self._feed is not None
        feed, logbook, judged = self._feed, fleet.logbook, fleet.logbook.results
        cases = tuple(case for case in selected if case.id in judged or not self.asked.worker)
        logbook.emit = feed.emit
        fleet.begin(cases)
        for done, case in enumerate((case for case in cases if case.id in judged), start=1):
            feed.emit(CaseFinished(judged[case.id], done, len(cases)))
        with self._files:
            logbook.finish(all(case.id in judged for case in cases), failure)
            feed.conclude()
        return feed.policy.problems(feed.results)
