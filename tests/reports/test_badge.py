"""The badge: a figure only for a run that judged everything, and an image that is safe to embed."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from seatrial.events import Event, RunFinished
from seatrial.model import Result
from seatrial.reports.badge import BadgeJsonReporter, BadgeSvgReporter

from .report_samples import RESULTS, STARTED, events, report

FAILED, WARNED, UNJUDGED, PASSED, IN_ERROR, ABSENT = (RESULTS[number] for number in (0, 2, 3, 4, 5, 7))
UNREACHABLE: list[Event] = [STARTED, RunFinished((), 0.1, True, "refused")]
SVG = "{http://www.w3.org/2000/svg}"


def finished(*results: Result) -> list[Event]:
    return [STARTED, RunFinished(results, 1.0)]


@pytest.mark.parametrize(
    ("of", "message", "is_error"),
    [
        (finished(PASSED, ABSENT), "1/1 passed", False),
        (finished(PASSED, WARNED), "1/2 passed", False),
        (finished(PASSED, UNJUDGED), "1/2 passed", False),
        (finished(PASSED, FAILED, IN_ERROR), "1 failed, 1/3 passed", False),
        (finished(PASSED, IN_ERROR), "1 in error, 1/2 passed", False),
        (finished(ABSENT), "nothing applies", False),
        (events()[:6], "incomplete", True),
        (UNREACHABLE, "unreachable", True),
        ([], "incomplete", True),
    ],
)
def test_the_message(of: list[Event], message: str, is_error: bool) -> None:
    told = json.loads(report(BadgeJsonReporter, of))
    assert (told["schemaVersion"], told["label"], told["message"]) == (1, "seatrial", message)
    assert told.get("isError", False) is is_error
    assert ElementTree.fromstring(report(BadgeSvgReporter, of)).findtext(f"{SVG}title") == f"seatrial: {message}"


def test_only_a_run_in_which_all_held_is_green() -> None:
    def color(*results: Result) -> str:
        return str(json.loads(report(BadgeJsonReporter, finished(*results)))["color"])

    others = {color(PASSED, other) for other in (WARNED, UNJUDGED, FAILED, IN_ERROR)} | {color()}
    assert color(PASSED) not in others


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("result", [PASSED, WARNED, UNJUDGED, FAILED, IN_ERROR, ABSENT])
def test_the_image_can_be_read_and_reaches_nothing(result: Result) -> None:
    image = ElementTree.fromstring(report(BadgeSvgReporter, finished(result)))
    assert image.get("role") == "img"
    assert image.get("aria-label") == image.findtext(f"{SVG}title")
    assert {element.tag.removeprefix(SVG) for element in image.iter()} == {"svg", "title", "rect", "text"}
    for part in image.iter(f"{SVG}rect"):
        assert 1.05 / (luminance(part.attrib["fill"]) + 0.05) >= 4.5


def test_the_parts_of_the_image_stand_side_by_side() -> None:
    image = ElementTree.fromstring(report(BadgeSvgReporter, finished(FAILED)))
    left, right = image.iter(f"{SVG}rect")
    assert float(right.attrib["x"]) == float(left.attrib["width"])
    assert float(image.attrib["width"]) == float(left.attrib["width"]) + float(right.attrib["width"])
    for box, text in zip((left, right), image.iter(f"{SVG}text"), strict=True):
        begin, width = float(text.attrib["x"]), float(text.attrib["textLength"])
        assert float(box.attrib["x"]) < begin
        assert begin + width < float(box.attrib["x"]) + float(box.attrib["width"])
