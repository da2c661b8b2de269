"""A report that is read back tells the same run."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from seatrial.events import Event
from seatrial.kept import ReportError, load
from seatrial.reports.json_report import JsonReporter
from seatrial.reports.junit import JunitReporter
from seatrial.reports.markdown import MarkdownReporter
from seatrial.reports.reporter import Reporter

from .report_samples import events


def written(reporter: Reporter, out: io.StringIO, told: list[Event]) -> str:
    for event in told:
        reporter.handle(event)
    reporter.close()
    return out.getvalue()


def kept(folder: Path) -> Path:
    out = io.StringIO()
    file = folder / "report.json"
    file.write_text(written(JsonReporter(out), out, events()), encoding="utf-8")
    return file


@pytest.mark.parametrize("kind", [JsonReporter, MarkdownReporter, JunitReporter])
def test_every_reporter_says_of_a_kept_run_what_it_said_of_the_run(kind: type[Reporter], tmp_path: Path) -> None:
    first, again = io.StringIO(), io.StringIO()
    found = load(kept(tmp_path))
    made: type[JsonReporter] = kind  # type: ignore[assignment]
    assert written(made(again), again, list(found.events())) == written(made(first), first, events())


def test_the_folder_of_a_run_is_as_good_as_its_report(tmp_path: Path) -> None:
    file = kept(tmp_path)
    assert load(tmp_path) == load(file)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not JSON"),
        ("[]", "is no report that Seatrial reads: $"),
        ('{"schema": "seatrial.report/9"}', "is no report that Seatrial reads"),
    ],
)
def test_what_is_no_report_is_refused_by_name(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ReportError, match=r"other\.json") as caught:
        load(file)
    assert told in str(caught.value)


def test_a_finding_without_a_verdict_is_named(tmp_path: Path) -> None:
    file = kept(tmp_path)
    report = json.loads(file.read_text(encoding="utf-8"))
    del report["findings"][2]["verdict"]
    file.write_text(json.dumps(report), encoding="utf-8")
    with pytest.raises(ReportError, match=r"\$\.findings\[2\].*verdict"):
        load(file)


def test_a_missing_report_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"report\.json cannot be read.*name a run's folder"):
        load(tmp_path)
