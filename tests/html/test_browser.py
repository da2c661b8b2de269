"""The HTML report in a real Chromium: the eye is replaced by axe-core, the hand by the keyboard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..reports.report_samples import events
from .browser import axe, browser
from .sample_run import HOSTILE, evidence_file, hostile_page, written

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not browser(), reason="there is no Chromium on this machine"),
]

Page = Any
OPENED = "dialog[open]"
CELLS = ".cell:visible"
SKELETON = """() => {
    const walk = (e) => [e.tagName, [...e.attributes].map((a) => a.name).sort(), [...e.children].map(walk)];
    return JSON.stringify(walk(document.documentElement));
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Page]:
    """A page that fails its test when the console tells of an error, a script fails, or a dialog opens."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    troubles: list[str] = []
    opened = context.new_page()
    opened.set_default_timeout(5_000)
    opened.on("console", lambda told: troubles.append(told.text) if told.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
    yield opened
    context.close()
    assert troubles == []


@pytest.fixture
def report(page: Page, tmp_path: Path) -> Page:
    """The run of the reporters' tests, opened."""
    file = tmp_path / "report.html"
    written(file, events())
    page.goto(file.as_uri())
    return page


def shown(page: Page) -> list[str]:
    """The checks that are visible, from top to bottom."""
    return [str(name) for name in page.locator("tr[data-check]:visible .check").all_inner_texts()]


def opened(page: Page) -> str:
    """Check and column of the finding that is open, "" where none is."""
    if not page.locator(OPENED).count():
        return ""
    words = f"{page.locator('#finding-title').inner_text()} {page.locator('dialog .place').inner_text()}"
    return " ".join(words.split())


def test_the_matrix_is_filtered_by_text_suite_level_verdict_and_version(report: Page) -> None:
    everything = shown(report)
    assert len(everything) == 4
    report.get_by_role("searchbox").fill("no-late")
    assert shown(report) == ["mcp.can.no-late-response"]
    report.get_by_role("button", name="Clear").click()
    assert shown(report) == everything
    report.get_by_label("Suite").select_option("version_compatibility")
    assert shown(report) == ["mcp.ver.echo", "mcp.ver.noted"]
    report.get_by_label("Level").select_option("INFO")
    assert shown(report) == ["mcp.ver.noted"]
    report.get_by_role("button", name="Clear").click()
    report.locator("[data-verdict=FAIL]").click()
    assert shown(report) == ["mcp.can.stops-work"]
    report.locator("[data-verdict=WARN]").click()
    assert shown(report) == ["mcp.can.stops-work", "mcp.can.no-late-response"]
    report.get_by_label("Version").select_option("2026-07-28")
    assert shown(report) == ["mcp.can.stops-work"]
    assert report.locator("thead th:visible").all_inner_texts()[2].split() == ["2026-07-28", "http"]
    report.get_by_role("searchbox").fill("nothing is called so")
    assert report.get_by_text("No check matches these filters.").is_visible()
    assert report.locator("#shown").inner_text() == "0 of 4 checks"


def test_the_rows_of_a_suite_are_sorted_up_down_and_back(report: Page) -> None:
    begin = shown(report)
    sort = report.locator(".sort").first
    sort.click()
    assert shown(report) == [*sorted(begin[:2]), *sorted(begin[2:])]
    assert report.locator("thead th").first.get_attribute("aria-sort") == "ascending"
    sort.click()
    assert shown(report) == [*sorted(begin[:2], reverse=True), *sorted(begin[2:], reverse=True)]
    sort.click()
    assert shown(report) == begin
    report.locator(".sort").nth(3).click()
    assert shown(report) == [begin[0], begin[1], begin[2], begin[3]]
    report.locator(".sort").nth(3).click()
    assert shown(report) == [begin[1], begin[0], begin[3], begin[2]]


def test_the_whole_report_can_be_used_by_the_keyboard(report: Page) -> None:
    report.locator(".sort").last.focus()
    report.keyboard.press("Tab")
    assert report.evaluate("document.activeElement.dataset.case") == "0"
    for key, case in (("ArrowRight", "1"), ("ArrowDown", "3"), ("ArrowLeft", "2"), ("End", "7"), ("Home", "0")):
        report.keyboard.press(key)
        assert report.evaluate("document.activeElement.dataset.case") == case
    report.keyboard.press("ArrowUp")
    assert report.evaluate("document.activeElement.dataset.case") == "0"
    report.keyboard.press("Enter")
    assert opened(report) == "mcp.can.stops-work shop 2025-06-18,stdio,none"
    report.keyboard.press("ArrowRight")
    assert opened(report) == "mcp.can.stops-work shop 2026-07-28,streamable-http,none"
    report.keyboard.press("ArrowRight")
    assert opened(report) == "mcp.can.no-late-response shop 2025-06-18,stdio,none"
    report.keyboard.press("Escape")
    assert opened(report) == ""
    # A dialog tells of its end in a task of its own, and only then gives the focus back.
    report.wait_for_function("document.activeElement.dataset.case === '2'")
    report.keyboard.press("Shift+Tab")
    assert report.evaluate("document.activeElement.className") == "sort"


