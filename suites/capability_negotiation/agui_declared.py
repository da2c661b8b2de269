"""AG-UI: what a server declares of itself, held against what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seatrial import AguiLab, AguiSession, Answer, Reason, Role, Run, check, expect
from seatrial.judge.agui import declaration

from ..inputs import CONFIRM, EVENT_STREAM, asked, served, shown
from .agui import PROTOBUF


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a declaration, the role whose run is to show it, and the sign of it in that run."""

    path: str
    role: Role
    sign: Callable[[Run], bool]
    wishes: Mapping[str, Any] = field(default_factory=dict)

    def declared(self, capabilities: Mapping[str, Any]) -> bool | None:
        """None where it is not declared."""
        value: Any = capabilities
        for name in self.path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value if isinstance(value, bool) else None


def _says(*beginnings: str) -> Callable[[Run], bool]:
    """Does a run have an event whose type begins so?"""
    return lambda run: any(type_.startswith(beginnings) for type_ in run.types)


FLAGS = (
    Flag("state.snapshots", Role.STATE, _says("STATE_SNAPSHOT")),
    Flag("state.deltas", Role.STATE, _says("STATE_DELTA")),
    Flag("tools.supported", Role.TOOL, _says("TOOL_CALL_")),
    Flag("tools.clientProvided", Role.FRONT, lambda run: any(c.name == CONFIRM["name"] for c in run.tool_calls)),
    Flag("reasoning.supported", Role.REASON, _says("REASONING_")),
    Flag("multiAgent.supported", Role.SUB, _says("SUBAGENT_")),
    Flag("humanInTheLoop.interrupts", Role.INTERRUPT, lambda run: bool(run.interrupts)),
    Flag(
        "transport.httpBinary",
        Role.CHAT,
        lambda run: run.exchange.reply.media_type == PROTOBUF,
        {"accept": f"{EVENT_STREAM}, {PROTOBUF}"},
    ),
)


async def _shown(lab: AguiLab, session: AguiSession, declared: bool) -> list[tuple[Flag, Run, bool]]:
    """The flags that are declared so and whose role can be played: the run, and whether it has the sign."""
    capabilities = _declaration(lab)
    flags = [flag for flag in FLAGS if flag.declared(capabilities) is declared and lab.effects.has(flag.role)]
    if not flags:
        what = "true" if declared else "false"
        lab.not_applicable(f"no flag is declared {what} that a stimulus of this target could show", lab.claim_record)
    runs = [(flag, await shown(lab, session, flag.role, **flag.wishes)) for flag in flags]
    return [(flag, run, flag.sign(run)) for flag, run in runs]


def _declaration(lab: AguiLab) -> Mapping[str, Any]:
    """What discovery was told. Raises NotApplicable where nothing is declared."""
    found = lab.claimed.get("capabilities")
    if not isinstance(found, dict) or not found:
        lab.not_applicable("the target declares no capabilities, or not where its owner says", lab.claim_record)
    return found


@check(
    "agui.cap.declared-shape",
    "A declaration of capabilities has the shape that the protocol describes",
    mutants=("declared.flag-as-text", "declared.tools-by-name"),
)
async def declaration_has_its_shape(lab: AguiLab) -> None:
    """The declaration at the address that its owner gives. An unknown member is a soft violation."""
    url = lab.berth.target.capabilities_url
    if not url:
        lab.not_applicable("no capabilities_url is configured: how a declaration is got is undefined", lab.claim_record)
    async with lab.session() as session:
        outcome = await session.get(url).outcome()
        lab.require(expect.answered(outcome, "a declaration at the configured capabilities_url"))
        assert isinstance(outcome, Answer)
        lab.expect(declaration(outcome.result, outcome.records[-1]))


@check(
    "agui.cap.declared-holds",
    "A capability that is declared can be observed",
    needs={Role.CHAT},
    mutants=("declared.deltas-never-sent", "declared.reasoning-hidden"),
)
async def declared_capability_shows(lab: AguiLab) -> None:
    """Each flag that is true and whose scenario can be played: the run must show it."""
    async with lab.session() as session:
        for flag, run, seen in await _shown(lab, session, True):
            expected = f"{flag.path} is declared, and a run of {flag.role.value} shows it"
            lab.expect(expect.that(seen, expected, f"events: {', '.join(dict.fromkeys(run.types))}", run.sent))


@check(
    "agui.cap.false-flag-honest",
    "A capability that is declared absent is not used",
    needs={Role.CHAT},
    mutants=("declared.state-denied", "declared.interrupts-denied"),
)
async def denied_capability_does_not_show(lab: AguiLab) -> None:
    """Each flag that is false and whose scenario can be played: the run must be alive and not show it."""
    async with lab.session() as session:
        for flag, run, seen in await _shown(lab, session, False):
            if not run.events and run.exchange.reply.media_type != PROTOBUF:
                lab.inconclusive(Reason.STIMULUS_FAILED, f"the run of {flag.role.value} showed nothing", run.sent)
            expected = f"{flag.path} is declared false, and a run of {flag.role.value} does not show it"
            lab.expect(expect.that(not seen, expected, f"events: {', '.join(dict.fromkeys(run.types))}", run.sent))


@check(
    "agui.cap.resumable-flag-not-standard",
    "Whatever transport a server declares, its plain binding resumes nothing",
    needs={Role.CHAT},
    mutants=("declared.resumes-by-header",),
)
async def declared_transport_changes_no_binding(lab: AguiLab) -> None:
    """A finished run, then a new one with Last-Event-ID: it is a whole run, from RUN_STARTED on.

    What is declared of resumption and push is told: the rows about replay apply to a documented extension only.
    """
    transport = _declaration(lab).get("transport")
    flags = transport if isinstance(transport, dict) else {}
    for name in ("resumable", "pushNotifications"):
        lab.note(f"transport.{name} is declared {str(flags.get(name, 'nowhere')).lower()}", lab.claim_record)
    async with lab.session() as session:
        first = await shown(lab, session, Role.CHAT)
        wishes: dict[str, Any] = {"thread": first.thread, "messages": first.messages()}
        run = await shown(lab, session, Role.CHAT, headers={"Last-Event-ID": "2"}, **wishes)
        begins = next(iter(run.types), f"HTTP status {run.status}")
        whole = begins == "RUN_STARTED" and run.finished_ok
        lab.expect(expect.that(whole, "a whole run that begins with RUN_STARTED", begins, run.sent, run.exchange.end))


@check(
    "agui.cap.missing-declaration-not-fatal",
    "A run needs no declaration of capabilities",
    needs={Role.CHAT},
    mutants=("declared.asked-in-vain",),
)
async def run_needs_no_declaration(lab: AguiLab) -> None:
    """A client that asks for a declaration where there is none, whatever it is answered, and then runs."""
    async with lab.session() as session:
        lab.expect(served(await asked(lab, session), "a client that has read no declaration"))
        await session.get("/no-such-place/capabilities").outcome()
        lab.expect(served(await asked(lab, session), "a client that found no declaration"))
