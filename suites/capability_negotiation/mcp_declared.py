"""MCP: what is declared answers, and what answers is declared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial import (
    LOG_LEVEL,
    MODERN,
    Answer,
    Check,
    Feature,
    Histories,
    Isolation,
    Judgement,
    McpLab,
    Outcome,
    Refusal,
    Role,
    Session,
    Spoken,
    check,
    codes,
    expect,
    walk,
)
from seatrial.judge import lifecycle

SILENT = "mcp.cap.undeclared-logging-silent"
NOWHERE = {"type": "ref/prompt", "name": "no_such_prompt"}

Params = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a capability. `array` is the path to the array in its result, empty where an object will do.

    `known` false: the request names what does not exist, so that an error other than "no such method" is right.
    `implied`: no clause names this method beside the capability.
    """

    method: str
    params: Params
    array: tuple[str, ...] = ()
    known: bool = True
    implied: bool = False

    def serves(self, outcome: Outcome) -> bool:
        """Whether an outcome is that of a server that has the method."""
        if isinstance(outcome, Answer):
            return self.is_shaped(outcome.result)
        named = isinstance(outcome, Refusal) and outcome.code is not None
        return not self.known and named and not is_unknown(outcome)

    def is_shaped(self, result: Any) -> bool:
        for name in self.array:
            result = result.get(name) if isinstance(result, dict) else None
        return isinstance(result, list if self.array else dict)

    def __str__(self) -> str:
        return f"a result of {self.method}" + (f" with the array {'.'.join(self.array)}" if self.array else "")


Requests = Callable[[McpLab, Session], Awaitable[Sequence[Asked]]]


def always(*requests: Asked) -> Requests:
    async def found(lab: McpLab, session: Session) -> Sequence[Asked]:
        return requests

    return found


async def completable(session: Session) -> tuple[Params, str] | None:
    """A reference and an argument that can be completed: of a listed prompt, else of a listed template."""
    prompts = await walk(session, "prompts/list")
    for prompt in prompts.entries:
        for argument in prompt.get("arguments") or ():
            return {"type": "ref/prompt", "name": prompt.get("name")}, str(argument.get("name"))
    templates = await walk(session, "resources/templates/list")
    for template in templates.entries:
        uri = str(template.get("uriTemplate"))
        if "{" in uri:
            return {"type": "ref/resource", "uri": uri}, uri.partition("{")[2].partition("}")[0].lstrip("+#./;?&")
    return None


async def completions(lab: McpLab, session: Session) -> Sequence[Asked]:
    """The completion of something listed; where nothing is, of something made up."""
    found = await completable(session)
    ref, argument = found or (NOWHERE, "argument")
    params = {"ref": ref, "argument": {"name": argument, "value": ""}}
    return [Asked("completion/complete", params, ("completion", "values"), known=found is not None)]


async def subscriptions(lab: McpLab, session: Session) -> Sequence[Asked]:
    resources = await walk(session, "resources/list")
    if not resources.entries:
        lab.not_applicable("the server lists no resource", resources.last)
    uri = resources.entries[0].get("uri")
    leaving = Asked("resources/unsubscribe", {"uri": uri}, implied=True)
    return [Asked("resources/subscribe", {"uri": uri}), leaving]


@dataclass(frozen=True, slots=True)
class Service:
    """A capability, and the requests that it stands for. `mutants`: of the declared and of the undeclared claim."""

    name: str
    feature: Feature
    requests: Requests
    unserved: tuple[str, ...]
    undeclared: tuple[str, ...]
    modern: bool = True

    @property
    def capability(self) -> str:
        return self.feature.value


SERVICES = (
    Service(
        "tools",
        Feature.TOOLS,
        always(Asked("tools/list", {}, ("tools",))),
        ("cap.tools-unserved", "cap.tools-no-array"),
        ("cap.tools-undeclared",),
    ),
    Service(
        "resources",
        Feature.RESOURCES,
        always(
            Asked("resources/list", {}, ("resources",)),
            Asked("resources/templates/list", {}, ("resourceTemplates",), implied=True),
        ),
        ("cap.templates-unserved",),
        ("cap.resources-undeclared",),
    ),
    Service(
        "prompts",
        Feature.PROMPTS,
        always(Asked("prompts/list", {}, ("prompts",))),
        ("cap.prompts-unserved",),
        ("cap.prompts-undeclared",),
    ),
    Service(
        "completions",
        Feature.COMPLETIONS,
        completions,
        ("cap.completions-unserved",),
        ("cap.completions-undeclared",),
    ),
    Service(
        "logging",
        Feature.LOGGING,
        always(Asked("logging/setLevel", {"level": "info"})),
        ("cap.logging-unserved",),
        ("cap.logging-undeclared",),
        modern=False,
    ),
)

