"""What changed between two runs: as text, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from seatrial import Change, ChangeKind, Comparison, Result

from .findings import finding
from .markdown import code, table
from .text import markdown as literal
from .text import shortened, visible

SCHEMA = "seatrial.diff/1"
LIMIT = 300
"""Characters of what was seen that are shown; JSON has all of them."""

SHOWN = 12
"""So many changes of each kind that is not for the worse are shown to a reader; JSON has all of them."""

_WORSE = (ChangeKind.REGRESSION, ChangeKind.ACCEPTED)
HEADINGS = {
    ChangeKind.REGRESSION: "Regressions",
    ChangeKind.ACCEPTED: "Worse, but accepted by the baseline",
    ChangeKind.IMPROVEMENT: "Improvements",
    ChangeKind.NEW: "New cases",
    ChangeKind.GONE: "Gone cases",
}


def text(found: Comparison) -> str:
    """For a person at a terminal."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Comparison) -> Iterator[str]:
    for kind in found.kinds:
        shown, more = _shown(kind, found)
        yield HEADINGS[kind]
        yield from (line for change in shown for line in _told(change, found))
        yield from [f"  {more} more; --format json names them"] if more else []
        yield ""
    yield _counted(found)


def _shown(kind: ChangeKind, found: Comparison) -> tuple[Sequence[Change], int]:
    """The changes of a kind that a reader is shown, and how many there are beside them."""
    listed = found.of(kind)
    shown = listed if kind in _WORSE else listed[:SHOWN]
    return shown, len(listed) - len(shown)


def _told(change: Change, found: Comparison) -> Iterator[str]:
    yield f"  {_said(change.base):<14} -> {_said(change.head):<14} {visible(change.case)}"
    yield from (f"      {name}: {visible(shortened(told, LIMIT))}" for name, told in _parts(change, found))


def _said(result: Result | None) -> str:
    return result.verdict.value if result else "-"


def _parts(change: Change, found: Comparison) -> Iterator[tuple[str, str]]:
    """What to know of a change for the worse: (name, text)."""
    if change.kind not in _WORSE or change.head is None:
        return
    told = finding(change.head, found.head)
    named = ", ".join(filter(None, change.newly_broken))
    listed = (("breaks", named), ("expected", told.expected), ("actual", told.actual), ("detail", told.detail))
    yield from ((name, text) for name, text in listed if text)


def _counted(found: Comparison) -> str:
    """The number of changes of each kind, in one line."""
    return ", ".join(f"{kind}: {len(found.of(kind))}" for kind in ChangeKind)


def markdown(found: Comparison) -> str:
    """For a pull request."""
    return "\n".join(_document(found)) + "\n"


def _document(found: Comparison) -> Iterator[str]:
    yield f"# Seatrial: {literal(found.head.target)}, compared"
    yield ""
    yield _counted(found)
    yield ""
    for kind in found.kinds:
        yield f"## {HEADINGS[kind]}"
        yield ""
        shown, more = _shown(kind, found)
        yield from table(["case", "base", "head", "breaks", "actual"], [_row(change, found) for change in shown])
        yield from ([f"{more} more", ""] if more else [])


def _row(change: Change, found: Comparison) -> list[str]:
    parts = dict(_parts(change, found))
    seen = parts.get("actual") or parts.get("detail", "")
    told = (parts.get("breaks", ""), shortened(seen, LIMIT))
    return [code(change.case), _said(change.base), _said(change.head), *map(literal, told)]


def as_json(found: Comparison) -> str:
    """`{schema, base, head, counts, changes}` with the whole findings of both runs; null where a run lacks the case."""
    told = {
        "schema": SCHEMA,
        "base": {"target": found.base.target, "seed": found.base.seed, "evidence": found.base.evidence},
        "head": {"target": found.head.target, "seed": found.head.seed, "evidence": found.head.evidence},
        "counts": {kind.value: len(found.of(kind)) for kind in ChangeKind},
        "changes": [_change(change, found) for change in found.changes],
    }
    return json.dumps(told, indent=1) + "\n"


def _change(change: Change, found: Comparison) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "case": change.case,
        "newly_broken": list(change.newly_broken),
        "base": finding(change.base, found.base).as_json() if change.base else None,
        "head": finding(change.head, found.head).as_json() if change.head else None,
    }
