"""The cases of a target as pytest items, and sessions and faults for a team's own tests.

Only what pytest asks at its start stands here; all else is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .labs import Labs

FIXTURES = frozenset({"seatrial_lab", "seatrial_receiver"})


class SeatrialWarning(UserWarning):
    """A SHOULD that did not hold."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("seatrial_config", "where seatrial_lab finds its targets (default: seatrial.toml)")
    group = parser.getgroup("seatrial", "conformance of agent-protocol servers")
    add = group.addoption
    add("--seatrial", metavar="FILE", help="Run the checks against the targets that FILE describes, one test per case.")
    add("--seatrial-target", metavar="NAME", action="append", default=[], help="Only this target (repeatable).")
    add("--seatrial-strict", action="store_true", help="A WARN fails its test.")
    add("--seatrial-strict-info", action="store_true", help="A note counts as a WARN.")
    add(
        "--seatrial-allow-inconclusive",
        metavar="REASON,...",
        help="Skip what could not be judged for these reasons, or for all; otherwise it fails.",
    )
    add("--seatrial-baseline", metavar="FILE", help="Failures that are accepted (default: seatrial.baseline.toml).")
    add("--seatrial-no-baseline", action="store_true", help="Accept no failure.")
    add("--seatrial-allow-effects", action="store_true", help="Somebody else's server may be made to do anything.")
    add(
        "--seatrial-faults",
        default="none",
        metavar="PLAN",
        help="Faults around the whole run: none, benign, FILE, text.",
    )
    add("--seatrial-seed", metavar="SEED", type=int, help="Repeat the random choices of an earlier run.")
    add("--seatrial-tempo", metavar="FACTOR", type=float, default=1.0, help="Factor on every duration.")
    add("--seatrial-suites", metavar="PATH", action="append", default=[], help="Load further suites from a file.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "seatrial(target, version, binding, **keys): what seatrial_lab opens; keys are those of a target, such as url",
    )
    if config.getoption("--seatrial"):
        from .cases import enlist

        enlist(config)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A test with one of our fixtures: an async one is run where its lab lives, and what it expected is judged."""
    if FIXTURES.isdisjoint(pyfuncitem.fixturenames):
        return (yield)
    from .own import called

    return (yield from called(pyfuncitem))


@pytest.fixture(scope="session")
def _seatrial_labs(pytestconfig: pytest.Config) -> Iterator[Labs]:
    """What the tests of a session share: open targets, and the thread in which they are."""
    from .labs import Labs

    with Labs.opened(pytestconfig) as labs:
        yield labs


@pytest.fixture
def seatrial_target(request: pytest.FixtureRequest) -> str | Mapping[str, Any]:
    """What `seatrial_lab` opens: a URL, the name of a target of the configuration ("": its only one), or keys of one.

    Unless it is overridden, what the mark `seatrial` says.
    """
    from .labs import description_of

    return description_of(request.node)


@pytest.fixture
def seatrial_lab(
    request: pytest.FixtureRequest, _seatrial_labs: Labs, seatrial_target: str | Mapping[str, Any]
) -> Iterator[Any]:
    """A lab on the target of the test.

    An async test gets the lab of a check; for a plain function its coroutines block and its contexts are plain ones.
    """
    from .own import lab_of

    with lab_of(request, _seatrial_labs, seatrial_target) as lab:
        yield lab


@pytest.fixture
def seatrial_receiver(request: pytest.FixtureRequest, _seatrial_labs: Labs) -> Iterator[Any]:
    """A webhook receiver on loopback whose hooks answer as they are told, and keep every delivery."""
    from .own import receiver_of

    with receiver_of(request, _seatrial_labs) as receiver:
        yield receiver
