"""The worker's side of distributed runs: each order is carried out once, by the process that it names.

It does not depend on Dask: `crosslit_bench.execution.dask` delivers the orders.
"""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from crosslit._version import __version__
from crosslit.errors import SpecError
from crosslit.kinds import Puzzle
from crosslit.registry import Choice, commands
from crosslit.runs.runner import Runner
from crosslit_bench.execution.local import tiny_jobs
from crosslit_bench.plan.campaign import CampaignSpec
from crosslit_bench.plan.plan import PlannedRun, chosen, key_of
from crosslit_bench.store.answers import StoredAnswer, storable
from crosslit_bench.store.outcome import Outcome, circumstances

EXECUTOR = "dask"
END_SECONDS = 10.0  # time for the current runs to end
POLL_SECONDS = 0.2  # seconds between checks for cancelled runs
IDLE_SECONDS = 60.0  # seconds without a run after which the fork servers end

PROCESS = uuid.uuid4().hex  # identifies this process, as a later one may get its address


class RunOrder(NamedTuple):
    """The order to make a run, addressed to one process; the token identifies a call of `DaskExecutor.outcomes`."""

    id: str
    process: str
    token: str
    planned: PlannedRun
    campaign: CampaignSpec


@dataclass(frozen=True, kw_only=True)
class WorkerReply:
    """A worker's reply to an order: the outcome, or the reason why the run was not made."""

    outcome: Outcome | None = None  # without solutions
    answer: StoredAnswer | None = None  # pickling a million small objects takes far longer than one block of bytes
    differs: str = ""
    refused: bool = False

    def whole(self, puzzle: Puzzle) -> Outcome | None:
        """Return the outcome with its solutions of a puzzle."""
        if self.outcome is None or self.answer is None:
            return self.outcome
        run = dataclasses.replace(self.outcome.run, grids=self.answer.grids(puzzle))
        return dataclasses.replace(self.outcome, run=run)


class _Bench:
    """The state of one campaign in a worker process: a warm runner for each thread."""

    def __init__(self, campaign: CampaignSpec) -> None:
        self.campaign = campaign
        self._lock = threading.Lock()
        # One for each thread, because a runner makes the runs of one caller.
        self._runners: dict[int, Runner] = {}
        self._warmed: set[tuple[int, str, str]] = set()
        self._active: dict[str, tuple[Runner, Callable[[], bool]]] = {}
        self._ended = self._watched = False
        self._used = time.monotonic()
        for name, command in campaign.solvers.items():
            commands.define(name, command, "[solvers]", str(campaign.folder))

    def make(self, order: RunOrder, choice: Choice, threads: int, wanted: Callable[[], bool]) -> WorkerReply:
        """Make a run in this thread, unless it is cancelled."""
        thread = threading.get_ident()
        with self._lock:
            if self._ended:
                return WorkerReply(refused=True)
            runner = self._runners.get(thread)
            # An interrupted runner starts nothing any more.
            if runner is None or runner.interrupted:
                runner = self._runners[thread] = Runner(self.campaign.limits)
                self._warmed = {warm for warm in self._warmed if warm[0] != thread}
            self._active[order.id] = runner, wanted
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True, name=f"crosslit-{order.token}").start()
        try:
            self._warm(runner, choice, order.planned)
            where = circumstances(threads, EXECUTOR)
            run = runner.run(order.planned.job(self.campaign.question))
        finally:
            with self._lock:
                del self._active[order.id]
                self._used = time.monotonic()
                if self._ended or runner.interrupted:
                    runner.__exit__(None, None, None)
                    self._runners.pop(thread, None)
        run, answer = storable(run)
        outcome = Outcome(key=order.planned.key, run=dataclasses.replace(run, grids=[]), circumstances=where)
        return WorkerReply(outcome=outcome, answer=answer)

    def _warm(self, runner: Runner, choice: Choice, planned: PlannedRun) -> None:
        """Make an unmeasured tiny run before a backend's first run in this thread, to load its files from disk."""
        warm = threading.get_ident(), choice.backend.name, choice.encoding.name if choice.encoding else ""
        if warm not in self._warmed:
            self._warmed.add(warm)
            for job in tiny_jobs([planned], self.campaign):
                runner.run(job)

    def _watch(self) -> None:
        """Interrupt cancelled runs: the parent process may die without a message."""
        while self._watched:
            time.sleep(POLL_SECONDS)
            with self._lock:
                for runner, wanted in self._active.values():
                    if self._ended or not wanted():
                        runner.interrupted = True
                # Fork servers hold engines in memory, and the worker may belong to a cluster that others use.
                if not self._active and (self._ended or time.monotonic() - self._used > IDLE_SECONDS):
                    self._close()
                    self._watched = False

    def _close(self) -> None:
        for runner in self._runners.values():
            runner.__exit__(None, None, None)
        self._runners.clear()
        self._warmed.clear()

    def end(self) -> bool:
        """End all runs and start no more; return whether all have ended."""
        with self._lock:
            self._ended = True
            for runner, _ in self._active.values():
                runner.interrupted = True
            if not self._active:
                self._close()
            return not self._active


_benches: dict[str, _Bench] = {}
_over: set[str] = set()  # tokens of ended calls, whose late orders are rejected
_begun: set[str] = set()  # ids of orders that were started
_lock = threading.Lock()


def make(order: RunOrder, threads: int, wanted: Callable[[], bool]) -> WorkerReply:
    """Make a run, unless its order is for another process or was started before.

    Another thread calls ``wanted`` during the run, and ends it if it is False. ``threads`` runs are made in parallel.
    """
    _, process, token, planned, campaign = order
    with _lock:
        if process != PROCESS or order.id in _begun or token in _over:
            return WorkerReply(refused=True)
        # Noted before the run starts: a repeated order must be rejected even if the first one fails.
        _begun.add(order.id)
        try:
            bench = _benches.get(token) or _benches.setdefault(token, _Bench(campaign))
        except SpecError as error:
            return WorkerReply(differs=str(error))
    try:
        choice = chosen(planned.spec, planned.puzzle, campaign.question)
    except SpecError as error:
        return WorkerReply(differs=str(error))
    # The worker computes the key itself, from its own files: equal keys mean equal software.
    if key_of(choice, planned.puzzle, campaign.question, campaign.limits, planned.repetition) != planned.key:
        name, absent = choice.backend.name, "(not available)"
        if choice.version == planned.version:
            return WorkerReply(differs=f"its files of {name} or crosslit differ from those of the plan")
        here = f"crosslit {__version__} and {name} {choice.version or absent}"
        return WorkerReply(differs=f"it has {here}, the plan has {name} {planned.version or absent}")
    return bench.make(order, choice, threads, wanted)


async def end(token: str) -> bool:
    """End the runs of a campaign in this process; return whether they have ended."""
    with _lock:
        _over.add(token)
        bench = _benches.pop(token, None)
    until = time.monotonic() + END_SECONDS
    # In another thread, since the lock may be held, and a blocked event loop would stop the worker's messages.
    while bench is not None and not await asyncio.to_thread(bench.end):
        if time.monotonic() > until:
            return False
        await asyncio.sleep(POLL_SECONDS / 4)
    return True
