"""What to add to seatrial.toml, so that a case which could not be judged can be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from seatrial import Reason, Role

STIMULI: Mapping[Role, str] = {
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
"""How each role is written below `stimuli`; the words in capitals are for the user to replace."""

_NAMED = re.compile(r"\broles? (.+)|\((.+)\)")
"""Where the detail of a result names the roles that nobody plays."""

_ANOTHER_STIMULUS = "another stimulus below [target.{target}.stimuli]; seatrial explain {check} names the roles"

_ADVICE: Mapping[str, str] = {
    Reason.NO_STIMULUS: _ANOTHER_STIMULUS,
    Reason.STIMULUS_FAILED: _ANOTHER_STIMULUS,
    Reason.NO_WITNESS: '[target.{target}.stimuli]  witness = {{ tool = "TOOL", arguments = {{ key = "{{key}}" }} }}',
    Reason.NO_IDENTITIES: (
        '[target.{target}.identities]  first = {{ Authorization = "Bearer ${{FIRST}}" }}  '
        'second = {{ Authorization = "Bearer ${{SECOND}}" }}'
    ),
    Reason.NO_PROCESS: '[target.{target}]  command = ["python", "server.py"]',
    Reason.NO_REPLICAS: '[target.{target}]  replicas = ["http://127.0.0.1:8081/mcp"]',
}


def advice(reason: str, detail: str, target: str, check: str) -> str:
    """What to add for a case with this reason and detail; "" where the configuration cannot help."""
    lines = [f"{role.value} = {STIMULI[role]}" for role in _roles(detail)] if reason == Reason.NO_STIMULUS else []
    if lines:
        return f"[target.{target}.stimuli]  {' or '.join(lines)}"
    return _ADVICE.get(reason, "").format(target=target, check=check)


def _roles(detail: str) -> Iterator[Role]:
    found = _NAMED.search(detail)
    words = re.split(r"[^\w-]+", next(filter(None, found.groups()))) if found else []
    return (role for role in Role if role.value in words)
