"""From the `policy_options` of a command line to what counts as a failure."""

from __future__ import annotations

from pathlib import Path

from ..matrix import Policy
from ..model import Reason
from ..spelling import unknown
from .baseline import heeded
from .options import ALLOW, EVERY_REASON
from .refusal import Refused


def policy(
    *,
    strict: bool,
    strict_info: bool,
    allow_inconclusive: str | None,
    baseline: Path | None,
    no_baseline: bool,
    config: Path | None = None,
    whole: bool = True,
) -> Policy:
    """The baseline is looked for beside `config`. `whole`: no case is left out. Raises Refused."""
    reasons, accepted = allowed(allow_inconclusive), heeded(baseline, no_baseline, config)
    return Policy(strict=strict, strict_info=strict_info, allowed=reasons, baseline=accepted, whole=whole)


def allowed(text: str | None, option: str = ALLOW) -> frozenset[Reason]:
    """The reasons that an option names, separated by commas, or every one of them. Raises Refused."""
    names = [] if text is None else list(Reason) if text == EVERY_REASON else text.split(",")
    for name in names:
        if name not in list(Reason):
            raise Refused(f"{option}: {unknown('reason', name, Reason)}")
    return frozenset(map(Reason, names))
