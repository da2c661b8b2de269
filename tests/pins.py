"""Which checks kill a mutant beside those that name it: run this module to pin them anew, in `pins.json`.

A check that suddenly kills a mutant of something else looks at more than its title says.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from seatrial.discovery import load_suites
from seatrial.model import Isolation, Mutant, Result, Verdict
from seatrial.protocols import driver_of

from .sailing import hunt

PINS = Path(__file__).with_name("pins.json")

CHAOTIC = ("session.one-for-all", "stream.one-at-a-time", "a2a.burst-500", "a2a.burst-silent")
"""Mutants under which a session meets what another left behind, or a request those that come at the same moment: who
stumbles over it is chance."""


def kills(result: Result) -> bool:
    """FAIL, WARN, or for a row that never fails its note."""
    if result.verdict in (Verdict.FAIL, Verdict.WARN):
        return True
    return result.verdict is Verdict.PASS and any(note.requirement for note in result.notes)


def column(mutant: Mutant) -> tuple[str, str]:
    """The newest column in which the mutant shows."""
    known = driver_of(mutant.protocol)
    every = [binding for listens in (True, False) for binding in known.bindings(listens)]
    versions, bindings = mutant.versions or known.versions, mutant.bindings or every
    return max(versions), bindings[0]


def bystanders(mutant: Mutant) -> list[str]:
    """The checks of all suites that kill a mutant in its column without naming it.

    Monitors are left out, which see every mutant that says something odd, and so is what needs a process of its own.
    Cases run one by one: a mutant that mixes up sessions would else kill by chance.
    """
    version, binding = column(mutant)
    plain = [c.id for s in load_suites() for c in s.checks if not c.monitor and c.isolation is not Isolation.PROCESS]
    results = hunt(mutant, load_suites(), checks=plain, versions=(version,), bindings=(binding,), concurrency=1)
    return sorted({r.case.check.id for r in results if kills(r) and mutant.id not in r.case.check.mutants})


def pinned() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(PINS.read_text("utf-8"))
    return found


def _entry(ident: str) -> tuple[str, list[str]]:
    found = next(m for suite in load_suites() for m in suite.mutants if m.id == ident)
    return ident, bystanders(found)


def main() -> int:
    """Pin all mutants; a kill that was pinned before stays, for some depend on the order of events."""
    known = pinned() if PINS.exists() else {}
    idents = sorted({m.id for suite in load_suites() for m in suite.mutants}.difference(CHAOTIC))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = dict(pool.map(_entry, idents, chunksize=4))
    merged = {ident: sorted({*found[ident], *known.get(ident, [])}) for ident in idents}
    lines = (f"  {json.dumps(ident)}: {json.dumps(checks)}" for ident, checks in merged.items() if checks)
    PINS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
