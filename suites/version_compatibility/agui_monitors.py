"""AG-UI: what every event of a run owes to the version that it is sent in."""

from __future__ import annotations

from seatrial import AguiLab, Reason, Role, check, expect
from seatrial.judge.agui import Rule

from ..grammar import Law, monitors
from ..inputs import shown

OF_VERSIONS = monitors(
    Law(
        Rule.DECLARES_OWN,
        "The server declares its protocol version on RUN_STARTED",
        "The RUN_STARTED of every requested run has a protocolVersion of two numbers.",
        ("ver.declares-three-numbers", "ver.declares-nothing"),
    ),
    Law(
        Rule.NO_RETIRED_EVENTS,
        "No event is sent that 1.0 has retired",
        "Every event of every stream; THINKING_ begins the types that are gone.",
        ("ver.thinking-sent",),
    ),
    Law(
        Rule.NO_UNKNOWN_EVENTS,
        "Every event is of a type that the protocol describes",
        "Every event of every stream; what an application adds is CUSTOM.",
        ("ver.unknown-event",),
    ),
    Law(
        Rule.NO_UNKNOWN_FIELDS,
        "Events have the fields that the protocol describes, and no others",
        "Every event against the table of shapes: required members, their types, and no member without a name there.",
        ("ver.unknown-field", "ver.snake-case"),
    ),
    Law(
        Rule.NO_NULL,
        "An optional field without a value is left out",
        "Every event; null is a value only where any JSON may stand.",
        ("ver.null-for-absent",),
    ),
    Law(
        Rule.RESULT_CONTENT,
        "The result of a tool is a string or a list of content parts",
        "The content of every TOOL_CALL_RESULT.",
        ("ver.result-object",),
    ),
)


@check(
    "agui.ver.version-stable-in-stream",
    "All runs of one stream declare one version",
    needs={Role.CHAT, Role.HISTORY},
    mutants=("ver.version-of-the-past",),
)
async def version_is_stable_in_a_stream(lab: AguiLab) -> None:
    """Two runs on a thread, then the stimulus that replays them before a third: each RUN_STARTED is compared.

    Another version is a soft violation: the clause speaks of runs that are generated live, and these are told again.
    """
    async with lab.session() as session:
        first = await shown(lab, session, Role.CHAT)
        second = await shown(lab, session, Role.CHAT, thread=first.thread, messages=first.messages())
        run = await shown(lab, session, Role.HISTORY, thread=first.thread, messages=second.messages())
        starts = run.of("RUN_STARTED")
        if len(starts) < 2:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus history replayed no earlier run", run.sent)
        records = [start.record for start in starts]
        declared = [version for start in starts if (version := start.text("protocolVersion")) is not None]
        if not declared:
            lab.not_applicable("the server declares no version", *records)
        one = len(set(declared)) == 1
        lab.expect(expect.that(one, "one protocolVersion", declared, *records, soft=True))
