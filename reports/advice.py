"""What to add to seatrial.toml, so that a case which could not be judged can be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from seatrial import ROLES, Reason, Role, stimulus_example

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
    Reason.UNSAFE: "safe = true beside the stimuli that do no harm, or the option --allow-effects",
    Reason.BUDGET: "the option --budget N with more requests; --dry-run counts how many it takes",
    Reason.RATE_LIMITED: "the option --rate N with fewer requests per second",
}


def advice(reason: str, detail: str, target: str, check: str) -> str:
    """What to add for a case with this reason and detail; "" where the configuration cannot help."""
    protocol = check.split(".")[0]
    roles = _roles(detail, protocol) if reason == Reason.NO_STIMULUS else ()
    if lines := [f"{role.value} = {stimulus_example(role, protocol)}" for role in roles]:
        return f"[target.{target}.stimuli]  {' or '.join(lines)}"
    return _ADVICE.get(reason, "").format(target=target, check=check, witness=stimulus_example(Role.WITNESS, protocol))


def _roles(detail: str, protocol: str) -> Iterator[Role]:
    found = _NAMED.search(detail)
    words = re.split(r"[^\w-]+", next(filter(None, found.groups()))) if found else []
    return (role for role in ROLES.get(protocol, ROLES["mcp"]) if role.value in words)
