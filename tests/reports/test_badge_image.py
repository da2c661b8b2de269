"""The badge as a browser draws it where a page embeds it."""

from __future__ import annotations

from base64 import b64encode

import pytest
from seatrial.reports.badge import BadgeSvgReporter

from ..html.browser import browser
from .report_samples import events, report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e .[browser]")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not browser(), reason="there is no Chromium on this machine"),
]


def test_it_is_an_image_whose_words_stand_inside() -> None:
    image = report(BadgeSvgReporter, events())
    source = f"data:image/svg+xml;base64,{b64encode(image.encode()).decode()}"
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        page = running.new_page()
        page.set_content(f'<img src="{source}">')
        drawn = page.evaluate("async () => { const i = document.images[0]; await i.decode(); return i.naturalHeight }")
        assert drawn == 20
        page.set_content(image)
        boxes = page.evaluate(
            "[...document.querySelectorAll('rect, text')].map(e => [e.getBBox().x, e.getBBox().width])"
        )
        running.close()
    left, inner_left, right, inner_right = boxes
    for (x, width), (begin, length) in ((left, inner_left), (right, inner_right)):
        assert x < begin
        assert begin + length < x + width
