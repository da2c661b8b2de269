"""What a server lists: where the probes of this suite find names to break."""

from __future__ import annotations

from typing import Any

from seatrial import Answer, Lab, Outcome, Role, Session

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""Method -> the member of its result that holds the entries."""

PAGES = 50
"""Pages that are followed at most."""


async def entries(lab: Lab, session: Session, method: str) -> tuple[list[dict[str, Any]], Outcome]:
    """Every entry of a list that is an object, and the last page. Raises Inconclusive for a page that does not come."""
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    for _ in range(PAGES):
        page = lab.need(await session.request(method, params), f"{method}")
        result = page.result if isinstance(page.result, dict) else {}
        listed = result.get(LISTS[method])
        found += [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        if not isinstance(result.get("nextCursor"), str):
            break
        params = {"cursor": result["nextCursor"]}
    return found, page


def harmless(lab: Lab) -> list[str]:
    """The tools that the target's owner lets us call, those without effects first."""
    stimuli = [lab.effects.stimulus(role) for role in (Role.ECHO, Role.QUICK, Role.CALL) if lab.effects.has(role)]
    return list(dict.fromkeys(stimulus.name for stimulus in stimuli if stimulus.verb == "tool"))


def reads_only(tool: dict[str, Any]) -> bool:
    annotations = tool.get("annotations")
    return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True


async def callable_tools(lab: Lab, session: Session) -> tuple[list[dict[str, Any]], Outcome]:
    """The listed tools that may be called: those of the stimuli, then those that say they only read."""
    tools, page = await entries(lab, session, "tools/list")
    named = {tool.get("name"): tool for tool in tools}
    stated = [named[name] for name in harmless(lab) if name in named]
    return stated + [tool for tool in tools if reads_only(tool) and tool not in stated], page


async def served(session: Session, method: str) -> bool:
    """Does the server know this list at all?"""
    return isinstance(await session.request(method), Answer)
