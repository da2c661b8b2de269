"""Parts of a check that run at once, and stimuli that nobody needs to measure."""

from __future__ import annotations

import anyio
from seatrial.labs import McpLab
from seatrial.model import Reason, Role, Verdict

from .declare import E, verdict_of


def test_what_stops_one_part_of_a_check_stops_the_case() -> None:
    async def part(lab: McpLab, number: int) -> None:
        if number == 2:
            lab.inconclusive(Reason.STIMULUS_FAILED, "part two could not be played")
        await anyio.sleep_forever()

    async def body(lab: McpLab) -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(part, lab, number)

    result = verdict_of(body)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.STIMULUS_FAILED)
    assert result.detail == "part two could not be played"


def test_a_stimulus_that_waits_for_the_client_is_planned_without_being_played() -> None:
    async def body(lab: McpLab) -> None:
        play = await lab.effects.plan(Role.ELICIT)
        assert play.lasts == 0.0
        lab.expect(None)

    assert verdict_of(body, version=E).verdict is Verdict.PASS
