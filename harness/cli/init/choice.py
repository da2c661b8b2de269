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
        """Why it may be believed, in a few words."""
        if self.sight is not None:
            reports = f", {self.sight.progress} progress reports" if self.sight.progress else ""
            return f"tried: {self.sight.seconds:.1f} s{reports}"
        return f"{self.proposal.effects.value}, not tried" if self.proposal.effects is not Effects.NONE else "not tried"


Choices = dict[Role, Choice]


def choices(found: Survey) -> Choices:
    """The best for each role: what was tried and does it, else what looks as if it did and was not tried."""
    tried = {finding.proposal.role: chosen(finding) for finding in found.findings if finding.fits}
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
            return Choice(proposal, active=proposal.effects is not Effects.DESTRUCTIVE)
    return None


def typed(stimulus: Stimulus) -> Choice:
    """What a person typed: believed, and not known to be harmless."""
    return Choice(Proposal(stimulus, Effects.POSSIBLE))
