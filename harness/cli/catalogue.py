"""The suites as the command line sees them: everything that has a name, and whether a name exists."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..discovery import SuiteError, load_regressions, load_suites
from ..document import ConfigError
from ..keyword import KeywordError
from ..model import Check, Mutant, Requirement, Suite
from ..options import Options
from ..planning import Selection
from ..protocols import driver_of, names
from ..spelling import unknown
from .refusal import Refused


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All loaded suites. The `require` functions raise Refused for a name that does not exist."""

    suites: tuple[Suite, ...]

    @property
    def checks(self) -> dict[str, tuple[Suite, Check]]:
        return {check.id: (suite, check) for suite in self.suites for check in suite.checks}

    @property
    def requirements(self) -> dict[str, Requirement]:
        return {row.id: row for suite in self.suites for row in suite.requirements}

    @property
    def mutants(self) -> dict[str, Mutant]:
        return {mutant.id: mutant for suite in self.suites for mutant in suite.mutants}

    @property
    def versions(self) -> tuple[str, ...]:
        """Those that columns can have."""
        return tuple(dict.fromkeys(version for name in names() for version in driver_of(name).versions))

    @property
    def bindings(self) -> tuple[str, ...]:
        return tuple(sorted({binding for row in self.requirements.values() for binding in row.bindings}))

    def rows(self, check: Check) -> tuple[Requirement, ...]:
        known = self.requirements
        return tuple(known[name] for name in check.requirements if name in known)

    def selects(self, selection: Selection, suite: Suite, check: Check) -> bool:
        """Is a check wanted? Raises Refused for an expression that cannot be understood."""
        rows = self.rows(check)
        try:
            return selection.wants(suite.name, check, rows) and selection.admits(rows)
        except KeywordError as error:
            raise Refused(f"-k {selection.keyword!r} {error}; write words with and, or, not and parentheses") from None

    def concerns(self, protocol: str, options: Options) -> bool:
        """Is anything of a protocol selected?"""
        known = driver_of(protocol)
        if options.versions and not set(options.versions) & set(known.versions):
            return False
        rows = (
            row
            for suite, check in self.checks.values()
            if self.selects(options.selection, suite, check)
            for row in self.rows(check)
        )
        return any(
            row.protocol == protocol and (not options.bindings or set(options.bindings) & set(row.bindings))
            for row in rows
        )

    def require_suites(self, names: Iterable[str]) -> None:
        _require("suite", names, [suite.name for suite in self.suites])

    def require_versions(self, names: Iterable[str]) -> None:
        _require("version", names, self.versions)

    def require_bindings(self, names: Iterable[str]) -> None:
        _require("binding", names, self.bindings)

    def require_mutants(self, names: Iterable[str]) -> None:
        _require("mutant", names, self.mutants)

    def require_requirements(self, patterns: Iterable[str]) -> None:
        """Requirement ids, or patterns with `*` that match some."""
        rows = self.requirements
        _require("requirement", (p for p in patterns if not fnmatch.filter(rows, p)), rows)

    def require_checks(self, patterns: Iterable[str]) -> None:
        """Check ids, or patterns with `*` that match some."""
        checks = self.checks
        _require("check", (p for p in patterns if not fnmatch.filter(checks, p)), checks)


def _require(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise Refused(unknown(kind, name, known))


def load(extra: Sequence[Path] = (), folder: Path | None = None) -> Catalogue:
    """Installed suites, those in `extra` files, and the regressions that are kept in a folder.

    Raises Refused when one cannot be loaded.
    """
    try:
        return Catalogue((*load_suites(extra), *(load_regressions(folder) if folder is not None else ())))
    except (SuiteError, ConfigError) as error:
        raise Refused(str(error)) from None
