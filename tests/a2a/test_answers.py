"""What comes back over HTTP+JSON is one answer, whatever JSON value it is; over JSON-RPC an array is a batch."""

from __future__ import annotations

from seatrial import A2aLab, Level, Requirement, Role, Verdict, check, suite

from ..sailing import sail


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
