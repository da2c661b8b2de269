"""The pre-launch checklist as one HTML page that needs nothing else, and that prints."""

from __future__ import annotations

from importlib import resources

from seatrial import Checklist

from .checklist import HOW_TO_SIGN, heading, summary, told
from .text import visible

TEMPLATE = "checklist.html.j2"


def html(found: Checklist) -> str:
    """The whole page. What a target wrote stays text: it is escaped where it stands."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["visible"] = visible
    source = resources.files("seatrial.reports").joinpath("templates", TEMPLATE).read_text(encoding="utf-8")
    groups = [
        (group.title, [(answer, list(told(answer, found))) for answer in answers]) for group, answers in found.answers
    ]
    words = {"heading": heading(found), "summary": summary(found), "how_to_sign": HOW_TO_SIGN}
    return environment.from_string(source).render(found=found, groups=groups, **words)
