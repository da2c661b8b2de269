"""Declaring checks, and refusing declarations that cannot be right."""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType

from .model import Check, CheckBody, Harm, Isolation, Mutant, Need, Requirement, Suite
from .protocols import known
from .requirements import load, reasons


class RegistryError(ValueError):
    """A suite that contradicts its own tables; the text names the suite, the check and the row."""


def check(
    id: str,
    title: str,
    *,
    requirements: Iterable[str] = (),
    needs: Iterable[Need] = (),
    faults: Iterable[str] = (),
    mutants: Iterable[str] = (),
    isolation: Isolation = Isolation.SHARED,
    monitor: bool = False,
    traffic: Iterable[str] = (),
    patience: float = 0.0,
    harm: Harm | None = None,
    limits: bool = False,
) -> Callable[[CheckBody], Check]:
    """Declare a check: the decorated function becomes a Check. `requirements` defaults to the check's own id.

    `harm` defaults to what isolation and faults tell.
    """

    def declare(body: CheckBody) -> Check:
        return Check(
            id=id,
            title=title,
            requirements=tuple(requirements) or (id,),
            body=body,
            needs=frozenset(needs),
            faults=tuple(faults),
            mutants=tuple(mutants),
            isolation=isolation,
            monitor=monitor,
            traffic=tuple(traffic),
            patience=patience,
            harm=_harm(isolation, faults) if harm is None else harm,
            limits=limits,
        )

    return declare


_GENTLE = frozenset(
    {
        *("latency", "throttle", "slice", "split_at", "buffer", "keepalive_churn", "inject_comment", "blank"),
        *("pipe_split", "pipe_merge", "stderr_noise", "fragment"),
    }
)
"""Faults that a correct peer does not notice."""


def _harm(isolation: Isolation, faults: Iterable[str]) -> Harm:
    """Who wants a process of its own means to end it; a malign fault breaks a connection."""
    return Harm.DISRUPTION if isolation is Isolation.PROCESS or set(faults) - _GENTLE else Harm.NONE


def collect(*modules: ModuleType) -> tuple[Check, ...]:
    """Every check of some modules, in the order of definition: single ones, and tuples made from tables."""
    found: list[Check] = []
    for module in modules:
        for value in vars(module).values():
            parts = value if isinstance(value, tuple | list) else (value,)
            found += [part for part in parts if isinstance(part, Check)]
    return tuple(dict.fromkeys(found))


def suite(
    name: str,
    checks: Iterable[Check],
    requirements: Iterable[Requirement],
    mutants: Iterable[Mutant] = (),
    uncovered: dict[str, str] | None = None,
) -> Suite:
    """A validated suite. Raises RegistryError."""
    found = Suite(name, tuple(checks), tuple(requirements), tuple(mutants), uncovered or {})
    for problem in problems(found):
        raise RegistryError(f"suite {name}: {problem}")
    return found


def problems(suite: Suite) -> list[str]:
    """What is wrong with a suite by its own tables."""
    rows = {row.id: row for row in suite.requirements}
    mutants = {mutant.id for mutant in suite.mutants}
    counts = Counter(check.id for check in suite.checks)
    found = [f"check {ident} is declared {n} times" for ident, n in counts.items() if n > 1]
    for item in suite.checks:
        found += [
            f"check {item.id} names requirement {r}, which is in no table" for r in item.requirements if r not in rows
        ]
        found += [f"check {item.id} names mutant {m}, which does not exist" for m in item.mutants if m not in mutants]
        spoken = {rows[r].protocol for r in item.requirements if r in rows}
        if len(spoken) > 1:
            found.append(f"check {item.id} has rows of {len(spoken)} protocols: {', '.join(sorted(spoken))}")
        if not item.title.strip():
            found.append(f"check {item.id} has no title")
    return found


def uncovered(suite: Suite) -> dict[str, str]:
    """Requirements without a check, with the reason that the suite gives ("" when it gives none)."""
    covered = {requirement for item in suite.checks for requirement in item.requirements}
    return {row.id: suite.uncovered.get(row.id, "") for row in suite.requirements if row.id not in covered}


def assemble(package: str, mutants: Iterable[Mutant]) -> Suite:
    """The suite of a package: the checks of its modules that are named after a protocol (mcp.py, mcp_http.py, …), its
    requirement table and the reasons for its gaps."""
    folder = import_module(package)
    found = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    modules = [import_module(f"{package}.{name}") for name in found if name.split("_")[0] in known()]
    return suite(package.rpartition(".")[2], collect(*modules), load(package), mutants, reasons(package))
