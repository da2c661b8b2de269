"""The report as Markdown, for a pull request or a wiki."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seatrial import Place, Result, Verdict, cells

from .findings import Finding, Group, bad, by_suite, finding, lines, unjudged
from .reporter import Run, WholeReporter, counts, headings, places, surroundings
from .score import remarks, scores
from .text import markdown, visible
from .ways import TITLE as WAYS
from .ways import differences

CELLS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "**FAIL**",
    Verdict.WARN: "warn",
    Verdict.INCONCLUSIVE: "?",
    Verdict.NOT_APPLICABLE: "-",
    Verdict.ERROR: "**ERROR**",
}


class MarkdownReporter(WholeReporter):
    """Counts, findings, the matrix, and what was not judged."""

    def render(self, run: Run) -> str:
        findings = [finding(result, run.started) for result in run.results]
        return "\n".join([*head(run), *_findings(findings), *matrix(run), *by_way(run), *not_judged(findings)]) + "\n"


def head(run: Run) -> Iterator[str]:
    yield f"# Seatrial: {markdown(run.started.target)}"
    yield ""
    yield f"{code(run.started.address)}, seed {run.started.seed}, {run.seconds:.1f} s"
    yield ""
    if faults := surroundings(run.started):
        yield f"around all of it: {', '.join(map(code, faults))}"
        yield ""
    if run.outcome:
        yield f"**{markdown(run.outcome)}**"
        yield ""
    for problem in run.problems:
        yield f"- **{problem.kind}** {markdown(str(problem))}"
    if run.problems:
        yield ""
    told = {verdict.value: count for verdict, count in counts(run.results).items()}
    told["accepted"] = sum(bool(result.accepted) for result in run.results)
    yield from table(list(told), [[str(count) for count in told.values()]])
    yield from _scores(run)


def _scores(run: Run) -> Iterator[str]:
    found = scores(run)
    if found:
        rows = [[markdown(score.target), markdown(score.suite), str(score), f"{score.judged} %"] for score in found]
        yield from table(["target", "suite", "score", "judged"], rows)
    for remark in remarks(found):
        yield markdown(remark)
        yield ""


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    groups = bad(findings)
    if groups:
        yield "## Findings"
        yield ""
    for group in groups:
        yield from _finding(group)


def _finding(group: Group) -> Iterator[str]:
    yield f"### {group.first.verdict}{', accepted' if group.first.accepted else ''} {markdown(group.first.check)}"
    yield ""
    yield markdown(group.first.title)
    yield ""
    for name, text in lines(group.first):
        yield part(name, text)
    yield f"- in: {', '.join(map(code, group.columns))}"
    yield ""


def part(name: str, text: str) -> str:
    """One part of a finding, as an entry of a list."""
    return f"- {name}: {_shown(name, text)}"


def _shown(name: str, text: str) -> str:
    match name:
        case "rerun":
            return code(text)
        case "spec":
            return f"<{text}>"
        case _:
            return markdown(text)


def matrix(run: Run) -> Iterator[str]:
    results = run.results
    shown = places(results)
    if shown:
        yield "## Matrix"
        yield ""
    for suite, rows in by_suite(results, run.started).items():
        heads = (markdown(" ".join(heading)) for heading in headings(shown))
        yield from table([markdown(suite), *heads], _rows(rows, shown))


def _rows(results: Sequence[Result], shown: Sequence[Place]) -> Iterator[list[str]]:
    verdicts = cells(results)
    for check in dict.fromkeys(result.case.check.id for result in results):
        found = (verdicts.get((check, place)) for place in shown)
        yield [markdown(check), *("" if verdict is None else CELLS[verdict] for verdict in found)]


def by_way(run: Run) -> Iterator[str]:
    rows = [[markdown(name), markdown(told)] for name, told in differences(run)]
    if rows:
        yield f"## {WAYS}"
        yield ""
        yield from table(["what", "how"], rows)


def not_judged(findings: Sequence[Finding]) -> Iterator[str]:
    for verdict, heading in ((Verdict.INCONCLUSIVE, "Not judged"), (Verdict.NOT_APPLICABLE, "Not applicable")):
        rows = [_counted(group) for group in unjudged(findings, verdict)]
        if rows:
            yield f"## {heading}"
            yield ""
            yield from table(["cases", "reason", "detail", "what to add to seatrial.toml"], rows)


def _counted(group: Group) -> list[str]:
    told = (group.first.reason, group.first.detail, group.first.advice)
    return [str(len(group.findings)), *map(markdown, told)]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]] | Iterator[list[str]]) -> Iterator[str]:
    for cells_ in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(cells_)} |"
    yield ""


def code(text: str) -> str:
    """Inline code that shows the text as it is, whatever backticks it contains."""
    shown = visible(text)
    fence = "`"
    while fence in shown:
        fence += "`"
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
