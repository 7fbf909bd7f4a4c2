"""The execution of a campaign's runs on this machine, and the storage of their outcomes.

``systemd-run --user --scope -p Delegate=yes COMMAND`` starts a command in a delegated control group, with a subgroup
for each run. Interface: Linux, admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from crosslit.base.errors import SpecError
from crosslit.base.version import __version__
from crosslit.contract.run import Run
from crosslit.judging.verdict import puzzle_json
from crosslit.kinds import find_kind
from crosslit.registry import Choice
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner
from crosslit_bench.plan.campaign import CampaignSpec, PlannedRun, chosen, find_change
from crosslit_bench.store.outcome import BY_CGROUP, BY_PROC, Circumstances, Outcome, RejectedRun, circumstances
from crosslit_bench.store.store import Store


class GroupTree:
    """The group of this process, with a subgroup for each run; an OSError if it is not delegated.

    This process moves into a subgroup too, because a group that limits others must not contain processes.
    """

    def __init__(self, parent: Path, controllers: tuple[str, ...] = ("memory",)) -> None:
        # Checked before anything is created, so that a system without delegation is left as it was.
        missing = set(controllers) - set((parent / "cgroup.controllers").read_text("utf-8").split())
        if missing:
            raise OSError(f"no controller {', '.join(sorted(missing))} in {parent}")
        self._parent, self._own = parent, parent / f"crosslit-{os.getpid()}"
        self._own.mkdir()
        try:
            # This order is the kernel's rule: controllers can only be passed on by a group that contains no process.
            (self._own / "cgroup.procs").write_text(str(os.getpid()), "utf-8")
            if controllers:
                (parent / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers), "utf-8")
        except OSError:
            self.close()
            raise

    def path(self, number: int) -> str:
        """Return the path of the group of a run, for `crosslit.runs.runner.Runner`."""
        # A sibling of this process's group, since that one contains a process and so cannot limit a subgroup.
        return f"{self._own}-run-{number}"

    def close(self) -> None:
        """Move this process back, and remove its group."""
        with suppress(OSError):
            (self._parent / "cgroup.procs").write_text(str(os.getpid()), "utf-8")
        with suppress(OSError):
            self._own.rmdir()


def own_group() -> Path:
    """Return the folder of the group of this process."""
    places = [line.split()[1] for line in Path("/proc/mounts").read_text("utf-8").splitlines() if " cgroup2 " in line]
    # Version 2 has the single line "0::PATH" there; the lines of version 1 have other numbers and controllers.
    names = [line[3:] for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines() if line.startswith("0::")]
    if not places or not names:
        raise OSError("no cgroup v2")
    return Path(places[0], names[0].lstrip("/"))


def delegated() -> GroupTree | None:
    """Return the group of this process if it is delegated, so that runs can have subgroups; otherwise None."""
    try:
        return GroupTree(own_group())
    except OSError:
        return None


# A transaction waits for the disk, which takes longer than a short run; only so much time is lost if it is not reached.
_MAX_BATCH = 1000  # rows stored in one transaction
_MAX_BATCH_SECONDS = 0.1  # of their runs together
WARM_UP_SECONDS = 10.0  # time limit of a warm-up run, unless the campaign's is lower


class RunExecutor:
    """A context manager that makes runs, here or remotely, and leaves nothing running."""

    def __init__(self, runner: Runner) -> None:
        self._runner, self._stack = runner, contextlib.ExitStack()
        self.on_idle: Callable[[], object] = lambda: None  # called when no run has ended for a while
        runner.on_idle = lambda: self.on_idle()

    @property
    def interrupted(self) -> bool:
        """True after Ctrl-C: current runs end without an outcome, and no more are started."""
        return self._runner.interrupted

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def outcomes(self, planned: Sequence[PlannedRun]) -> Generator[tuple[PlannedRun, Outcome], None, None]:
        """Yield the runs with their outcomes, each as soon as it ends, without interrupted ones."""
        raise NotImplementedError


class LocalExecutor(RunExecutor):
    """An executor on this machine, with a process for each run.

    Before the first measured run, every backend with every encoding makes a warm-up run on a tiny puzzle, which is not
    stored: it starts the fork servers and loads their files from disk. Ctrl-C is handled from ``__enter__`` on. The
    raw output of commands goes to the folder ``outputs``, if any.
    """

    def __init__(self, campaign: CampaignSpec, side_by_side: int = 1, outputs: Path | None = None) -> None:
        self._campaign, self._side_by_side, self._outputs = campaign, side_by_side, outputs
        self._groups = delegated()
        group_of = self._groups.path if self._groups else None
        super().__init__(Runner(campaign.limits, side_by_side, self._started, group_of=group_of))
        self._under_way: dict[int, tuple[PlannedRun, Job, Circumstances | None]] = {}  # by the id() of the job

    def __enter__(self) -> Self:
        if self._groups:
            self._stack.callback(self._groups.close)
        self._stack.enter_context(self._runner.guard())  # until results are stored: an interrupt must not lose one
        self._stack.enter_context(self._runner)
        return self

    def outcomes(self, planned: Sequence[PlannedRun]) -> Generator[tuple[PlannedRun, Outcome], None, None]:
        """Yield the runs with their outcomes, after warm-up runs."""
        with contextlib.closing(self._runner.runs(tiny_jobs(planned, self._campaign))) as runs:
            for _ in runs:
                pass
        with contextlib.closing(self._runner.runs(self._jobs(planned))) as runs:
            for job, run in runs:
                planned_run, _, begun = self._under_way.pop(id(job))
                if run.status != "interrupted":
                    where = begun or self._circumstances()  # an unsupported puzzle: the run has never started
                    yield planned_run, Outcome(key=planned_run.key, run=run, circumstances=where)

    def _jobs(self, planned: Sequence[PlannedRun]) -> Iterator[Job]:
        for run in planned:
            job = run.job(self._campaign.question, self._outputs)
            # The job is kept with its id, which Python could otherwise give to another object.
            self._under_way[id(job)] = run, job, None
            yield job

    def _started(self, job: Job) -> None:
        if id(job) in self._under_way:
            self._under_way[id(job)] = (*self._under_way[id(job)][:2], self._circumstances())

    def _circumstances(self) -> Circumstances:
        return circumstances(self._side_by_side, limits_by=BY_CGROUP if self._groups else BY_PROC)


def tiny_jobs(planned: Sequence[PlannedRun], campaign: CampaignSpec) -> Iterator[Job]:
    """Yield a short run on a tiny puzzle for every backend and encoding of some planned runs that supports it."""
    short = replace(campaign.limits, seconds=min(WARM_UP_SECONDS, campaign.limits.seconds))
    seen: set[tuple[str, str]] = set()
    for run in planned:
        # Options do not matter here: the first run only has to load files and start servers.
        head = run.contestant.partition(":")[0]
        kind = run.puzzle.kind
        if (head, kind) in seen:
            continue
        seen.add((head, kind))
        puzzle = find_kind(kind).samples()[-1]
        choice = chosen(run.spec, puzzle, campaign.question)
        if choice.refusal is None:
            yield Job(choice=choice, puzzle=puzzle, request=Solve(question=campaign.question), limits=short)


def check_versions(store: Store, planned: Sequence[PlannedRun]) -> None:
    """Check that planned runs would be made as planned: their keys must describe them."""
    about = store.about
    choices: dict[tuple[str, str], Choice] = {}  # by kind, as it does not matter here which puzzles are supported
    for run in planned:
        what = run.spec, run.puzzle.kind
        if what not in choices:
            choices[what] = chosen(run.spec, run.puzzle, about.question)
        # Checked for all runs before the first: a campaign of mixed versions could not be interpreted.
        if why := find_change(run, about, choices[what]):
            if store.made_by != __version__:
                why = f"planned by Crosslit {store.made_by}, this is {__version__}"
            raise SpecError(f"{store.path}: {why}; `crosslit bench run` on the campaign's file makes a new plan")


@dataclass(frozen=True)
class ExecutionResult:
    """The result of making the missing runs of a store."""

    kept: int  # number of runs that were stored
    unkept: tuple[RejectedRun, ...] = ()  # runs that cannot be stored
    lost: tuple[PlannedRun, ...] = ()  # runs whose worker was lost

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        unkept = [
            {
                "puzzle": puzzle_json(run.planned.puzzle, None),
                "contestant": run.planned.contestant,
                "reason": run.reason,
            }
            for run in self.unkept
        ]
        return {"new": self.kept, "unkept": unkept, "lost": len(self.lost)}


def make(
    store: Store,
    executor: RunExecutor,
    planned: Sequence[PlannedRun],
    on_outcome: Callable[[PlannedRun, Run], None] = lambda _planned, _run: None,
) -> ExecutionResult:
    """Make the runs that are missing from a store, and store each as soon as it ends, short ones several at a time."""
    there = store.keys()
    missing = [run for run in planned if run.key not in there]
    if not missing:
        return ExecutionResult(0)
    waiting: list[tuple[PlannedRun, Outcome]] = []
    unkept: list[RejectedRun] = []
    lost: list[PlannedRun] = []
    kept, seconds = 0, 0.0

    def keep() -> None:
        nonlocal kept, seconds
        new, refused = store.add_all(waiting)
        waiting.clear()
        unkept.extend(refused)
        kept, seconds = kept + new, 0.0

    executor.on_idle = keep
    try:
        with contextlib.closing(executor.outcomes(missing)) as outcomes:  # ends its runs before the executor is closed
            for run, outcome in outcomes:
                if outcome.run.status == "lost":
                    lost.append(run)  # not stored, so that it is repeated: it says nothing about the backend
                    continue
                waiting.append((run, outcome))
                seconds += outcome.run.timing.wall
                if seconds >= _MAX_BATCH_SECONDS or len(waiting) >= _MAX_BATCH:
                    keep()
                on_outcome(run, outcome.run)
    finally:
        keep()
    return ExecutionResult(kept, tuple(unkept), tuple(lost))
