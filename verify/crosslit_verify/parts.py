"""Verification by several workers: they ask and judge blocks of cases, and failures are shrunk in this process.

The cases are numbered here, and the blocks are taken in order, so that the result is that of one worker.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from crosslit_generate import Case

from crosslit.base.errors import InputError
from crosslit.base.numbers import shorten
from crosslit.workers import open_executor
from crosslit.workers.executor import Executor, Result, in_order
from crosslit_verify.clock import CLOSING_SECONDS, Deadline, OutOfTime
from crosslit_verify.failure import Asked, cause_of
from crosslit_verify.judging import Problem
from crosslit_verify.records import Coverage
from crosslit_verify.replay import Corpus
from crosslit_verify.session import AGAIN_AFTER, AGAIN_EVERY, Session
from crosslit_verify.settings import Settings
from crosslit_verify.shrinking import SECONDS
from crosslit_verify.subject import Subject

_BLOCK_SECONDS = 1.0  # what a block should take
_MAX_BLOCK = 64 * AGAIN_EVERY
_MAX_SHOWN = 120  # characters of a puzzle


class Block(NamedTuple):
    """Cases with successive numbers: the task of a worker."""

    order: int  # among the blocks, from 0
    number: int  # of the first case
    cases: tuple[Case, ...]
    elapsed: float  # seconds since the start of the verification
    hangs: int  # number of hangs found before


@dataclass(frozen=True)
class BlockResult:
    """The result of a block: its failures, each with the coverage before it, and the rest of the coverage."""

    failures: list[tuple[Coverage, Asked, Problem, bool | None]]
    coverage: Coverage
    shares: dict[str, float]
    slowest: float  # seconds of the slowest answer
    has_read: bool  # whether any answer was readable
    seconds: float
    host: str  # name of the worker's machine


class Part(Session):
    """The part of a verification that one worker does: it asks and judges blocks of cases."""

    def judge(self, block: Block) -> BlockResult:
        """Ask and judge the cases of a block, until the first failure or all of them."""
        self.coverage, self.shares, self.counts = Coverage(), dict.fromkeys(self.shares, 0.0), Counter()
        if block.hangs:
            self.counts["hang"] = block.hangs
        self._waiting.clear()
        self._found: list[tuple[Coverage, Asked, Problem, bool | None]] = []
        began = time.monotonic()
        self._began = began - block.elapsed
        left = self.settings.seconds and max(self.settings.seconds - block.elapsed, 0.0)
        self._deadline = self._oracle.deadline = Deadline(left)
        self._subject.end_by(self._deadline)
        self._in_time(lambda: self._each(enumerate(block.cases, block.number)) or "")
        seconds = time.monotonic() - began
        return BlockResult(
            self._found, self.coverage, self.shares, self._slowest, self._has_read, seconds, platform.node()
        )

    def _settle(self, met: Asked, problem: Problem, again: bool | None, worker: str = "") -> None:  # noqa: ARG002
        self._found.append((self.coverage, met, problem, again))
        self.coverage = Coverage()
        self.counts[problem.group] += 1


@contextlib.contextmanager
def part(
    settings: Settings, make_subject: Callable[[], Subject], _side_by_side: int
) -> Iterator[Callable[[Block], BlockResult]]:
    """Open a worker of a verification, as a service of `crosslit.workers`."""
    with make_subject() as subject:
        session = Part(settings, subject)
        try:
            yield session.judge
        finally:
            session._oracle.close()
            subject.end_by(Deadline(-CLOSING_SECONDS))  # nobody waits for the end of a worker's solver


class SharedSession(Session):
    """A verification by workers; the first cases are asked here, to find a wrong set-up at once."""

    def __init__(self, executor: Executor, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._executor, self._seconds_each = executor, 0.0

    def _following_cases(self) -> str | None:
        waiting, last = dict[int, Result](), AGAIN_AFTER
        with contextlib.closing(self._executor.results(self._blocks())) as results:
            try:
                for result in in_order(results, waiting):
                    self._take(result, results.close)
                    last += len(result.task.cases)
                    self._on_case(self)
                    if (self.counts or self.coverage.unrepeated) and not self.settings.keep_going:
                        return "stopped at the first failure"
            except InputError as error:  # such as a scheduler that is gone
                if not self.failures:
                    raise
                return f"stopped: {error}"
            except KeyboardInterrupt:
                for number in sorted(waiting):
                    judged = waiting[number].value
                    # there is no time to repeat those of other machines
                    for _, met, problem, _ in judged.failures if judged and judged.host == platform.node() else ():
                        self._keep_unconfirmed(met, problem)
                raise
        if self._deadline.is_over:
            raise OutOfTime
        if last == self.settings.cases:
            return f"stopped after {self.settings.cases:,} cases"
        return None

    def _blocks(self) -> Iterator[Block]:
        """Yield the blocks, each as soon as a worker is free; no puzzle waits to be asked again at their ends."""
        number, orders = AGAIN_AFTER + 1, itertools.count()
        with contextlib.suppress(OutOfTime):
            while not self._deadline.is_over:
                each = max(self._seconds_each, _BLOCK_SECONDS / _MAX_BLOCK) if self._seconds_each else _BLOCK_SECONDS
                size = AGAIN_EVERY * max(1, int(_BLOCK_SECONDS / each / AGAIN_EVERY))
                if self.settings.cases is not None:
                    size = min(size, self.settings.cases + 1 - number)
                cases = tuple(case for _, case in itertools.islice(self._cases, size))
                if not cases:
                    return
                yield Block(next(orders), number, cases, time.monotonic() - self._began, self.counts["hang"])
                number += len(cases)

    def _take(self, result: Result, end: Callable[[], None]) -> None:
        """Add a block to the coverage, and shrink its failures."""
        block, judged = result.task, result.value
        if judged is None:
            for case in block.cases:
                self.coverage.count(case)
            self.coverage.skipped[f"their workers were lost: {result.lost[-1]}"] += len(block.cases)
            return
        for name, seconds in judged.shares.items():
            self.shares[name] += seconds
        self._slowest, self._has_read = max(self._slowest, judged.slowest), self._has_read or judged.has_read
        self._seconds_each = judged.seconds / len(block.cases)
        for coverage, met, problem, again in judged.failures:
            self.coverage.add(coverage)
            self._last = met
            if not self.settings.keep_going:
                end()  # the workers end before the failure is shrunk
            try:
                if judged.host == platform.node() or self._repeats(met, problem):
                    self._settle(met, problem, again, f"a worker on {judged.host}")
                else:
                    claim = f"{problem.group} on {shorten(met.case.puzzle.text, _MAX_SHOWN)}"
                    self.coverage.unrepeated.append(f"{claim}, by the worker on {judged.host}: not so on this machine")
            except KeyboardInterrupt:
                self._keep_unconfirmed(met, problem)
                raise
        self.coverage.add(judged.coverage)
        self._under_way = judged.coverage.unanswered or self._under_way

    def _repeats(self, met: Asked, problem: Problem) -> bool:
        """Return whether this machine sees a failure that a worker on another one reports."""
        cause = cause_of(problem, met.case.puzzle, self._is_solvable(met.case))
        with contextlib.suppress(OutOfTime):
            return self._search(cause, self._deadline.for_search(SECONDS), met).seen(met.case.puzzle) is not None
        return False


@contextlib.contextmanager
def open_session(
    settings: Settings,
    make_subject: Callable[[], Subject],
    on_case: Callable[[Session], None],
    corpus: Corpus,
    jobs: int = 1,
    dask: str | None = None,
) -> Iterator[Session]:
    """Open a verification in this process, by several, or by a Dask cluster; ``make_subject`` is pickled for those."""
    if jobs == 1 and dask is None:
        yield Session(settings, make_subject(), on_case, corpus=corpus)
        return
    with open_executor(functools.partial(part, settings, make_subject), jobs, dask) as executor:
        yield SharedSession(executor, settings, make_subject(), on_case, corpus=corpus)
