"""MCP: tasks, by declaration: a capability of 2025-11-25, an extension of 2026-07-28."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial import (
    Answer,
    Feature,
    Isolation,
    McpLab,
    Outcome,
    Refusal,
    Role,
    Session,
    Violation,
    check,
    codes,
    entries,
    expect,
)

from .mcp_declared import is_unknown
from .mcp_discover import capabilities, extensions

EXTENSION = "io.modelcontextprotocol/tasks"
UNKNOWN = {"taskId": "no-such-task"}
TASK = {"ttl": 60_000}


def tasks(lab: McpLab) -> Mapping[str, Any]:
    """The tasks capability of 2025-11-25, empty without one."""
    found = capabilities(lab).get("tasks")
    return found if isinstance(found, dict) else {}


def defers_calls(lab: McpLab) -> bool:
    """Is tasks.requests.tools.call declared?"""
    value: Any = tasks(lab)
    for name in ("requests", "tools", "call"):
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None


# 2025-11-25


@check(
    "mcp.cap.tasks-d-declared",
    "Declared task methods answer and undeclared ones do not",
    mutants=("tasks.undeclared", "tasks.list-unserved"),
    isolation=Isolation.SESSION,
)
async def task_methods_are_declared(lab: McpLab) -> None:
    """The four methods, those that need a task with one that does not exist: a method that is there says so."""
    async with lab.session() as session:
        for method in ("get", "result", "cancel", "list"):
            outcome = await session.request(f"tasks/{method}", {} if method == "list" else UNKNOWN)
            lab.expect(_by_declaration(lab, method, outcome))


def _by_declaration(lab: McpLab, method: str, outcome: Outcome) -> Violation | None:
    declared = method in tasks(lab) if method in ("list", "cancel") else "tasks" in capabilities(lab)
    evidence = (outcome, lab.claim_record)
    if not declared:
        return expect.that(is_unknown(outcome), f"error {codes.METHOD_NOT_FOUND}: not declared", outcome, *evidence)
    if method == "list":
        served = isinstance(outcome, Answer) and isinstance(outcome.members.get("tasks"), list)
        return expect.that(served, "a list of tasks, as declared", outcome, *evidence)
    served = isinstance(outcome, Refusal) and not is_unknown(outcome)
    return expect.that(served, f"tasks/{method}, as declared, misses the task", outcome, *evidence)


@check(
    "mcp.cap.tasks-d-ignore-when-undeclared",
    "A server without task support for a request ignores the task field",
    mutants=("tasks.field-refused", "tasks.field-obeyed"),
    isolation=Isolation.SESSION,
)
async def task_field_is_ignored(lab: McpLab) -> None:
    """Lists and stimuli whose method no server can declare, and a call where calls as tasks are not declared: each
    with a task field."""
    async with lab.session() as session:
        for method, params in await _undeclared_requests(lab):
            outcome = await session.request(method, {**params, "task": TASK})
            normal = isinstance(outcome, Answer) and "task" not in outcome.members
            lab.expect(expect.that(normal, f"a normal result of {method}", outcome, outcome, lab.claim_record))


async def _undeclared_requests(lab: McpLab) -> list[tuple[str, dict[str, Any]]]:
    """Requests that the server serves, and for which it declares no tasks."""
    lists = {"tools/list": Feature.TOOLS, "prompts/list": Feature.PROMPTS, "resources/list": Feature.RESOURCES}
    found: list[tuple[str, dict[str, Any]]] = [(method, {}) for method, need in lists.items() if lab.declares(need)]
    roles = (Role.PROMPT, Role.RESOURCE) if defers_calls(lab) else (Role.PROMPT, Role.RESOURCE, Role.QUICK)
    for role in roles:
        if lab.effects.has(role):
            play = await lab.effects.plan(role)
            found.append((play.method, play.params))
    return found or [("ping", {})]


async def _support(lab: McpLab, name: str) -> tuple[str, Outcome]:
    """What a listed tool says of tasks, and the page that shows it."""
    async with lab.session() as session:
        tools, page = await entries(lab, session, "tools/list")
    execution = next((tool.get("execution") for tool in tools if tool.get("name") == name), None)
    return str(execution.get("taskSupport", "forbidden")) if isinstance(execution, dict) else "forbidden", page


@check(
    "mcp.cap.tasks-d-required",
    "A tool that requires a task refuses a plain call with -32601",
    needs={Role.TASK, Feature.TASKS},
    mutants=("tasks.optional-after-all",),
)
async def required_task_is_required(lab: McpLab) -> None:
    """The stimulus task, called without a task field, where its tool is listed with taskSupport required."""
    play = await lab.effects.plan(Role.TASK, seconds=0.5)
    support, page = await _support(lab, str(play.params.get("name")))
    if support != "required":
        lab.not_applicable(f"the tool of the stimulus task has taskSupport {support}", page)
    async with lab.session() as session:
        lab.expect(expect.refused(await session.perform(play), {codes.METHOD_NOT_FOUND}))


@check(
    "mcp.cap.tasks-d-forbidden",
    "A tool that forbids tasks refuses a call as a task with -32601",
    needs={Role.QUICK, Feature.TASKS},
    mutants=("tasks.of-everything",),
)
async def forbidden_task_is_refused(lab: McpLab) -> None:
    """A quick tool that is listed without taskSupport, called with a task field."""
    play = await lab.effects.plan(Role.QUICK)
    support, page = await _support(lab, str(play.params.get("name")))
    if support != "forbidden" or not defers_calls(lab):
        lab.not_applicable(f"the quick tool has taskSupport {support}, or no call can be a task", page)
    async with lab.session() as session:
        outcome = await session.request(play.method, {**play.params, "task": TASK})
        lab.expect(expect.refused(outcome, {codes.METHOD_NOT_FOUND}))


# 2026-07-28


@check(
    "mcp.cap.tasks-e-not-to-undeclared",
    "A server of the tasks extension creates no task for a client that did not declare it",
    needs={Role.TASK},
    mutants=("tasks.for-everybody",),
)
async def no_task_for_the_unaware(lab: McpLab) -> None:
    """The stimulus task, called by a client without the extension: a plain result, or -32021."""
    _need_extension(lab)
    play = await lab.effects.plan(Role.TASK, seconds=0.5)
    async with lab.session() as session:
        outcome = await session.perform(play)
        if isinstance(outcome, Answer):
            kind = outcome.members.get("resultType")
            lab.expect(expect.that(kind != "task", "no task", outcome, outcome, lab.claim_record))
        else:
            lab.expect(expect.refused(outcome, {codes.MISSING_CAPABILITY}))


@check(
    "mcp.cap.tasks-e-methods-undeclared",
    "The task methods are refused with -32021 to a client that did not declare the extension",
    mutants=("tasks.for-everybody", "tasks.undeclared-as-unknown"),
)
async def task_methods_need_the_extension(lab: McpLab) -> None:
    """tasks/get, tasks/update and tasks/cancel without the extension."""
    _need_extension(lab)
    async with lab.session() as session:
        for method in ("get", "update", "cancel"):
            outcome = await _of_no_task(session, method)
            lab.expect(expect.refused(outcome, {codes.MISSING_CAPABILITY}))


async def _of_no_task(session: Session, method: str) -> Outcome:
    """A request of the extension about a task that does not exist. Over HTTP a header names the task, too."""
    params = {**UNKNOWN, "inputResponses": {}} if method == "update" else UNKNOWN
    return await session.request(f"tasks/{method}", params, headers={"Mcp-Name": UNKNOWN["taskId"]})


def _need_extension(lab: McpLab) -> None:
    if EXTENSION not in extensions(lab):
        lab.not_applicable("the server does not announce the tasks extension", lab.claim_record)


@check(
    "mcp.cap.extension-fallback",
    "Without an extension the server behaves as the core protocol says or refuses clearly",
    mutants=("tasks.for-everybody",),
)
async def extensions_have_a_fallback(lab: McpLab) -> None:
    """The methods of the tasks extension, whether the server has it or not, by a client that did not declare it."""
    async with lab.session() as session:
        for method in ("get", "update", "cancel"):
            outcome = await _of_no_task(session, method)
            lab.expect(expect.refused(outcome, {codes.METHOD_NOT_FOUND, codes.MISSING_CAPABILITY}))


@check(
    "mcp.cap.tasks-e-legacy-cap-removed",
    "The tasks capability of 2025-11-25 is not announced in the modern era",
    mutants=("tasks.legacy-capability",),
)
async def legacy_capability_is_gone(lab: McpLab) -> None:
    """The capabilities of the discover result."""
    found = capabilities(lab).get("tasks")
    lab.expect(expect.that(found is None, "no capability tasks", found, lab.claim_record))
