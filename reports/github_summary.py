"""The summary of a step of a GitHub workflow: the matrix first, everything else folded."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from seatrial import Place, Result, Verdict, cells

from .findings import BAD, Group, bad, by_suite, finding, lines
from .markdown import CELLS, code, head, matrix, not_judged, part, table
from .reporter import Run, WholeReporter, headings, places
from .text import markdown, shortened, visible

SIZE = 1_000_000
"""Bytes of a summary: GitHub shows none that is longer than 1 MiB, not even in part."""

PART_LIMIT = 2000
"""Characters of one part of a finding."""

VIOLATIONS_SHOWN, COLUMNS_SHOWN = 3, 12


class GithubSummaryReporter(WholeReporter):
    """What does not fit is counted: first come the counts, the matrix by suite and the findings, the worst first."""

    def render(self, run: Run) -> str:
        written: list[str] = []
        room, left_out = SIZE, 0
        for piece in _pieces(run):
            size = len(piece.encode("utf-8", "backslashreplace"))
            fits = size <= room
            room, left_out = room - size * fits, left_out + (not fits)
            written += [piece] if fits else []
        more = f"{left_out} parts are too long for a summary; the reports have them.\n" if left_out else ""
        return "".join(written) + more


def _pieces(run: Run) -> Iterator[str]:
    findings = [finding(result, run.started) for result in run.results]
    yield _block(head(run))
    yield _block(_tallies(run))
    for group in bad(findings):
        yield _folded(_heading(group), _told(group))
    yield _folded("Matrix", matrix(run)) if run.results else ""
    if unjudged := list(not_judged(findings)):
        yield _folded("What was not judged", unjudged)


def _block(written: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in written)


def _folded(summary: str, written: Iterable[str]) -> str:
    return _block([f"<details><summary>{summary}</summary>", "", *written, "</details>", ""])


def _heading(group: Group) -> str:
    """Markdown means nothing in a line of HTML."""
    said = html.escape(visible(f"{group.first.check}: {group.first.title}")).replace("@", "&#64;")
    return f"<b>{group.first.verdict}</b>{', accepted' if group.first.accepted else ''} {said}"


def _told(group: Group) -> Iterator[str]:
    for name, text in lines(group.first, VIOLATIONS_SHOWN):
        yield part(name, shortened(text, PART_LIMIT))
    more = len(group.columns) - COLUMNS_SHOWN
    yield f"- in: {', '.join(map(code, group.columns[:COLUMNS_SHOWN]))}" + (f" and {more} more" if more > 0 else "")
    yield ""


def _tallies(run: Run) -> Iterator[str]:
    """For each suite how many checks passed of those that apply, and below it those that did not hold."""
    shown = places(run.results)
    rows = [row for suite, found in by_suite(run.results, run.started).items() for row in _suite(suite, found, shown)]
    if rows:
        yield from table(["passed/applicable", *(markdown(" ".join(heading)) for heading in headings(shown))], rows)


def _suite(suite: str, results: Sequence[Result], shown: Sequence[Place]) -> Iterator[list[str]]:
    verdicts = cells(results)
    checks = dict.fromkeys(check for check, _ in verdicts)
    yield [f"**{markdown(suite)}**", *(_tally([verdicts.get((check, place)) for check in checks]) for place in shown)]
    for check in checks:
        found = [verdicts.get((check, place)) for place in shown]
        if any(verdict in BAD for verdict in found):
            yield [markdown(check), *("" if verdict is None else CELLS[verdict] for verdict in found)]


def _tally(found: Sequence[Verdict | None]) -> str:
    applicable = [verdict for verdict in found if verdict not in (None, Verdict.NOT_APPLICABLE)]
    return f"{applicable.count(Verdict.PASS)}/{len(applicable)}" if applicable else ""
