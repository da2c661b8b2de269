"""What `--faults` means."""

from __future__ import annotations

from ..faults import FaultError
from ..faults.profile import Profile, read_profile
from .refusal import Refused


def profile(written: str) -> Profile:
    """Raises Refused."""
    try:
        return read_profile(written)
    except FaultError as error:
        raise Refused(f"--faults: {error}") from None