def test_a_finding_tells_clause_expectation_actual_and_how_to_repeat_it(report: Page) -> None:
    report.locator(CELLS).first.click()
    told = report.locator(OPENED).inner_text()
    for text in ("MUST", "The clause of mcp.can.stops-work holds.", "work stops", "work went on: a\\x1b[31mred"):
        assert text in told
    assert "seatrial run shop --check mcp.can.stops-work" in told
    link = report.get_by_role("link", name="Read the clause")
    assert str(link.get_attribute("href")).startswith("https://modelcontextprotocol.io/specification/2025-06-18/")
    report.get_by_role("button", name="Close").click()
    report.get_by_text("no stimulus plays slow").click()
    report.locator(".reasons .link:visible").first.click()
    assert "Add to the configuration".upper() in report.locator(OPENED).inner_text().upper()


def test_the_address_names_the_finding_that_is_open(report: Page) -> None:
    report.locator(CELLS).nth(4).click()
    address = report.url
    report.keyboard.press("Escape")
    report.wait_for_function("!location.hash")
    report.goto("about:blank")
    report.goto(address)
    assert opened(report) == "mcp.ver.echo shop 2025-06-18,stdio,none"


def test_the_command_can_be_copied(report: Page) -> None:
    report.context.grant_permissions(["clipboard-read", "clipboard-write"])
    report.locator(CELLS).first.click()
    report.get_by_role("button", name="Copy").first.click()
    report.get_by_role("button", name="Copied").wait_for()
    assert str(report.evaluate("navigator.clipboard.readText()")).startswith("seatrial run shop --check")


def test_a_timeline_has_a_step_for_each_record_and_shows_bodies_on_demand(page: Page, tmp_path: Path) -> None:
    page.goto(hostile_page(tmp_path, "said").as_uri())
    page.locator(CELLS).first.click()
    assert page.locator(".lanes span").all_inner_texts() == ["harness", "relay", "target", "receiver", "witness"]
    records = len(evidence_file(tmp_path, "said").read_text("utf-8").splitlines())
    # One exchange of the sample never ends.
    assert page.locator(".step").count() == records + 1
    assert page.locator(".step.cited").count() == 3
    received = page.locator(".step.message").nth(1)
    assert not received.locator(".body").is_visible()
    received.locator("summary").click()
    assert received.locator(".body").inner_text().splitlines()[1] == ' "result": {'


def test_the_theme_can_be_chosen_and_is_kept(report: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = report.evaluate(ground)
    button = report.locator("#theme")
    button.click()
    button.click()
    assert button.inner_text() == "Theme: dark"
    dark = report.evaluate(ground)
    assert dark != light
    report.reload()
    assert report.evaluate(ground) == dark


@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_a_target_says_changes_nothing_but_text(page: Page, tmp_path: Path, said: str) -> None:
    found = []
    for text in ("harmless", said):
        page.goto(hostile_page(tmp_path, text).as_uri())
        found.append(everything_opened(page))
    assert found[0] == found[1]


def test_names_of_a_megabyte_change_nothing_but_text(page: Page, tmp_path: Path) -> None:
    found = []
    for text in ("n" * 2**20, "<b>\u202e\x1b" * 2**18):
        page.goto(hostile_page(tmp_path, text).as_uri())
        found.append(everything_opened(page))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert found[0] == found[1]


def everything_opened(page: Page) -> Any:
    """The elements of the page and of each of its findings, all their details open."""
    found = []
    for number in range(page.locator(".cell").count()):
        page.locator(".cell").nth(number).evaluate("cell => cell.click()")
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        found.append(json.loads(page.evaluate(SKELETON)))
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_serious(page: Page, tmp_path: Path, scheme: str, width: int) -> None:
    source, missing = axe()
    if missing:
        pytest.skip(missing)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(hostile_page(tmp_path, "said").as_uri())
    page.evaluate(source)
    assert serious(page) == []
    for number in (0, 2, 3, 5, 7):
        page.locator(".cell").nth(number).evaluate("cell => cell.click()")
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert serious(page) == []


def serious(page: Page) -> list[str]:
    """What axe-core finds serious or critical: rule and element."""
    result = page.evaluate("axe.run()")
    grave = [found for found in result["violations"] if found["impact"] in ("serious", "critical")]
    return [f"{found['id']}: {node['html'][:120]}" for found in grave for node in found["nodes"]]
