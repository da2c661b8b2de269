"""How many cases run at once, and those that mostly wait."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from seatrial.labs import McpLab
from seatrial.model import Check, Suite
from seatrial.registry import check, suite

from ..sailing import sail
from .declare import HTTP, D, row


class Busy:
    """Checks that take ten seconds each. `peak`: how many ran at once; `begun`: when each of them began."""

    def __init__(self) -> None:
        self.peak, self.running = 0, 0
        self.begun: dict[str, float] = {}

    def check(self, ident: str, *, patience: float) -> Check:
        return check(ident, "It takes its time", patience=patience)(self._body(ident))

    def _body(self, ident: str) -> Callable[[McpLab], object]:
        async def body(lab: McpLab) -> None:
            self.begun[ident] = anyio.current_time()
            self.running += 1
            self.peak = max(self.peak, self.running)
            await anyio.sleep(10)
            self.running -= 1
            lab.expect(None)

        return body

    def sail(self, concurrency: int) -> None:
        waiting = [self.check(f"t.wait-{number}", patience=1.0 + number) for number in range(7)]
        acting = [self.check(f"t.act-{number}", patience=0.0) for number in range(3)]
        made = suite("t", [*waiting, *acting], [row(each.id) for each in (*waiting, *acting)])
        _sailed(made, concurrency)


def _sailed(made: Suite, concurrency: int) -> None:
    sail(None, [made], versions=(D,), bindings=(HTTP,), concurrency=concurrency)


def test_cases_that_mostly_wait_hold_up_nobody() -> None:
    busy = Busy()
    busy.sail(2)
    first = min(busy.begun.values())
    at_once = {ident for ident, begun in busy.begun.items() if begun < first + 5}
    patient = {f"t.wait-{number}" for number in range(1, 7)}
    assert at_once == {*patient, "t.act-0", "t.act-1"}, "the shortest of seven waits for one of six places"
    assert busy.peak == 8


def test_where_one_case_runs_at_a_time_they_take_their_turn_with_the_others() -> None:
    busy = Busy()
    busy.sail(1)
    assert busy.peak == 1
    assert len(busy.begun) == 10
