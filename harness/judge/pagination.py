"""Judges of a walk through the pages of a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..model import Violation


@dataclass(frozen=True, slots=True)
class Page:
    """One page: the names of its items, the cursor to the next one (None on the last), and its record."""

    names: tuple[Hashable, ...]
    next_cursor: Any
    record: int


def terminates(pages: Sequence[Page]) -> Violation | None:
    """The walk came to a page without a next cursor, and met no cursor twice."""
    cursors = Counter(repr(page.next_cursor) for page in pages if page.next_cursor is not None)
    records = tuple(page.record for page in pages)
    if again := [cursor for cursor, count in cursors.items() if count > 1]:
        return Violation("every page has a cursor of its own", f"cursor {again[0][:80]} came again", records)
    if pages and pages[-1].next_cursor is not None:
        return Violation("the last page has no nextCursor", f"still one after {len(pages)} pages", records[-1:])
    return None


def nothing_on_two_pages(pages: Sequence[Page]) -> Violation | None:
    counts = Counter(name for page in pages for name in page.names)
    if again := [name for name, count in counts.items() if count > 1]:
        records = tuple(page.record for page in pages if set(page.names) & set(again))
        return Violation("an item is listed once", f"listed again: {str(again[0])[:80]}", records)
    return None


def same_items(first: Iterable[Page], second: Iterable[Page]) -> Violation | None:
    """Two walks through an unchanged list met the same items in the same order."""
    walks = [list(first), list(second)]
    names = [[name for page in walk for name in page.names] for walk in walks]
    if names[0] == names[1]:
        return None
    records = tuple(page.record for walk in walks for page in walk)
    return Violation(
        "an unchanged list stays as it is", f"{len(names[0])} and {len(names[1])} items, or others", records
    )