SUBSCRIBE = Service(
    "subscribe",
    Feature.SUBSCRIBE,
    subscriptions,
    ("cap.subscribe-unserved", "cap.unsubscribe-unserved"),
    (),
    modern=False,
)


def declared(service: Service) -> Check:
    """The check that a declared capability answers."""

    @check(
        f"mcp.cap.declared-{service.name}-answer",
        f"A server that declares {service.capability} serves its methods",
        needs={service.feature},
        mutants=service.unserved,
        isolation=Isolation.SESSION,
    )
    async def body(lab: McpLab) -> None:
        """The methods of the capability, asked of a server that declares it."""
        async with lab.session() as session:
            for asked in await service.requests(lab, session):
                outcome = await session.request(asked.method, asked.params)
                evidence, soft = (outcome, lab.claim_record), asked.implied and is_unknown(outcome)
                lab.expect(expect.that(asked.serves(outcome), str(asked), outcome, *evidence, soft=soft))

    return body


def is_unknown(outcome: Outcome) -> bool:
    """Does the server say that it has no such method?"""
    return isinstance(outcome, Refusal) and outcome.code == codes.METHOD_NOT_FOUND


def undeclared(service: Service) -> Check:
    """The check that a capability is declared where its method answers."""
    id = f"mcp.cap.undeclared-{service.name}-not-served"
    logs = service.feature is Feature.LOGGING

    @check(
        id,
        f"A server that serves {service.name} declares the capability",
        requirements=(id, SILENT) if logs else (),
        mutants=service.undeclared,
        isolation=Isolation.SESSION,
    )
    async def body(lab: McpLab) -> None:
        """The first method of the capability, whether it is declared or not; for logging, calls that may log, too."""
        async with lab.session() as session:
            if lab.holds(id):
                await _judge_declaration(lab, session, service, id)
            if logs:
                await _judge_logs(lab, session, SILENT)

    return body


async def _judge_declaration(
    lab: McpLab, session: Session, service: Service, requirement: str
) -> tuple[Asked, Outcome]:
    """Ask the first method of a capability. Without a declaration there is no such method."""
    asked = (await service.requests(lab, session))[0]
    outcome = await session.request(asked.method, asked.params)
    declared, served = lab.declares(service.feature), asked.serves(outcome)
    what = f"no {asked.method} without the capability {service.capability}"
    lab.expect(expect.that(declared or not served, what, outcome, outcome, lab.claim_record), requirement)
    if not declared and not served:
        statuses = {404} if lab.over_http and lab.version == MODERN else ()
        lab.expect(expect.refused(outcome, {codes.METHOD_NOT_FOUND}, statuses=statuses, soft=True), requirement)
    return asked, outcome


DECLARED = tuple(declared(service) for service in (*SERVICES, SUBSCRIBE))
UNDECLARED = tuple(undeclared(service) for service in SERVICES)


HONEST = "mcp.cap.discover-honest"


@check(
    HONEST,
    "The capabilities in the discover result agree with what the server does",
    mutants=("cap.tools-unserved", "cap.prompts-undeclared", "cap.logs-undeclared"),
    isolation=Isolation.SESSION,
)
async def discover_result_is_honest(lab: McpLab) -> None:
    """Each capability's method, declared or not; and calls that ask for every log message."""
    async with lab.session() as session:
        for service in SERVICES:
            if service.modern:
                asked, outcome = await _judge_declaration(lab, session, service, HONEST)
                answers = asked.serves(outcome) or not lab.declares(service.feature)
                lab.expect(expect.that(answers, str(asked), outcome, outcome, lab.claim_record), HONEST)
        await _judge_logs(lab, session, HONEST)


async def _judge_logs(lab: McpLab, session: Session, requirement: str) -> None:
    """Do what may make the server log, and say that all of it is wanted; without the capability nothing comes."""
    for role in (Role.LOGS, Role.QUICK, Role.FAILING, Role.PROMPT, Role.RESOURCE):
        if lab.effects.has(role):
            play = await lab.effects.plan(role, count=2, level="error")
            wanted = {"_meta": {LOG_LEVEL: "debug"}} if lab.version == MODERN else {}
            await session.request(play.method, {**play.params, **wanted})
    lab.expect(lifecycle.undeclared_logging_silent(lab.histories, lab.spoken).violations, requirement)


# Monitors


@check(
    "mcp.cap.undeclared-logging-silent",
    "A server that does not declare logging sends no log messages",
    mutants=("cap.logs-undeclared", "cap.logging-undeclared"),
    monitor=True,
)
def no_log_messages_without_logging(histories: Histories, spoken: Spoken) -> Judgement:
    """Every message of the run."""
    return lifecycle.undeclared_logging_silent(histories, spoken)
