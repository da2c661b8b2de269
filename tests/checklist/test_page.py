"""What the page about the checklist shows is so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from seatrial.checklist.answers import RESOLVED, Standing
from seatrial.checklist.lines import lines
from seatrial.checklist.signatures import load, write
from seatrial.reports.checklist import MARKS

from ..docs.pages import ROOT, blocks, commands, rows

PAGE = ROOT / "docs" / "checklist.md"


def test_the_signature_of_the_page_is_what_signing_writes(tmp_path: Path) -> None:
    (shown,) = blocks(PAGE, "ini")
    file, again = tmp_path / "shown.toml", tmp_path / "again.toml"
    file.write_text(shown, "utf-8")
    (signature,) = load(file)
    write(again, replace(signature, place=""))
    assert again.read_text("utf-8").endswith(f"\n\n{shown}")
    assert signature.line in lines()


def test_every_line_that_the_page_signs_exists() -> None:
    signed = {words[3] for words in commands(PAGE) if words[1:3] == ["checklist", "sign"]}
    assert signed and signed <= set(lines())


def test_the_marks_of_the_page_are_those_of_the_list() -> None:
    told = {mark: resolved for mark, _, resolved in rows(PAGE, "mark")}
    assert told == {MARKS[state]: "yes" if state in RESOLVED else "no" for state in Standing}
