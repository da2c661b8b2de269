"""What a server lists: where the probes of this suite find names to break."""

from __future__ import annotations

from typing import Any

from seatrial import Answer, McpLab, Outcome, Role, Session, entries


def harmless(lab: McpLab) -> list[str]:
    """The tools that the target's owner lets us call, those without effects first."""
    stimuli = [lab.effects.stimulus(role) for role in (Role.ECHO, Role.QUICK, Role.CALL) if lab.effects.has(role)]
    return list(dict.fromkeys(stimulus.name for stimulus in stimuli if stimulus.verb == "tool"))


def reads_only(tool: dict[str, Any]) -> bool:
    annotations = tool.get("annotations")
    return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True


async def callable_tools(lab: McpLab, session: Session) -> tuple[list[dict[str, Any]], Outcome]:
    """The listed tools that may be called: those of the stimuli, then those that say they only read."""
    tools, page = await entries(lab, session, "tools/list")
    named = {tool.get("name"): tool for tool in tools}
    stated = [named[name] for name in harmless(lab) if name in named]
    return stated + [tool for tool in tools if reads_only(tool) and tool not in stated], page


async def served(session: Session, method: str) -> bool:
    """Does the server know this list at all?"""
    return isinstance(await session.request(method), Answer)
