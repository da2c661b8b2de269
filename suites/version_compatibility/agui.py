"""AG-UI: versions that a client declares, and what a server makes of inputs from another time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial import AguiLab, Answer, Outcome, Reason, Refusal, Role, Run, Violation, check, expect

from ..inputs import CONFIRM, MARKER, asked, end, handled, playable, refused, served, shown, told

NEWER = ("1.1", "1.10", "1.99")
UNREADABLE = ("banana", "", "1", "1.0.0-rc.1")
OF_A_WRONG_TYPE: tuple[Any, ...] = (1.0, True, ["1.0"], {"major": 1})


@check(
    "agui.ver.not-echo",
    "The version on RUN_STARTED is the server's own, whatever the client declares",
    needs={Role.CHAT},
    mutants=("ver.version-echoed",),
)
async def declared_version_is_no_echo(lab: AguiLab) -> None:
    """Three versions that nobody speaks yet; each run must declare what it declares without them."""
    async with lab.session() as session:
        own = _declared(await shown(lab, session, Role.CHAT))
        for version in ("1.9", "1.31"):
            run = await shown(lab, session, Role.CHAT, version=version)
            if run.started is None:
                lab.inconclusive(Reason.STIMULUS_FAILED, f"no run was started for version {version}", run.sent)
            actual = _declared(run)
            expected = f"protocolVersion {own!r}, as without a newer client"
            lab.expect(expect.that(actual == own, expected, f"{actual!r}", run.sent, run.started.record))


def _declared(run: Run) -> Any:
    return run.started.payload.get("protocolVersion") if run.started else None


@check(
    "agui.ver.newer-minor-served",
    "A client of a newer minor version is served",
    needs={Role.CHAT},
    faults=("version_skew",),
    mutants=("ver.newer-minor-refused", "ver.minor-of-two-digits-refused"),
)
async def newer_minor_is_served(lab: AguiLab) -> None:
    """1.1, 1.10 and 1.99: the version is two numbers, no decimal fraction and no text."""
    async with lab.session() as session:
        for version in NEWER:
            outcome = await asked(lab, session, version=version)
            lab.expect(served(outcome, f"a client of {version}"))


@check(
    "agui.ver.unknown-major",
    "A client of an unknown major version is refused before the run starts, or served",
    needs={Role.CHAT},
    faults=("version_skew",),
    mutants=("ver.unknown-major-500", "ver.unknown-major-in-stream"),
)
async def unknown_major_is_refused_at_once(lab: AguiLab) -> None:
    """2.0, 2.1 and 10.0. What must not be is a run that starts and then fails for its version."""
    async with lab.session() as session:
        for version in ("2.0", "2.1", "10.0"):
            lab.expect(_refused_or_served(await asked(lab, session, version=version), version))


def _refused_or_served(outcome: Outcome, version: str) -> Violation | None:
    return None if isinstance(outcome, Answer) else refused(outcome, f"a client of {version} that is not served")


@check(
    "agui.ver.uninterpretable",
    "A version that cannot be read is treated like a newer one: the client is served",
    needs={Role.CHAT},
    mutants=("ver.unreadable-refused",),
)
async def unreadable_version_is_served(lab: AguiLab) -> None:
    """A word, nothing at all, one number, and three with a tail."""
    async with lab.session() as session:
        for version in UNREADABLE:
            outcome = await asked(lab, session, version=version)
            lab.expect(served(outcome, f"a client of version {version!r}"))


@check(
    "agui.ver.wrong-type-version",
    "A version of the wrong JSON type is refused like any malformed field",
    needs={Role.CHAT},
    mutants=("ver.odd-version-ignored", "ver.odd-version-500"),
)
async def version_of_a_wrong_type_is_refused(lab: AguiLab) -> None:
    """A number, a boolean, an array and an object."""
    async with lab.session() as session:
        for version in OF_A_WRONG_TYPE:
            outcome = await asked(lab, session, version=version)
            lab.expect(refused(outcome, f"protocolVersion {version!r}"))


@check(
    "agui.ver.absent-version-served",
    "A client that declares no version is served, whatever it asks for",
    needs={Role.CHAT},
    mutants=("ver.version-demanded",),
)
async def client_without_a_version_is_served(lab: AguiLab) -> None:
    """One run of each role that the target can play, none with protocolVersion."""
    async with lab.session() as session:
        for role in playable(lab):
            run = await shown(lab, session, role, version=None)
            lab.expect(served(await end(lab, run), f"a run of {role.value} without a version"))


@check(
    "agui.ver.0x-full-input",
    "An input with every field of 0.x is served",
    needs={Role.CHAT},
    mutants=("ver.parent-run-refused",),
)
async def full_input_of_0x_is_served(lab: AguiLab) -> None:
    """All eight fields have a value, parentRunId among them; the version did not exist."""
    full: Mapping[str, Any] = {
        "state": {"count": 1},
        "tools": [CONFIRM],
        "context": [{"description": "where the user is", "value": "at sea"}],
        "forwarded": {"theme": "dark"},
        "extra": {"parentRunId": "an-earlier-run"},
    }
    async with lab.session() as session:
        lab.expect(served(await asked(lab, session, **full), "an input with all fields of 0.x"))


UNKNOWN: Mapping[str, Mapping[str, Any]] = {
    "an unknown field of the input": {"extra": {"colour": "blue", "priority": {"level": 3}}},
    "an unknown field of a message": {
        "messages": [{"id": "m-1", "role": "user", "content": "Good morning.", "mood": ["calm"]}]
    },
    "an unknown field of a tool": {"tools": [{**CONFIRM, "cost": 5}]},
    "an unknown field of a context entry": {"context": [{"description": "place", "value": "at sea", "unit": "nm"}]},
}
"""What is unknown, and the wishes of a run that has it."""


@check(
    "agui.ver.unknown-input-field",
    "Unknown fields of an input are ignored",
    needs={Role.CHAT},
    faults=("malform",),
    mutants=("ver.unknown-field-refused", "ver.unknown-message-field-refused"),
)
async def unknown_fields_are_ignored(lab: AguiLab) -> None:
    """At the top, in a message, in a tool and in a context entry."""
    async with lab.session() as session:
        for what, wishes in UNKNOWN.items():
            lab.expect(served(await asked(lab, session, **wishes), f"an input with {what}"))


@check(
    "agui.ver.unknown-input-union-member",
    "A role or content part that the server does not know is dropped, and the input is served",
    needs={Role.CHAT},
    mutants=("ver.unknown-role-refused", "ver.unknown-part-refused"),
)
async def unknown_union_members_are_dropped(lab: AguiLab) -> None:
    """A message of the role wizard before that of the user, then a hologram beside the user's text."""
    wizard = {"id": "w-1", "role": "wizard", "content": "Abracadabra.", "wand": {"length": 30}}
    hologram = {"type": "hologram", "source": {"kind": "beam", "value": MARKER}}
    async with lab.session() as session:
        outcome = await asked(lab, session, messages=[wizard])
        lab.expect(served(outcome, "an input with a message of an unknown role"))
        lab.expect(served(await told(lab, session, hologram), "an input with a content part of an unknown type"))


@check(
    "agui.ver.legacy-binary-part",
    "The retired binary content part is refused or skipped",
    needs={Role.CHAT},
    mutants=("ver.binary-part-500",),
)
async def retired_part_does_no_harm(lab: AguiLab) -> None:
    """A part of type binary with its data inline, and one with a URL. Recorded is what becomes of it."""
    inline = {"type": "binary", "mimeType": "image/png", "data": "iVBORw0KGgo="}
    linked = {"type": "binary", "mimeType": "image/png", "url": "https://pictures.invalid/one.png"}
    async with lab.session() as session:
        for part in (inline, linked):
            outcome = await told(lab, session, part)
            lab.expect(handled(outcome, "an input with the retired binary part"))
            if isinstance(outcome, Refusal):
                lab.note("the retired binary part is refused", outcome)
        await lab.survives(session)
