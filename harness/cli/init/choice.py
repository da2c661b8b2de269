"""Of everything that may play a role, what is written down for it."""

from __future__ import annotations

from dataclasses import dataclass

from ...model import Role
from ...stimuli import ROLES, Stimulus
from .proposal import Effects, Proposal
from .rehearsal import Finding, Sight
from .survey import Survey


@dataclass(frozen=True, slots=True)
class Choice:
    """What plays a role. `sight`: what came of it when it was tried, None where it was not. `active` false: it is
    shown, and a person has to say that it may be asked for."""

    proposal: Proposal
    sight: Sight | None = None
    active: bool = True

    @property
    def stimulus(self) -> Stimulus:
        return self.proposal.stimulus

    @property
    def remark(self) -> str:
        """What it may do, and why it may be believed, in a few words."""
        told = [self.proposal.effects.value] if self.proposal.effects is not Effects.NONE else []
        if self.sight is None:
            return ", ".join([*told, "not tried"])
        told += [f"tried: {self.sight.seconds:.1f} s" if self.sight.seconds >= 0.05 else "tried: at once"]
        return ", ".join([*told, f"{self.sight.progress} progress reports"] if self.sight.progress else told)


Choices = dict[Role, Choice]

CHANGING = frozenset({Role.MUTATE_TOOLS, Role.MUTATE_RESOURCE})
"""Roles that are played by changing what others see too."""


def choices(found: Survey) -> Choices:
    """The best for each role: what was tried and does it, else what looks as if it did and was not tried."""
    tried = {finding.proposal.role: chosen(finding) for finding in reversed(found.findings) if finding.fits}
    likely = {role: _likely(found, proposals) for role, proposals in found.candidates.items() if role not in tried}
    known = {**{role: choice for role, choice in likely.items() if choice}, **tried}
    return {role: known[role] for role in ROLES[found.protocol] if role in known}


def chosen(finding: Finding) -> Choice:
    return Choice(finding.proposal, finding.sight)


def _likely(found: Survey, proposals: list[Proposal]) -> Choice | None:
    """The first that is sure and was not tried; a destructive one for a person to decide about."""
    asked = [(f.proposal.stimulus.verb, f.proposal.stimulus.name, f.proposal.stimulus.role) for f in found.findings]
    for proposal in proposals:
        stimulus = proposal.stimulus
        if proposal.sure and (stimulus.verb, stimulus.name, stimulus.role) not in asked:
            return Choice(proposal, active=_harmless(proposal))
    return None


def _harmless(proposal: Proposal) -> bool:
    """May it be asked for unless somebody says no? What changes something for all does have effects."""
    return proposal.effects is Effects.NONE or (proposal.effects is Effects.POSSIBLE and proposal.role not in CHANGING)


def typed(stimulus: Stimulus) -> Choice:
    """What a person typed: believed, and not known to be harmless."""
    return Choice(Proposal(stimulus, Effects.POSSIBLE))
