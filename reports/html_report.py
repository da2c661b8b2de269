"""The report as one HTML page that needs nothing else: neither a server, nor a network, nor other files."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

from seatrial import Evidence, Verdict

from .findings import Finding, finding
from .html_case import as_data
from .html_page import NAMES, page
from .reporter import Run, WholeReporter
from .text import visible

TEMPLATE = "report.html.j2"
STYLES = ("report.css", "finding.css")
SCRIPTS = ("page.js", "timeline.js", "finding.js")
ROOM, LEAST, MOST = 8 * 2**20, 2 * 2**10, 64 * 2**10
"""Characters for the evidence of all cases that held, as many for that of all others; of one at least and at most."""


class HtmlReporter(WholeReporter):
    """Written when the run is over, also one that was interrupted. Its timelines come from the file of evidence."""

    def render(self, run: Run) -> str:
        findings = [finding(result, run.started) for result in run.results]
        evidence, missing = _evidence(run.started.evidence)
        rooms = _rooms(findings)
        told = [as_data(found, evidence, rooms[_held(found)]) for found in findings]
        style, script = ("".join(map(_source, names)) for names in (STYLES, SCRIPTS))
        href = _href(run.started.evidence, self._out) if evidence else ""
        about = {"cases": [case["case"] for case in told], "evidence": bool(evidence), "href": href, "names": NAMES}
        return _rendered(
            page=page(run, findings),
            about=_script(about),
            data=list(map(_script, told)),
            href=href,
            missing=missing,
            unreadable=evidence.unreadable if evidence else 0,
            evidence=visible(run.started.evidence),
            style=style,
            script=script,
            policy=f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}",
        )


def _held(found: Finding) -> bool:
    return found.verdict in (Verdict.PASS, Verdict.NOT_APPLICABLE)


def _rooms(findings: Sequence[Finding]) -> dict[bool, int]:
    """Characters for the evidence of one case that held, and of one that did not: fewer where there are more cases."""
    held = sum(map(_held, findings))
    numbers = {True: held, False: len(findings) - held}
    return {kind: max(LEAST, min(MOST, ROOM // max(number, 1))) for kind, number in numbers.items()}


def _evidence(file: str) -> tuple[Evidence | None, str]:
    """The evidence of the run, and why there is none."""
    if not file:
        return None, "this run kept no evidence"
    try:
        return Evidence.read(Path(file)), ""
    except OSError as error:
        return None, f"the evidence {visible(file)} cannot be read: {error.strerror}"


def _href(file: str, out: TextIO) -> str:
    """Where the evidence is as seen from the report, "" where the report stands in no file."""
    name = getattr(out, "name", "")
    if not isinstance(name, str) or not Path(name).is_file():
        return ""
    return quote(Path(os.path.relpath(file, Path(name).parent)).as_posix())


def _rendered(**values: Any) -> str:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    ours = {name: Markup(values[name]) for name in ("style", "script", "about")}
    data = list(map(Markup, values["data"]))
    return environment.from_string(_source(TEMPLATE)).render(values | ours | {"data": data})


def _script(value: Any) -> str:
    """JSON that may stand in a script element: nothing in it ends the element or begins a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _source(name: str) -> str:
    return resources.files("seatrial.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """How a content security policy names an inline source."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
