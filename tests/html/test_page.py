"""The HTML report without a browser: it needs nothing else, it is bounded, and what a target says stays text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from seatrial.events import BaselineProblem, Event, RunFinished
from seatrial.model import Acceptance

from ..reports.report_samples import RESULTS, STARTED, events
from .sample_run import HOSTILE, evidence_file, hostile_page, sample_events, written


class Skeleton(HTMLParser):
    """The elements and the names of their attributes, in their order, and the JSON that scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.data: dict[str, Any] = {}
        self.attributes: list[str] = []
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.attributes += [value or "" for _, value in attrs]
        told = dict(attrs)
        self._open = told.get("id") or "" if told.get("type") == "application/json" else ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.data[self._open] = json.loads(data)
            self._open = ""


@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_a_target_says_makes_no_element_and_no_attribute(tmp_path: Path, said: str) -> None:
    plain, hostile = (tmp_path / name for name in ("plain", "hostile"))
    plain.mkdir()
    hostile.mkdir()
    expected = Skeleton(hostile_page(plain, "harmless").read_text("utf-8"))
    found = Skeleton(hostile_page(hostile, said).read_text("utf-8"))
    assert found.elements == expected.elements
    assert found.data.keys() == expected.data.keys()
    assert not any(value.startswith("javascript:") for value in found.attributes)


@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_control_or_direction_character_stands_in_the_page(tmp_path: Path, said: str) -> None:
    page = hostile_page(tmp_path, said)
    text = page.read_text("utf-8") + json.dumps(Skeleton(page.read_text("utf-8")).data, ensure_ascii=False)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_a_page_names_no_other_file_that_it_needs(tmp_path: Path) -> None:
    page = hostile_page(tmp_path, "harmless").read_text("utf-8")
    assert not re.search(r"<(?:link|img|iframe|object|embed|base)\b|\bsrc\s*=|@import|\burl\(", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1]
    assert "unsafe" not in policy[1]


def test_names_of_a_megabyte_do_not_make_a_page_of_megabytes(tmp_path: Path) -> None:
    assert len(hostile_page(tmp_path, "x" * 2**20).read_text("utf-8")) < 2**20


def test_a_cut_body_tells_its_size_and_its_record(tmp_path: Path) -> None:
    page = Skeleton(hostile_page(tmp_path, "y" * 50_000).read_text("utf-8"))
    cut = [step for step in page.data["case-0"]["steps"] if step.get("size")]
    assert cut
    for step in cut:
        assert step["size"] >= 50_000
        assert len(step["body"]) < 10_000
    assert page.data["about"]["href"] == "evidence.jsonl"


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    told = sample_events("said", str(evidence_file(tmp_path, "said")))
    assert written(tmp_path / "report.html", told) == written(tmp_path / "report.html", told)


@pytest.mark.parametrize(
    ("evidence", "why"), [("", "this run kept no evidence"), ("gone/evidence.jsonl", "No such file or directory")]
)
def test_missing_evidence_is_said_and_everything_else_is_there(tmp_path: Path, evidence: str, why: str) -> None:
    page = written(tmp_path / "report.html", sample_events("said", evidence))
    assert why in page
    data = Skeleton(page).data
    assert data["about"]["evidence"] is False
    assert data["case-0"]["violations"][0]["actual"] == "said"
    assert data["case-0"]["steps"] == []


def test_lines_that_hold_no_record_are_counted(tmp_path: Path) -> None:
    file = evidence_file(tmp_path, "said")
    file.write_text(file.read_text("utf-8") + '{"record": 1}\n[1]\nhalf a li', "utf-8")
    page = written(tmp_path / "report.html", sample_events("said", str(file)))
    assert "3 lines of the evidence hold no record" in page
    assert Skeleton(page).data["case-0"]["steps"]


def test_an_interrupted_run_is_told_as_far_as_it_came(tmp_path: Path) -> None:
    told: list[Event] = [*events()[:6], RunFinished(RESULTS[:2], 1.0, complete=False)]
    page = written(tmp_path / "report.html", told)
    assert "interrupted: 6 of 8 cases were not judged" in page
    assert len([name for name in Skeleton(page).data if name.startswith("case-")]) == 2


def test_a_target_that_cannot_be_reached_is_an_alert_and_no_matrix(tmp_path: Path) -> None:
    told: list[Event] = [replace(STARTED, cases=()), RunFinished((), 0.1, True, "it refuses the connection")]
    page = written(tmp_path / "report.html", told)
    assert '<p class="alert">it refuses the connection</p>' in page
    assert "<table" not in page


def test_no_event_at_all_still_gives_a_page(tmp_path: Path) -> None:
    assert "</html>" in written(tmp_path / "report.html", [])


def test_each_case_has_its_cell_and_its_finding(tmp_path: Path) -> None:
    page = Skeleton(written(tmp_path / "report.html", events()))
    assert page.data["about"]["cases"] == [result.case.id for result in RESULTS]
    for number, result in enumerate(RESULTS):
        told = page.data[f"case-{number}"]
        assert (told["case"], told["verdict"]) == (result.case.id, result.verdict.value)
        assert told["rerun"].startswith("seatrial run shop --check")
        assert told["clauses"][0]["links"][0].startswith("https://")


def test_several_targets_have_columns_of_their_own(tmp_path: Path) -> None:
    others = tuple(replace(result, case=replace(result.case, target="gate")) for result in RESULTS)
    results = (*RESULTS, *others)
    started = replace(STARTED, target="shop, gate", cases=tuple(result.case for result in results))
    page = written(tmp_path / "report.html", [started, RunFinished(results, 1.0)])
    assert [page.count(f"<small>{target}</small>") for target in ("shop", "gate")] == [2, 2]
    assert page.count('class="cell ') == len(results)


def test_what_a_baseline_accepts_is_told_with_who_why_and_until_when(tmp_path: Path) -> None:
    why = Acceptance("a <b>fix</b> is under way", "the shop", date(2030, 1, 31))
    problem = BaselineProblem("stale", "seatrial.baseline.toml:3", "nothing fails here any more")
    results = (replace(RESULTS[0], accepted=(why,)), *RESULTS[1:])
    page = written(tmp_path / "report.html", [STARTED, RunFinished(results, 1.0, baseline=(problem,))])
    assert page.count('class="cell FAIL accepted"') == 1
    assert "1 accepted by the baseline" in page
    assert '<p class="alert">seatrial.baseline.toml:3 nothing fails here any more</p>' in page
    assert Skeleton(page).data["case-0"]["accepted"] == ["by the shop until 2030-01-31: a <b>fix</b> is under way"]
