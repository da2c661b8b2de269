"""A plan that changes while it is at work."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from seatrial.faults import FaultError, Mount, cut, latency, sigkill
from seatrial.faults.profile import Profile, read_file, read_profile
from seatrial.gateway import Event, Logged, NotRearmed, Reading, Rearmed, mounted

from tests.clock import virtual


class Arming:
    """Takes what has a place in HTTP."""

    def __init__(self) -> None:
        self.plans: list[Profile] = []
        self.told: list[Event] = []

    def arm(self, profile: Profile) -> None:
        mounted(profile, "http")
        self.plans.append(profile)

    def reading(self, profile: Profile) -> Reading:
        return Reading(profile, self.arm, Logged(self.told.append))


def test_a_typed_plan_is_armed_again() -> None:
    arming = Arming()
    arming.reading(read_profile("cut()")).again()
    assert [profile.plan for profile in arming.plans] == [(cut(),)]
    assert arming.told == [Rearmed(("cut()",))]


@pytest.mark.parametrize(("content", "why"), [("cot()", "line 1: unknown fault"), ("sigkill()", "has no place")])
def test_what_cannot_be_is_told_and_the_old_plan_stays(tmp_path: Path, content: str, why: str) -> None:
    file, arming = tmp_path / "plan.txt", Arming()
    file.write_text("cut()")
    reading = arming.reading(read_file(file))
    file.write_text(content)
    reading.again()
    assert (arming.plans, reading.profile.plan) == ([], (cut(),))
    (told,) = arming.told
    assert isinstance(told, NotRearmed)
    assert why in told.why


@virtual
async def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file, arming = tmp_path / "plan.txt", Arming()
    file.write_text("cut()")
    reading = arming.reading(read_file(file))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reading.watch)
        await anyio.sleep(60)
        assert arming.plans == []
        file.write_text("latency(seconds=2)")
        await anyio.sleep(1)
        assert [profile.plan for profile in arming.plans] == [(latency(seconds=2.0),)]
        file.unlink()
        await anyio.sleep(60)
        assert [type(event) for event in arming.told] == [Rearmed, NotRearmed]
        file.write_text("cut()")
        await anyio.sleep(1)
        assert arming.plans[-1].plan == (cut(),)
        tasks.cancel_scope.cancel()


def test_benign_faults_without_a_place_are_left_out() -> None:
    for binding, mount in (("http", Mount.RELAY), ("stdio", Mount.PIPE)):
        placed = mounted(read_profile("benign"), binding)
        assert placed
        assert all(mount in fault.mounts or Mount.LINK in fault.mounts for fault in placed)
    with pytest.raises(FaultError):
        mounted(Profile("mine", (sigkill(),)), "http")
