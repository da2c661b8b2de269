"""A2A: extensions: those that are required, those that were asked for, and those that nobody knows."""

from __future__ import annotations

import re

from seatrial import (
    EXTENSIONS_HEADER,
    A2aLab,
    Answer,
    Feature,
    Outcome,
    Reason,
    Role,
    check,
    expect,
    extensions,
)
from seatrial.judge.a2a import refused
from seatrial.judge.a2a.errors import broken_off

from .speaking import card_of

UNKNOWN = "urn:nope:v9"
_VERSION = re.compile(r"(\d+)(?!.*\d)")


def declared(lab: A2aLab, *, required: bool | None = None) -> list[str]:
    """The URIs of declared extensions: the required ones, the others, or all."""
    found = [item for item in extensions(card_of(lab)) if isinstance(item.get("uri"), str)]
    return [str(item["uri"]) for item in found if required is None or (item.get("required") is True) is required]


def some(lab: A2aLab, *, required: bool | None = None) -> list[str]:
    """Like `declared`. Raises NotApplicable where there are none."""
    found = declared(lab, required=required)
    if not found:
        kind = "" if required is None else "required " if required else "optional "
        lab.not_applicable(f"the card declares no {kind}extension", lab.claim_record)
    return found


async def echoed(lab: A2aLab, *uris: str) -> Outcome:
    """A message that asks for extensions, and for those that are required."""
    asked = ", ".join(dict.fromkeys((*declared(lab, required=True), *uris)))
    return await sent(lab, asked)


async def sent(lab: A2aLab, asked: str) -> Outcome:
    """A message with this list of extensions, "" for no list."""
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as session:
        return await session.perform(play, headers={EXTENSIONS_HEADER[lab.version]: asked or None})


async def streamed(lab: A2aLab, asked: str) -> Outcome:
    """The same by a stream: the first that comes."""
    play = await lab.effects.plan(Role.ECHO)
    async with lab.session() as session:
        stream = await session.play_stream(play, headers={EXTENSIONS_HEADER[lab.version]: asked or None})
        outcome = await stream.opened()
        await stream.leave()
    return outcome


def activated(lab: A2aLab, outcome: Outcome) -> set[str]:
    """What the answer says to have activated."""
    listed = outcome.reply.header(EXTENSIONS_HEADER[lab.version]) or ""
    return {uri.strip() for uri in listed.split(",") if uri.strip()}


def newer(uri: str) -> str:
    """The URI of the next version of an extension, which nobody declared."""
    if _VERSION.search(uri):
        return _VERSION.sub(lambda match: str(int(match[1]) + 1), uri)
    return f"{uri.rstrip('/')}/v2"


@check(
    "a2a.cap.ext-required-enforced",
    "A request that does not declare a required extension is refused",
    needs={Role.ECHO},
    mutants=("strict.lets-anybody-in", "strict.wrong-error", "strict.lets-streams-in"),
)
async def required_extension_is_enforced(lab: A2aLab) -> None:
    """A message without a list of extensions, to an agent whose card requires one; where it streams, a stream too."""
    some(lab, required=True)
    lab.expect(refused(lab.spoken, await sent(lab, ""), "ExtensionSupportRequired"))
    if lab.declares(Feature.STREAMING):
        outcome = await streamed(lab, "")
        lab.expect(refused(lab.spoken, outcome, "ExtensionSupportRequired", soft=broken_off(outcome)))


@check(
    "a2a.cap.ext-required-satisfied",
    "A request that declares the required extension is served",
    needs={Role.ECHO},
    mutants=("strict.refuses-lists",),
)
async def required_extension_is_enough(lab: A2aLab) -> None:
    """Messages that declare all that the card requires, alone and beside an unknown extension."""
    required = some(lab, required=True)
    for asked in (required, [UNKNOWN, *required]):
        lab.expect(expect.answered(await sent(lab, ", ".join(asked)), f"a message with {', '.join(asked)} is served"))


@check(
    "a2a.cap.ext-unknown-ignored",
    "An unknown extension is ignored",
    needs={Role.ECHO},
    mutants=("extensions.unknown-refused", "extensions.everything-activated"),
)
async def unknown_extension_is_ignored(lab: A2aLab) -> None:
    """A message that asks for an extension that nobody knows: it is served, and the extension is not activated."""
    outcome = await echoed(lab, UNKNOWN)
    lab.expect(expect.answered(outcome, "a message that asks for an unknown extension is served"))
    claimed = UNKNOWN in activated(lab, outcome)
    lab.expect(expect.that(not claimed, "an unknown extension is not activated", "it is said to be", outcome))


@check(
    "a2a.cap.ext-no-version-fallback",
    "Another version of an extension is not activated in its place",
    needs={Role.ECHO},
    mutants=("extensions.any-version", "strict.any-version"),
)
async def versions_are_not_exchanged(lab: A2aLab) -> None:
    """The next version of each declared extension is asked for, where the answer to the declared one names it.

    A required extension must be missed when only its next version is asked for.
    """
    required = declared(lab, required=True)
    if required:
        outcome = await sent(lab, ", ".join(map(newer, required)))
        lab.expect(refused(lab.spoken, outcome, "ExtensionSupportRequired"))
    for uri in (optional := declared(lab, required=False)):
        control = lab.need(await echoed(lab, uri), "a message that asks for an extension")
        if uri not in activated(lab, control):
            lab.inconclusive(Reason.NOT_EXERCISED, "the agent does not tell which extensions it activates", control)
        outcome = await echoed(lab, newer(uri))
        wrong = uri in activated(lab, outcome)
        lab.expect(expect.that(not wrong, f"{uri} is not activated for {newer(uri)}", "it is", control, outcome))
    if not required and not optional:
        lab.not_applicable("the card declares no extension", lab.claim_record)


@check(
    "a2a.cap.ext-echo",
    "The response names the extensions that were activated",
    needs={Role.ECHO},
    mutants=("extensions.not-named",),
)
async def activated_extensions_are_named(lab: A2aLab) -> None:
    """A message asks for the declared extensions; they are looked for in the header of the answer."""
    wanted = some(lab)
    outcome = await echoed(lab, *wanted)
    if not isinstance(outcome, Answer):
        lab.inconclusive(Reason.STIMULUS_FAILED, "a message that asks for extensions is not answered", outcome)
    named = activated(lab, outcome)
    told = ", ".join(sorted(named)) or "none"
    lab.expect(expect.that(bool(named & set(wanted)), f"{', '.join(wanted)} in the response", told, outcome))
