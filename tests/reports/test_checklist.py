"""The checklist as text, Markdown, HTML and JSON: what a target said stays text, and what to do is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from seatrial.checklist.answers import Checklist
from seatrial.model import Reason, Verdict
from seatrial.reports.checklist import QUOTED, SHOWN, as_json, markdown, text
from seatrial.reports.checklist_html import html

from ..checklist.checklist_samples import SERVER, evidence, failed, line, listed, result, run, signature
from .report_samples import EVIL

STOPS = "mcp.can.stops-work"
FORMS = [text, markdown, html]


def hostile(folder: Path) -> Checklist:
    """A target that says evil things wherever it can say anything, of which one has been signed."""
    tools = [{"name": EVIL, "description": EVIL, "inputSchema": {"properties": {EVIL: {}}}}]
    messages = [{"result": {"tools": tools * 2}}, failed(EVIL), failed(f"/srv/{EVIL}")]
    server = {**SERVER, "serverInfo": {"version": EVIL}}
    kept = run(
        folder,
        result(STOPS, Verdict.FAIL, actual=EVIL),
        messages=messages,
        server=server,
        target="shop",
        address=f"http://127.0.0.1/{EVIL}",
    )
    return listed(kept, signature(line(kept, "bounds.supply"), by=EVIL, note=EVIL))


class Elements(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.ids.add(told.get("id", ""))
        self.links |= {told[name] for name in ("href", "src") if name in told}


@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_a_target_said_moves_a_terminal_or_turns_the_reader_around(
    form: Callable[[Checklist], str], tmp_path: Path
) -> None:
    told = form(hostile(tmp_path))
    assert not set(told) & set("\x1b\u202e\x07")
    assert "\\x1b" in told and "\\u202e" in told


def test_markup_of_a_target_is_text_in_a_page(tmp_path: Path) -> None:
    page = html(hostile(tmp_path))
    assert "script" not in Elements(page).tags
    assert "&lt;script&gt;" in page


def test_a_page_needs_nothing_else(tmp_path: Path) -> None:
    page = html(hostile(tmp_path))
    found = Elements(page)
    assert found.links and all(link.startswith("#") and link[1:] in found.ids for link in found.links)
    assert "url(" not in page and "@import" not in page


def test_markup_of_a_target_is_text_in_markdown(tmp_path: Path) -> None:
    page = markdown(hostile(tmp_path))
    assert "\\<script\\>" in page
    assert re.search(r"(?<!\\)<script", page) is None
    assert len(re.findall(r"^- \[[ x]\] ", page, re.M)) == len(hostile(tmp_path).all)


@pytest.mark.parametrize(
    ("form", "named"),
    [
        (text, r"^\[.\] ([\w.-]+), (?:blocker|advisory), "),
        (markdown, r"`([\w.-]+)`, (?:blocker|advisory): "),
        (html, r'<article id="([\w.-]+)">'),
        (as_json, r'"id": "([\w.-]+)"'),
    ],
)
def test_every_line_is_told_once_in_its_order(form: Callable[[Checklist], str], named: str, tmp_path: Path) -> None:
    found = hostile(tmp_path)
    assert re.findall(named, form(found), re.M) == list(found.all)


def told_of(ident: str, found: Checklist) -> str:
    """The part of the text that is about a line."""
    whole = text(found)
    begin = whole.index(f"] {ident},")
    end = re.compile(r"^(?:\[|$)", re.M).search(whole, begin)
    return whole[begin : end.start() if end else None]


def test_a_check_that_does_not_hold_is_told_with_what_was_found_and_how_to_see_it_again(tmp_path: Path) -> None:
    told = told_of("long.cancel", listed(run(tmp_path, result(STOPS, Verdict.FAIL, actual="it went on"))))
    assert f"not met: {STOPS}: Title of {STOPS} (FAIL in 2025-11-25,streamable-http,none: it went on)" in told
    assert f"rerun: seatrial run shop --check {STOPS} " in told
    assert "to do: repair it and run again, or waive it" in told


def test_a_note_that_leaves_a_line_unmet_is_told_as_one(tmp_path: Path) -> None:
    told = told_of("long.cancel", listed(run(tmp_path, result(STOPS, noted=True))))
    assert "(noted in 2025-11-25,streamable-http,none: as it is)" in told
    assert "PASS" not in told


def test_what_does_not_apply_is_told_with_its_reason(tmp_path: Path) -> None:
    absent = result(STOPS, Verdict.NOT_APPLICABLE, Reason.CAPABILITY_ABSENT)
    kept = run(tmp_path, absent, server={**SERVER, "capabilities": {}})
    evidence(tmp_path)
    assert f"not applicable: {STOPS}: Title of {STOPS} (NOT_APPLICABLE in " in told_of("long.cancel", listed(kept))
    assert "not applicable: the target declares that it has no tools" in told_of("tools.count", listed(kept))


def test_what_was_not_decided_is_told_with_what_to_add(tmp_path: Path) -> None:
    kept = run(tmp_path, result("mcp.rec.session-belongs-to-user", Verdict.INCONCLUSIVE, Reason.NO_IDENTITIES))
    assert "add: [target.shop.identities]" in told_of("peer.identity", listed(kept))


def test_a_check_that_a_run_left_out_is_told_with_the_run_to_make(tmp_path: Path) -> None:
    told = told_of("long.cancel", listed(run(tmp_path, result(STOPS), selected=True)))
    assert "not decided: mcp.can.no-response is not part of the run; make one without a selection of checks" in told


def test_what_holds_is_told_in_one_line(tmp_path: Path) -> None:
    told = told_of("long.cancel", listed(run(tmp_path, result(STOPS))))
    assert told == "] long.cancel, blocker, met: Does an abort stop the work at the bottom?\n"


def test_remarks_of_one_kind_are_told_together_and_quoted_in_short(tmp_path: Path) -> None:
    tools = [{"name": f"t{n}", "description": f"{n} " + "long " * QUOTED} for n in range(SHOWN + 3)]
    kept = run(tmp_path, result(STOPS), messages=[{"result": {"tools": tools}}])
    (advice,) = [part for part in markdown(listed(kept)).splitlines() if "when not to use" in part]
    assert f"({SHOWN + 4} times): look " in advice and advice.endswith(" and 4 more")
    assert len(advice) < SHOWN * (QUOTED + 20) + 200


def test_the_end_says_what_stands_in_the_way(tmp_path: Path) -> None:
    found = listed(run(tmp_path, result(STOPS, Verdict.FAIL, actual="it went on")))
    end = text(found).partition("lines are resolved; ")[2]
    assert end.startswith(f"open: {len(found.blockers)} blockers, ")
    assert "\n  [!] long.cancel: an action that goes on" in end
    assert len(end.splitlines()) == 1 + len(found.blockers)


def test_programs_read_every_remark_and_what_was_signed(tmp_path: Path) -> None:
    found = hostile(tmp_path)
    told = json.loads(as_json(found))
    lines = {each["id"]: each for each in told["lines"]}
    assert list(lines) == list(found.all)
    assert lines["bounds.supply"]["signature"]["by"] == EVIL
    assert lines["bounds.supply"]["resolved"] and lines["bounds.supply"]["signature"]["until"] == "2027-06-01"
    assert lines["long.cancel"]["checks"] == [{"check": STOPS, "state": "not met"}]
    assert {remark["subject"] for remark in lines["tools.when-not"]["remarks"]} == {"look", EVIL}
    assert told["blockers"] == [answer.line.id for answer in found.blockers]
