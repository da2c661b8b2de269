"""How a run ended, as a badge: an SVG of our own, or the JSON that a shields.io endpoint reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from seatrial import Verdict

from .reporter import Run, WholeReporter, counts

LABEL = "seatrial"
_GREEN, _YELLOW, _RED, _GREY = "#2f7d32", "#9a6700", "#c62828", "#616161"
"""Each is read on with white letters: a contrast of at least 4.5."""

_LETTERS = {**dict.fromkeys("ijl", 3.2), **dict.fromkeys("frt ,/", 4.6), **dict.fromkeys("mw", 9.8)}
_LETTER = 6.8
"""Widths of letters, and of any other, in pixels; the text is stretched to them, whatever font a viewer has."""

_PADDING, _HEIGHT = 8, 20


@dataclass(frozen=True, slots=True)
class Badge:
    """`failed` is for a run that gives no figure at all."""

    message: str
    color: str
    failed: bool = False


def badge(run: Run) -> Badge:
    """What a run shows. A run that has not judged all its cases shows no figure."""
    if run.outcome or not run.complete:
        return Badge("unreachable" if run.failure else "incomplete", _GREY, True)
    if run.problems:
        return Badge("baseline out of date", _RED)
    found = counts(result for result in run.results if not result.accepted)
    accepted = len(run.results) - sum(found.values())
    applicable = len(run.results) - found[Verdict.NOT_APPLICABLE]
    told = f"{found[Verdict.PASS]}/{applicable} passed" + (f", {accepted} accepted" if accepted else "")
    for verdict, said, color in (
        (Verdict.FAIL, f"{found[Verdict.FAIL]} failed, {told}", _RED),
        (Verdict.ERROR, f"{found[Verdict.ERROR]} in error, {told}", _GREY),
        (Verdict.INCONCLUSIVE, told, _YELLOW),
        (Verdict.WARN, told, _YELLOW),
    ):
        if found[verdict]:
            return Badge(said, color)
    return Badge(told, _YELLOW if accepted else _GREEN) if applicable else Badge("nothing applies", _GREY)


class BadgeJsonReporter(WholeReporter):
    """`{schemaVersion, label, message, color}`, and `isError` where there is no figure."""

    def render(self, run: Run) -> str:
        shown = badge(run)
        told = {"schemaVersion": 1, "label": LABEL, "message": shown.message, "color": shown.color.removeprefix("#")}
        return json.dumps({**told, **({"isError": True} if shown.failed else {})}) + "\n"


class BadgeSvgReporter(WholeReporter):
    """Needs no network, and is read aloud by its title."""

    def render(self, run: Run) -> str:
        shown = badge(run)
        left, right = _width(LABEL), _width(shown.message)
        said = f"{LABEL}: {shown.message}"
        size = {"width": str(left + right), "height": str(_HEIGHT)}
        root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, "role": "img", "aria-label": said})
        SubElement(root, "title").text = said
        _part(root, LABEL, 0, left, "#424242")
        _part(root, shown.message, left, right, shown.color)
        indent(root)
        return tostring(root, encoding="unicode") + "\n"


def _width(text: str) -> int:
    return round(sum(_LETTERS.get(letter, _LETTER) for letter in text)) + 2 * _PADDING


def _part(root: Element, text: str, begin: int, width: int, color: str) -> None:
    SubElement(root, "rect", x=str(begin), width=str(width), height=str(_HEIGHT), fill=color)
    style = {"fill": "#fff", "font-family": "Verdana,DejaVu Sans,sans-serif", "font-size": "11"}
    place = {"x": str(begin + _PADDING), "y": "14", "textLength": str(width - 2 * _PADDING)}
    SubElement(root, "text", {**place, **style}).text = text
