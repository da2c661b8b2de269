"""The pre-launch checklist for people and for programs: text, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from seatrial import AnsweredLine, Checklist, Decided, Remark, Standing, Verdict

from .findings import Finding, finding
from .text import markdown as literal
from .text import shortened, visible

SHOWN = 12
"""So many things of one kind are told of a line; JSON has all of them."""
QUOTED = 80
"""Characters of what a target said that are quoted in a remark."""

TITLES = {"mcp": "MCP", "a2a": "A2A", "agui": "AG-UI"}
MARKS = {
    Standing.MET: "[x]",
    Standing.SIGNED: "[x]",
    Standing.WAIVED: "[~]",
    Standing.ABSENT: "[-]",
    Standing.UNMET: "[!]",
    Standing.UNDECIDED: "[?]",
    Standing.UNSIGNED: "[ ]",
}
"""How a line stands, at its beginning."""


def heading(found: Checklist) -> str:
    """Name, version and protocol of the target."""
    return f"{' '.join(filter(None, (found.target, found.version)))} ({TITLES[found.protocol]})"


def summary(found: Checklist) -> str:
    """One sentence: may it be launched?"""
    answers = found.all.values()
    resolved = sum(answer.resolved for answer in answers)
    advisory = len(answers) - resolved - len(found.blockers)
    still = f"{len(found.blockers)} blockers, {advisory} advisory lines"
    return f"{resolved} of {len(answers)} lines are resolved; open: {still}"


def told(answer: AnsweredLine, found: Checklist) -> Iterator[tuple[str, str]]:
    """The parts of a line for a reader: (name, text), in the order in which they are told, each once."""
    yield from dict.fromkeys(_told(answer, found))


def _told(answer: AnsweredLine, found: Checklist) -> Iterator[tuple[str, str]]:
    facts = answer.facts
    for decided in facts.checks:
        yield from _told_check(decided, found)
    yield from (("advice", _told_remarks(*group)) for group in _by_text(facts.remarks))
    yield from (("shown", text) for text in facts.shown)
    if facts.absent:
        yield Standing.ABSENT.value, "the target declares that it has no tools"
    if facts.missing:
        yield "not seen", facts.missing
    if signature := answer.signature:
        verb = "waived" if signature.waived else "signed"
        yield verb, f"by {signature.by} on {signature.on}, until {signature.until}: {signature.note}"
    if answer.stale:
        yield "stale", f"{answer.stale}; look again, then sign it again"
    if not answer.resolved:
        yield "to do", remedy(answer)


def _by_text(remarks: Iterable[Remark]) -> Iterator[tuple[str, list[Remark]]]:
    """The remarks that say the same of several subjects, together."""
    found: dict[str, list[Remark]] = {}
    for remark in remarks:
        found.setdefault(remark.text, []).append(remark)
    yield from found.items()


def _told_remarks(text: str, remarks: Sequence[Remark]) -> str:
    """One remark as a sentence; several as a list behind their text."""
    if len(remarks) == 1:
        return f"{remarks[0].subject} {text}{_quoted(remarks[0])}"
    told = ", ".join(f"{remark.subject}{_quoted(remark)}" for remark in remarks[:SHOWN])
    return f"{text} ({len(remarks)} times): {told}{_more(len(remarks) - SHOWN)}"


def _quoted(remark: Remark) -> str:
    return f' "{shortened(remark.quote, QUOTED)}"' if remark.quote else ""


def _more(number: int) -> str:
    return f" and {number} more" if number > 0 else ""


def remedy(answer: AnsweredLine) -> str:
    """What resolves an open line."""
    match answer.state:
        case Standing.UNSIGNED if answer.facts.remarks:
            return "mend what is advised, or sign that it is well so"
        case Standing.UNSIGNED if answer.facts.checks or answer.facts.shown:
            return "read what was found, and sign your answer"
        case Standing.UNSIGNED:
            return "sign your answer"
        case Standing.UNDECIDED:
            return "add what is missing and run again, or waive it"
    return "repair it and run again, or waive it"


HOW_TO_SIGN = "seatrial checklist sign LINE --by WHO --note TEXT"
"""The command that resolves a line; with --waive also one that is not met or not decided."""


def _told_check(decided: Decided, found: Checklist) -> Iterator[tuple[str, str]]:
    """A check that held is told by its name; another by what was found, and what to add or to run."""
    if decided.result is None:
        yield decided.state.value, f"{decided.check} is not part of the run; make one without a selection of checks"
        return
    case = finding(decided.result, found.run)
    yield decided.state.value, f"{decided.check}: {case.title}{_why(case)}"
    if decided.state is Standing.UNDECIDED and case.advice:
        yield "add", case.advice
    if decided.state is Standing.UNMET:
        yield "rerun", case.rerun


def _why(case: Finding) -> str:
    """What was found, as the rest of a sentence."""
    notes = "; ".join(note.actual for note in case.notes if note.requirement and note.expected)
    if case.verdict is Verdict.PASS:
        return f" (noted in {case.column}: {notes})" if notes else ""
    why = case.actual or case.detail or case.reason
    return f" ({case.verdict.value} in {case.column}: {why})" if why else ""


def text(found: Checklist) -> str:
    """The list for a terminal."""
    return "".join(f"{line}\n" for line in _text(found))


def _text(found: Checklist) -> Iterator[str]:
    yield visible(f"Pre-launch checklist of {heading(found)}")
    yield visible(f"{found.address}, {found.day}")
    for group, answers in found.answers:
        yield ""
        yield group.title
        for answer in answers:
            line = answer.line
            yield f"{MARKS[answer.state]} {line.id}, {line.weight}, {answer.state}: {line.question}"
            yield from (f"      {visible(part)}" for part in _shortened(answer, found))
    yield ""
    yield "[x] met or signed  [~] waived  [-] not applicable  [!] not met  [?] not decided  [ ] to sign"
    yield f"To sign a line: {HOW_TO_SIGN}; to waive it add --waive"
    yield summary(found)
    yield from (f"  {MARKS[each.state]} {each.line.id}: {each.line.because}" for each in found.blockers)


def _shortened(answer: AnsweredLine, found: Checklist) -> Iterator[str]:
    """The parts of a line as text: of what is met only what is shown, of many of one kind the first."""
    parts = list(told(answer, found))
    if answer.state is Standing.MET:
        parts = [part for part in parts if part[0] == "shown"]
    for name in dict.fromkeys(name for name, _ in parts):
        own = [text for kind, text in parts if kind == name]
        kept = own if name in _WHOLE else own[:SHOWN]
        yield from (f"{name}: {text:.300}" for text in kept)
        if more := _more(len(own) - len(kept)):
            yield f"{name}:{more}; --format markdown tells all"


_WHOLE = ("to do", "signed", "waived", "stale")


def markdown(found: Checklist) -> str:
    """The list as a page."""
    return "".join(f"{line}\n" for line in _markdown(found))


def _markdown(found: Checklist) -> Iterator[str]:
    yield f"# Pre-launch checklist of {literal(heading(found))}"
    yield ""
    yield f"{literal(found.address)}, {found.day}"
    yield ""
    yield f"**{summary(found)}**"
    yield ""
    yield f"To sign a line: `{HOW_TO_SIGN}`; to waive it add `--waive`."
    for group, answers in found.answers:
        yield ""
        yield f"## {group.title}"
        for answer in answers:
            yield ""
            yield from _markdown_line(answer, found)


def _markdown_line(answer: AnsweredLine, found: Checklist) -> Iterator[str]:
    line = answer.line
    box = "x" if answer.resolved else " "
    yield f"- [{box}] **{line.question}** `{line.id}`, {line.weight}: **{answer.state}**"
    yield f"  - {line.weight} because {line.because}"
    yield from (f"  - {name}: {literal(text)}" for name, text in told(answer, found))


def as_json(found: Checklist) -> str:
    """The list for programs."""
    whole = {
        "target": found.target,
        "address": found.address,
        "protocol": found.protocol,
        "version": found.version,
        "day": found.day.isoformat(),
        "blockers": [answer.line.id for answer in found.blockers],
        "lines": [_entry(answer, group.id) for group, answers in found.answers for answer in answers],
    }
    return json.dumps(whole, indent=1, default=str) + "\n"


def _entry(answer: AnsweredLine, group: str) -> dict[str, Any]:
    line, facts = answer.line, answer.facts
    return {
        "id": line.id,
        "group": group,
        "question": line.question,
        "weight": line.weight,
        "because": line.because,
        "asked": answer.asked,
        "state": answer.state,
        "resolved": answer.resolved,
        "checks": [{"check": decided.check, "state": decided.state} for decided in facts.checks],
        "remarks": [asdict(remark) for remark in facts.remarks],
        "shown": list(facts.shown),
        "missing": facts.missing,
        "digest": facts.digest,
        "signature": asdict(answer.signature) if answer.signature else None,
        "stale": answer.stale,
    }
