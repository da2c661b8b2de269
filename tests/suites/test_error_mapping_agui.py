"""What the kill matrix does not show: targets of which only some failures can be asked for, and wrong ones spared."""

from __future__ import annotations

from collections.abc import Iterable

from seatrial.fixtures.front import Front
from seatrial.fixtures.front.stimuli import STIMULI
from seatrial.fixtures.front.target import simulated
from seatrial.fixtures.mutants import find
from seatrial.fixtures.serving import Build
from seatrial.model import Reason, Result, Role, Verdict
from seatrial.stimuli import Stimulus
from seatrial.suites.error_mapping import suite

from ..sailing import voyage

IN_STREAM = "agui.err.failure-in-stream"
TERMINAL = "agui.err.run-error-terminal"


def judged(
    *checks: str, build: Build = Front, roles: Iterable[str] = tuple(STIMULI), version: str = "1.0", **more: Stimulus
) -> dict[str, Result]:
    """The results of these checks on a target whose owner has mapped only some roles."""
    target = simulated(build, version)
    target.stimuli = {**{role: STIMULI[role] for role in roles}, **more}
    return {result.case.check.id: result for result in voyage(target, [suite()], checks=checks)}


def test_a_tool_that_fails_is_failure_enough() -> None:
    roles = (Role.CHAT, Role.TOOL_FAILING)
    assert judged(IN_STREAM, roles=roles)[IN_STREAM].verdict is Verdict.PASS
    torn = find("fail.torn-without-error").build
    assert judged(IN_STREAM, build=torn, roles=(*roles, Role.BOOM))[IN_STREAM].verdict is Verdict.FAIL


def test_a_boom_of_fixed_words_is_played_once() -> None:
    boom = Stimulus(role=Role.BOOM, verb="prompt", name="boom 2")
    found = judged(IN_STREAM, build=find("fail.silent-end").build, roles=(Role.CHAT,), boom=boom)[IN_STREAM]
    assert (found.verdict, len(found.violations)) == (Verdict.FAIL, 1)


def test_a_boom_in_a_tool_that_the_agent_handles_is_no_failure_of_the_run() -> None:
    boom = Stimulus(role=Role.BOOM, verb="prompt", name="tool-failing x")
    found = judged(IN_STREAM, roles=(Role.CHAT,), boom=boom)[IN_STREAM]
    assert found.verdict is Verdict.PASS
    assert "handled" in found.notes[0].actual


def test_without_any_failure_to_ask_for_nothing_is_judged() -> None:
    found = judged(IN_STREAM, roles=(Role.CHAT,))[IN_STREAM]
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.NO_STIMULUS)


def test_a_run_that_finishes_after_its_error_is_found_by_its_boom_alone() -> None:
    roles = (Role.CHAT, Role.BOOM)
    build = find("fail.finished-after-error").build
    found = judged("agui.err.*", build=build, roles=roles, version="0.1")
    assert found[TERMINAL].verdict is Verdict.FAIL
    assert judged("agui.err.*", roles=roles, version="0.1")[TERMINAL].verdict is Verdict.PASS


def test_who_shows_no_interrupts_is_only_warned_for_ignoring_an_answer_to_one() -> None:
    check = "agui.err.interrupt-unknown-resume"
    build = find("fail.unknown-resume-ignored-early").build
    assert judged(check, build=build, version="0.1")[check].verdict is Verdict.FAIL
    assert judged(check, build=build, version="0.1", roles=(Role.CHAT,))[check].verdict is Verdict.WARN
