"""What comes back over HTTP+JSON is one answer, whatever JSON value it is; over JSON-RPC an array is a batch."""

from __future__ import annotations

import pytest
from seatrial import A2aLab, Level, Requirement, Role, Verdict, check, suite
from seatrial.fixtures.agent import target as agent_target
from seatrial.fixtures.agent.variants import VARIANTS
from seatrial.protocols.a2a.settling import code_of, error_of

from ..sailing import sail, voyage

UNCONFIGURED = agent_target.simulated(VARIANTS["unconfigured"])


async def lists_two_configs(lab: A2aLab) -> None:
    async with lab.session() as session:
        echo = lab.need(await session.perform(await lab.effects.plan(Role.ECHO)))
        task = echo.members.get("task", echo.members)["id"]
        for name in ("one", "two"):
            config = session.push_config("http://127.0.0.1:9/hook", id=name)
            lab.need(await session.create_push(task, config))
        found = lab.need(await session.list_push(task)).result
        assert [entry["pushNotificationConfig"]["id"] for entry in found] == ["one", "two"]
        lab.expect(None)


def test_a_list_over_http_json_is_one_answer() -> None:
    row = Requirement("t.one", "t", "a2a", Level.MUST, ("0.3",), ("HTTP+JSON",), "0.3: 7.7", "It holds.")
    made = check("t.one", "It holds", requirements=["t.one"])(lists_two_configs)
    (result,) = sail(None, [suite("t", [made], [row])], protocol="a2a", versions=("0.3",), bindings=("HTTP+JSON",))
    assert result.verdict is Verdict.PASS, (result.detail, result.traceback)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"code": 400, "details": [{"reason": "EXTENDED_AGENT_CARD_NOT_CONFIGURED"}]}}, -32007),
        ({"error": {"code": 404, "status": "INVALID_ARGUMENT"}}, -32602),
        ({"error": {"code": -32007, "message": "none"}}, -32007),
        ({"code": -32007, "message": "none"}, -32007),
        ({"code": 400, "message": "none"}, None),
        ({"code": "-32007"}, None),
        ([], None),
    ],
)
def test_an_error_over_http_json_has_the_code_that_it_tells(body: object, code: int | None) -> None:
    assert code_of(error_of(body)) == code


def test_an_agent_without_the_extended_card_that_it_declares_is_not_held_to_it() -> None:
    results = voyage(UNCONFIGURED, checks=("a2a.cap.extcard-flag-true",))
    assert {result.verdict for result in results} == {Verdict.NOT_APPLICABLE}
