"""What to add to seatrial.toml, so that a case which could not be judged can be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from seatrial import ROLES, Reason, Role

_STIMULI: Mapping[Role, str] = {
    Role.ECHO: '{ tool = "TOOL", arguments = { message = "{text}" } }',
    Role.QUICK: '{ tool = "TOOL", arguments = {} }',
    Role.CALL: '{ tool = "TOOL", arguments = {} }',
    Role.SLOW: '{ tool = "TOOL", arguments = { seconds = "{seconds}", key = "{key}" }, progress = true }',
    Role.PROGRESS: '{ tool = "TOOL", arguments = { count = "{count}" }, progress = true }',
    Role.LOGS: '{ tool = "TOOL", arguments = { count = "{count}", level = "{level}" } }',
    Role.FAILING: '{ tool = "TOOL", arguments = {} }',
    Role.CRASH: '{ tool = "TOOL", arguments = {} }',
    Role.STRUCTURED: '{ tool = "TOOL", arguments = {} }',
    Role.MUTATE_TOOLS: '{ tool = "TOOL", arguments = {} }',
    Role.MUTATE_RESOURCE: '{ tool = "TOOL", arguments = { text = "{text}" } }',
    Role.STREAM_CLOSE: '{ tool = "TOOL", arguments = { count = "{count}" }, progress = true }',
    Role.ELICIT: '{ tool = "TOOL", arguments = {} }',
    Role.ELICIT_URL: '{ tool = "TOOL", arguments = {} }',
    Role.SAMPLING: '{ tool = "TOOL", arguments = {} }',
    Role.ROOTS: '{ tool = "TOOL", arguments = {} }',
    Role.X_MCP_HEADER: '{ tool = "TOOL", arguments = {} }',
    Role.STATEFUL: '{ tool = "TOOL", arguments = {} }',
    Role.TASK: '{ tool = "TOOL", arguments = {} }',
    Role.PROMPT: '{ prompt_name = "PROMPT", arguments = {} }',
    Role.RESOURCE: '{ resource = "URI" }',
    Role.WITNESS: '{ tool = "TOOL", arguments = { key = "{key}" } }',
}
"""How each role of MCP is written below `stimuli`; the words in capitals are for the user to replace."""

_SAID: Mapping[str, str] = {"a2a": '{ text = "TEXT" }', "agui": '{ prompt = "PROMPT" }'}
"""How a role is written where the target is spoken to."""

_BESIDE: Mapping[Role, str] = {Role.WITNESS: '{ get = "/WITNESS" }', Role.STOP: '{ post = "/STOP/{thread}" }'}
"""Roles that are no words even there."""

_NAMED = re.compile(r"\broles? (.+)|\((.+)\)")
"""Where the detail of a result names the roles that nobody plays."""

_ANOTHER_STIMULUS = "another stimulus below [target.{target}.stimuli]; seatrial explain {check} names the roles"

_ADVICE: Mapping[str, str] = {
    Reason.NO_STIMULUS: _ANOTHER_STIMULUS,
    Reason.STIMULUS_FAILED: _ANOTHER_STIMULUS,
    Reason.WEBHOOK_REFUSED: '[target.{target}]  webhook_host = "HOST", an address that the agent may call',
    Reason.NO_WITNESS: "[target.{target}.stimuli]  witness = {witness}",
    Reason.NO_IDENTITIES: (
        '[target.{target}.identities]  first = {{ Authorization = "Bearer ${{FIRST}}" }}  '
        'second = {{ Authorization = "Bearer ${{SECOND}}" }}'
    ),
    Reason.NO_PROCESS: '[target.{target}]  command = ["python", "server.py"]',
    Reason.NO_REPLICAS: '[target.{target}]  replicas = ["http://127.0.0.1:8081/mcp"]',
}


def advice(reason: str, detail: str, target: str, check: str) -> str:
    """What to add for a case with this reason and detail; "" where the configuration cannot help."""
    protocol = check.split(".")[0]
    roles = _roles(detail, protocol) if reason == Reason.NO_STIMULUS else ()
    if lines := [f"{role.value} = {_line(role, protocol)}" for role in roles]:
        return f"[target.{target}.stimuli]  {' or '.join(lines)}"
    return _ADVICE.get(reason, "").format(target=target, check=check, witness=_line(Role.WITNESS, protocol))


def _line(role: Role, protocol: str) -> str:
    if protocol not in _SAID:
        return _STIMULI[role]
    return _BESIDE.get(role) or _SAID[protocol]


def _roles(detail: str, protocol: str) -> Iterator[Role]:
    found = _NAMED.search(detail)
    words = re.split(r"[^\w-]+", next(filter(None, found.groups()))) if found else []
    return (role for role in ROLES.get(protocol, ROLES["mcp"]) if role.value in words)
