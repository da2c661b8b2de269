"""Cases among the workers of xdist."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from seatrial.cli import main
from seatrial.conduct import Conduct
from seatrial.kept import Kept, load
from seatrial.model import Verdict

from .conftest import Project, Serve
from .test_cases import FEW, FOUND, MUTANT


def folders(project: Project) -> list[Path]:
    return sorted((project.path / ".seatrial" / "runs").iterdir())


def verdicts(run: Kept) -> dict[str, Verdict]:
    return {result.case.id: result.verdict for result in run.finished.results}


def test_two_workers_find_what_one_process_finds_and_leave_shards_of_one_run(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    told = project.apart("--seatrial", "seatrial.toml", "-n", "2", *FEW, plugins=("xdist", "xdist.looponfail"))
    told.assert_outcomes(passed=2, failed=1)
    told.stdout.fnmatch_lines([f"FAILED seatrial.toml::{FOUND} *".replace("[", "[[]")])
    first, second = folders(project)
    assert (first.name, second.name) == (f"{first.name[:-4]}-gw0", f"{first.name[:-4]}-gw1")

    merged = CliRunner().invoke(main, ["merge", str(first), str(second), "--output", str(project.path / "whole")])
    assert merged.exit_code == 1, merged.output

    project.cases(*FEW)
    (alone,) = (folder for folder in folders(project) if not folder.name.endswith(("-gw0", "-gw1")))
    assert verdicts(load(project.path / "whole")) == verdicts(load(alone))
    assert len(verdicts(load(alone))) == 3


def test_a_worker_without_work_leaves_a_shard_all_the_same(project: Project, serve: Serve) -> None:
    project.describe(serve())
    only = ("-k", "mcp.err.parse")
    told = project.apart("--seatrial", "seatrial.toml", "-n", "2", *only, plugins=("xdist", "xdist.looponfail"))
    told.assert_outcomes(passed=1)
    whole = project.path / "whole"
    merged = CliRunner().invoke(main, ["merge", *map(str, folders(project)), "--output", str(whole)])
    assert merged.exit_code == 0, merged.output
    assert list(verdicts(load(whole)).values()) == [Verdict.PASS]


def test_workers_share_what_is_due_to_somebody_elses_server() -> None:
    alone, shared = Conduct().towards(foreign=True), Conduct(among=2).towards(foreign=True)
    assert alone.budget is not None
    assert (shared.rate, shared.budget) == (alone.rate / 2, alone.budget // 2)
