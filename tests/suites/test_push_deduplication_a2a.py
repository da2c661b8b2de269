"""An agent that calls nobody on its own machine is not failed for that: its refusal is an outcome of its own."""

from __future__ import annotations

from urllib.parse import SplitResult

import seatrial.suites.push_deduplication as suite
from seatrial.fixtures.agent import Guard
from seatrial.fixtures.mutants import build_of
from seatrial.model import Reason, Verdict

from ..sailing import sail


class NoLoopback(Guard):
    def may_call(self, split: SplitResult) -> bool:
        return False


def test_the_refusal_of_loopback_webhooks_is_never_a_failure() -> None:
    results = sail(build_of(NoLoopback), [suite.suite()], protocol="a2a", checks=["a2a.push.*"])
    assert [(r.case.id, r.violations, r.traceback) for r in results if r.verdict in (Verdict.FAIL, Verdict.ERROR)] == []
    told = [r for r in results if r.case.check.id == "a2a.push.at-least-once"]
    assert {(r.verdict, r.reason) for r in told} == {(Verdict.INCONCLUSIVE, Reason.WEBHOOK_REFUSED)}
    assert all(r.records for r in told), "the refusal is shown"
