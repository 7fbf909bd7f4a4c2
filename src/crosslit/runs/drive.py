"""A backend driven in this process: its answers one by one, with its clock and the contract that they keep."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

from crosslit.base.errors import CertificateRejected, GaveUp, InternalError, OneFound
from crosslit.base.grid import Grid, Layout
from crosslit.contract import Backend, ContractError, Task, answer_layout
from crosslit.contract.run import RunStatus
from crosslit.kinds import Puzzle

# receives the seconds for which a solution was held; not kept in the task, where a backend could change them
Hold = Callable[[float], None]


def drive(
    backend: Backend, puzzle: Puzzle, task: Task, hold: Hold = lambda _seconds: None
) -> Generator[Grid, None, None]:
    """Yield a backend's solutions, timed in ``task.clock``, and free the backend at the end, even after an error.

    If the backend's iterator ends, it claims that there are no more solutions, or, for a question about the fewest, no
    better ones. A ContractError says that it yielded something else than grids of the puzzle's shape; the caller checks
    the rules. ``hold`` is called for each solution with the seconds from its arrival until the backend continues.
    """
    layout = answer_layout(task.question, puzzle)

    def check(grid: object) -> None:
        if not isinstance(grid, Grid):
            raise ContractError(f"it yielded {type(grid).__name__} where a Grid is expected: {grid!r:.60}")
        if not layout.admits(grid):
            raise ContractError(f"it yielded {_form(grid)} where {_form(layout)} is expected")

    return _handed(_method(backend, task), puzzle, task, hold, check)


def drive_batches(
    backend: Backend, puzzle: Puzzle, task: Task, hold: Hold = lambda _seconds: None
) -> Generator[bytes, None, None]:
    """Yield the batches of a backend with `crosslit.contract.Backend.batches`, as `drive` does solutions."""
    size = puzzle.layout.size

    def check(packed: object) -> None:
        if not isinstance(packed, bytes) or not packed or len(packed) % size:
            raise ContractError(f"it yielded {packed!r:.40} where grids of {size} bytes each are expected")

    return _handed(backend.batches, puzzle, task, hold, check)


def _handed(
    answer: Callable[[Puzzle, Task], Any], puzzle: Puzzle, task: Task, hold: Hold, check: Callable[[object], None]
) -> Generator[Any, None, None]:
    clock = task.clock
    clock.resume()
    solutions = answer(puzzle, task)
    # Only a generator hands over each solution when it is found, and can be closed to free the engine.
    if not isinstance(solutions, Generator):
        raise ContractError(f"it answered with {type(solutions).__name__} where a generator of Grids is expected")
    try:
        for grid in solutions:
            clock.pause()
            handed = clock.paused_at
            check(grid)
            try:
                yield grid
            finally:  # including the last solution, at which the consumer stops
                continues = time.perf_counter()
                hold(continues - handed)
            clock.resume(continues)  # no gap: between millions of solutions, it would be a tenth of the time
    finally:
        clock.resume()
        solutions.close()
        clock.pause()


def drive_count(backend: Backend, puzzle: Puzzle, task: Task) -> int:
    """Return the number of solutions that the backend claims, timed in ``task.clock``."""
    answer = _method(backend, task)
    task.clock.resume()
    try:
        number = answer(puzzle, task)
    finally:
        task.clock.pause()
    if type(number) is not int or number < 0:
        raise ContractError(f"it counted {number!r:.60} where a whole number of solutions is expected")
    bits = puzzle.layout.bits
    if number > 1 << bits:  # no puzzle has more grids
        cells = puzzle.rows * puzzle.columns
        raise ContractError(f"it counted more than 2^{bits} solutions of a puzzle of {cells} cells")
    return number


def failure(error: Exception) -> tuple[RunStatus, str]:
    """Return the status of a run that an exception has ended, and the reason."""
    match error:
        case GaveUp() | CertificateRejected() | InternalError():  # none is a mistake of the backend
            return "one found" if isinstance(error, OneFound) else "gave-up", str(error)
        case MemoryError():
            # The memory limit is polled and raises nothing: this allocation was larger than the system grants.
            return "memory", "the allocation failed"
        case ImportError():
            return "unsupported", f"cannot be imported: {error}"
        case ContractError():
            return "error", str(error)
    import traceback

    frames = traceback.walk_tb(error.__traceback__)
    places = [f" ({Path(frame.f_code.co_filename).name}:{line})" for frame, line in frames]
    # The innermost one: the others are Crosslit's for every run.
    return "error", f"{type(error).__name__}: {error}{''.join(places[-1:])}"


def _form(grid: Grid | Layout) -> str:
    states = "" if grid.states == 2 else f" of {grid.states} states"
    return f"a {grid.rows} x {grid.columns} grid{states}"


def _method(backend: Backend, task: Task) -> Any:
    if not backend.answers(task.question):
        raise ContractError(f"{backend.name} does not answer {task.question!r}")
    return getattr(backend, task.question)


T = TypeVar("T")
_open = WeakSet[Generator[Any, None, None]]()  # searches that have started


@contextmanager
def closing_at_exit(search: Generator[T, None, None]) -> Iterator[Generator[T, None, None]]:
    """Close a search at the end of a block, or when Python exits: once modules are gone, no engine can be freed."""
    _open.add(search)
    with closing(search):
        yield search
        if search not in _open:
            # A generator that is closed ends silently, which here would be the claim that there are no more solutions.
            raise GaveUp("the search was closed because Python exits")


@atexit.register
def _close_open() -> None:
    while _open:
        with suppress(ValueError):  # a thread is running it
            _open.pop().close()
