"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How fast a machine is says nothing about what is right: no example has a deadline.
settings.register_profile("seatrial", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("seatrial")
