"""A plan that is read again while it is at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import anyio

from ..faults import FaultError
from ..faults.profile import Profile, read_file
from .traffic import Logged

EVERY = 0.5
"""Seconds between two looks at the file."""

Stamp = tuple[int, int, int] | None


@dataclass(slots=True)
class Reading:
    """To read a plan again that was typed arms it again."""

    profile: Profile
    arm: Callable[[Profile], None]
    logged: Logged

    def again(self) -> None:
        """Arm what the file says now. What cannot be is told, and the plan before it stays."""
        try:
            profile = read_file(self.profile.file) if self.profile.file else self.profile
            self.arm(profile)
        except FaultError as error:
            self.logged.refused(str(error))
        else:
            self.profile = profile
            self.logged.rearmed(profile)

    async def watch(self) -> None:
        """Read it again whenever the file changes, until cancelled."""
        known = self._stamp()
        while True:
            await anyio.sleep(EVERY)
            if (now := self._stamp()) != known:
                known = now
                self.again()

    def _stamp(self) -> Stamp:
        """What tells one content of the file from another; None while there is no file."""
        try:
            found = self.profile.file.stat() if self.profile.file else None
        except OSError:
            return None
        return found and (found.st_mtime_ns, found.st_size, found.st_ino)
