"""The core of the monitors of AG-UI: every stream of every history that no fault rewrote."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...claims import Spoken
from ...model import Violation
from ...transcript import Record
from ..operations import Histories, remembered, untouched
from ..traffic import Judgement
from .events import streams
from .grammar import judged, tells_no_version
from .rules import Finding, Profile, Rule, Sheet, profile
from .thread import thread_sheet


def monitored(histories: Histories, spoken: Spoken, rules: Collection[Rule], milestone: str = "0.1.21") -> Judgement:
    """What breaks some of the rules. `seen` counts the things that were looked at for one of them.

    `milestone`: the release inside 0.1 that the target claims.
    """
    chosen = profile(spoken.version, milestone)
    seen = 0
    found: list[Violation] = []
    for history in untouched(histories):
        for sheet in sheets(history, chosen):
            seen += sum(sheet.seen[rule] for rule in rules)
            found += [violation(finding) for finding in sheet.findings if finding.rule in rules]
    return Judgement(seen, tuple(found))


@remembered
def sheets(history: Sequence[Record], chosen: Profile) -> list[Sheet]:
    """The sheets of the streams of a history, and the one of its threads."""
    read = streams(history)
    modern = [stream for stream in read if not (chosen.modern and tells_no_version(stream))]
    return [*(judged(stream, chosen)[0] for stream in read), thread_sheet(modern, chosen)]


def violation(finding: Finding) -> Violation:
    """A finding as the engine takes it. The requirement is left to the check: its id may tell versions apart."""
    return Violation(finding.expected, finding.actual, finding.records, soft=finding.soft)
