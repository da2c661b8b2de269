"""A witness that only counts: runs are told apart by what has grown, against a run that nobody disturbed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

import anyio
import pytest
from seatrial import AguiLab, Level, Reason, Requirement, Result, Role, Sighting, Stimulus, Suite, dumps
from seatrial.engine import Options, run
from seatrial.fixtures.front import Endpoint, Front
from seatrial.fixtures.front.target import simulated
from seatrial.fixtures.serving import Connection, HttpRequest, HttpResponse
from seatrial.model import Verdict
from seatrial.registry import check, suite
from seatrial.witness import counters

from ..clock import virtual

NAMES = {"started": "model start", "finished": "model done", "cancelled": "model closed by client"}
Body = Callable[[AguiLab], Awaitable[None]]


class CountingEndpoint(Endpoint):
    """GET /live: how many runs asked the model, and what became of them."""

    def routes(self) -> Mapping[str, Any]:
        return {**super().routes(), "live": self.live}

    async def live(self, request: HttpRequest, connection: Connection) -> None:
        events = [event for story in self.server.ledger.events.values() for event in story]
        counts = {name: events.count(event) for name, event in NAMES.items()}
        active = counts["started"] - counts["finished"] - counts["cancelled"]
        await connection.respond(HttpResponse(200, dumps({"active": active, **counts})))


class CountingFront(Front):
    replaced: ClassVar[Mapping[type[Any], type[Any]]] = {Endpoint: CountingEndpoint}


def suite_of(*bodies: Body) -> Suite:
    rows = [Requirement(f"t.{n}", "t", "agui", Level.MUST, ("1.0",), ("sse",), "x#y", "") for n, _ in enumerate(bodies)]
    made = [
        check(row.id, "It holds", requirements=(row.id,), needs={Role.SLOW, Role.WITNESS})(body)
        for row, body in zip(rows, bodies, strict=True)
    ]
    return suite("t", made, rows)


async def sailed(*bodies: Body) -> tuple[Result, ...]:
    target = simulated(CountingFront)
    target.stimuli = {**target.stimuli, Role.WITNESS: Stimulus(role=Role.WITNESS, verb="get", name="/live")}
    return await run(target, [suite_of(*bodies)], Options(), lambda event: None)


async def sighted(lab: AguiLab, *, leaving: bool) -> Sighting:
    """What a slow run left behind; `leaving`: we go away from it once it speaks."""
    control = await lab.effects.control(Role.SLOW, seconds=4.0)
    play = await lab.effects.plan(Role.SLOW, seconds=4.0)
    async with lab.session() as session:
        before, begun = await lab.effects.baseline(play, session), anyio.current_time()
        run = await session.play(play)
        await run.first("TEXT_MESSAGE_CONTENT")
        if leaving:
            await run.leave()
        else:
            await run.conclude(30)
        sighting = await lab.effects.sight(play, control, session, before, begun)
    lab.expect(None)
    return sighting


@pytest.mark.parametrize(("leaving", "seen"), [(False, ("finished", "started")), (True, ("cancelled", "started"))])
def test_a_run_that_was_left_is_told_from_one_that_finished(leaving: bool, seen: tuple[str, ...]) -> None:
    found: list[Sighting] = []

    async def looks(lab: AguiLab) -> None:
        found.append(await sighted(lab, leaving=leaving))

    @virtual
    async def test() -> None:
        (result,) = await sailed(looks)
        assert result.verdict is Verdict.PASS, result.traceback or result.detail
        (sighting,) = found
        assert (sighting.seen, sighting.began, sighting.finished) == (seen, True, not leaving)

    test()


@virtual
async def test_cases_that_share_a_witness_without_a_key_do_not_run_together() -> None:
    """Each of them counts its own run only, although all are of one column."""
    found: list[Sighting] = []

    async def finishes(lab: AguiLab) -> None:
        found.append(await sighted(lab, leaving=False))

    async def leaves(lab: AguiLab) -> None:
        found.append(await sighted(lab, leaving=True))

    results = await sailed(finishes, leaves, finishes, leaves)
    assert {result.verdict for result in results} == {Verdict.PASS}
    assert sorted(sighting.seen for sighting in found) == [("cancelled", "started")] * 2 + [("finished", "started")] * 2


@virtual
async def test_a_witness_that_cannot_be_read_makes_the_case_inconclusive() -> None:
    target = simulated()
    target.stimuli = {**target.stimuli, Role.WITNESS: Stimulus(role=Role.WITNESS, verb="get", name="/nowhere")}

    async def looks(lab: AguiLab) -> None:
        await sighted(lab, leaving=True)

    (result,) = await run(target, [suite_of(looks)], Options(), lambda event: None)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.STIMULUS_FAILED)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ('{"active": 1, "finished": 2}', {"active": 1, "finished": 2}),
        ('{"requests": [], "finished": 2}', {"finished": 2}),
        ('{"ticks": 3, "events": ["start"]}', None),
        ('{"finished": true}', None),
        ('["start", "end"]', None),
        ("finished 2", None),
        ("{}", None),
    ],
)
def test_counts_are_read_where_a_witness_only_counts(text: str, counts: dict[str, int] | None) -> None:
    assert counters(text) == counts
