"""What the kill matrix does not show: a server that speaks protobuf too, and what a target lacks."""

from __future__ import annotations

import re

import pytest
from seatrial.fixtures.front import Endpoint, Front
from seatrial.fixtures.front.stimuli import STIMULI
from seatrial.fixtures.front.target import simulated
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.serving import Build, Connection, HttpRequest, HttpResponse
from seatrial.model import Reason, Result, Role, Verdict
from seatrial.stimuli import Stimulus
from seatrial.suites.capability_negotiation import suite
from seatrial.suites.capability_negotiation.agui import PROTOBUF

from ..sailing import voyage

EXCLUDED = re.compile(r";q=0(\.0)?(,|$)")
FRAMES = b"\0\0\0\x02\x08\x01" + b"\0\0\0\0"


class Binary(Endpoint):
    """Answers whoever admits protobuf with frames."""

    body = FRAMES

    async def run(self, request: HttpRequest, connection: Connection) -> None:
        accept = request.get("accept") or "*/*"
        if accept == "*/*" or (PROTOBUF in accept and not EXCLUDED.search(accept)):
            await connection.respond(HttpResponse(200, self.body, {"Content-Type": PROTOBUF}))
        else:
            await super().run(request, connection)


class Truncated(Binary):
    body = FRAMES[:-1]


def judged(check: str, build: Build = Front, *, declares: bool = True, **stimuli: Stimulus) -> Result:
    target = simulated(build)
    target.stimuli = {**STIMULI, **stimuli}
    target.capabilities_url = target.capabilities_url if declares else ""
    (result,) = voyage(target, [suite()], checks=[check])
    return result


@pytest.mark.parametrize(
    "check",
    [
        "agui.cap.content-type-truthful",
        "agui.cap.sse-when-proto-not-admitted",
        "agui.cap.proto-only-accept-still-served",
        "agui.cap.wildcard-accept",
    ],
)
def test_a_server_with_the_binary_binding_is_right_to_use_it(check: str) -> None:
    found = judged(check, build_of(Binary))
    assert found.verdict is Verdict.PASS
    assert not [note for note in found.notes if note.requirement]


def test_frames_that_do_not_fill_the_body_are_found() -> None:
    assert judged("agui.cap.content-type-truthful", build_of(Truncated)).verdict is Verdict.FAIL


def test_a_binary_binding_that_is_denied_and_used_is_found() -> None:
    assert judged("agui.cap.false-flag-honest", build_of(Binary)).verdict is Verdict.WARN


@pytest.mark.parametrize(
    "name", ["declared-shape", "declared-holds", "false-flag-honest", "resumable-flag-not-standard"]
)
def test_a_server_that_declares_nothing_is_not_judged_by_it(name: str) -> None:
    found = judged(f"agui.cap.{name}", declares=False)
    assert (found.verdict, found.reason) == (Verdict.NOT_APPLICABLE, Reason.FEATURE_ABSENT)
    assert found.records


def test_a_stimulus_that_calls_another_tool_judges_nobody() -> None:
    front = Stimulus(role=Role.FRONT, verb="prompt", name="interrupt 1 x")
    found = judged("agui.cap.frontend-tool-called-when-offered", front=front)
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, Reason.STIMULUS_FAILED)
