"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from .conduct import Conduct
from .faults import Fault
from .faults.profile import BENIGN, Profile, read_profile
from .matrix import Policy
from .planning import Selection, Shard


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a run was asked to do. `versions` and `bindings` empty: whatever the target speaks.

    `repeat`: so often is each case run. `shard`: only this part of the cases. `first`: ids of the cases that begin.
    `maxfail`: no case begins after so many failures in the eyes of `policy`; 0: all do. `conduct`: how the target is
    treated. `plan` are the faults of a profile that is neither `none` nor `benign`.
    """

    seed: int = 0
    tempo: float = 1.0
    profile: str = "none"
    plan: tuple[Fault, ...] = ()
    versions: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()
    concurrency: int = 8
    selection: Selection = field(default_factory=Selection)
    repeat: int = 1
    shard: Shard | None = None
    first: frozenset[str] = frozenset()
    maxfail: int = 0
    policy: Policy = field(default_factory=Policy)
    conduct: Conduct = field(default_factory=Conduct)

    @property
    def ambient(self) -> Profile:
        """What surrounds the whole run."""
        return read_profile(BENIGN) if self.profile == BENIGN else Profile(self.profile, self.plan)
