"""Drive one backend in this process: the clock, the contract, the end. No limits: those need a process of its own."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

from crosslit.contract import Backend, ContractError, Task
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle
from crosslit.questions import answer_shape


def drive(backend: Backend, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
    """Yield what the backend yields, timing it in ``task.clock``, and free it at the end, whatever the end is.

    Exhaustion carries the backend's own claim on the question: that there are no more solutions, or no better ones. The
    solutions are not checked by the rules here: whoever judges them does that.

    Raises:
        GaveUp: from the backend.
        ContractError: if the backend yields something that is not a grid of the puzzle's shape.
    """
    answer = _method(backend, task)
    rows, columns = answer_shape(task.question, puzzle)
    clock = task.clock
    clock.resume()
    solutions = answer(puzzle, task)
    if not isinstance(solutions, Generator):
        raise ContractError(f"it answered with {type(solutions).__name__} where a generator of Grids is due")
    try:
        for grid in solutions:
            clock.pause()
            handed = time.perf_counter()
            if not isinstance(grid, Grid):
                raise ContractError(f"it yielded {type(grid).__name__} where a Grid is due: {grid!r:.60}")
            if (grid.rows, grid.columns) != (rows, columns):
                raise ContractError(
                    f"it yielded a {grid.rows} x {grid.columns} grid where one of {rows} x {columns} is due"
                )
            try:
                yield grid
            finally:  # the last one too, after which the caller may want no more
                clock.held += time.perf_counter() - handed
            clock.resume()
    finally:
        clock.resume()
        solutions.close()
        clock.pause()


def drive_batches(backend: Backend, puzzle: Puzzle, task: Task) -> Generator[bytes, None, None]:
    """Yield the batches of a backend that has `crosslit.questions.AnswersBatches.batches`, as `drive` does solutions.

    Raises:
        GaveUp: from the backend.
        ContractError: if the backend yields something else than packed grids of the puzzle's shape.
    """
    size = (puzzle.rows * puzzle.columns + 7) // 8
    clock = task.clock
    clock.resume()
    batches: Generator[bytes, None, None] = backend.batches(puzzle, task)  # type: ignore[attr-defined]
    try:
        for packed in batches:
            clock.pause()
            handed = time.perf_counter()
            if not isinstance(packed, bytes) or not packed or len(packed) % size:
                raise ContractError(f"it yielded {packed!r:.40} where grids of {size} bytes each are due")
            try:
                yield packed
            finally:
                clock.held += time.perf_counter() - handed
            clock.resume()
    finally:
        clock.resume()
        batches.close()
        clock.pause()


def drive_count(backend: Backend, puzzle: Puzzle, task: Task) -> int:
    """How many solutions the backend claims that there are, timing it in ``task.clock``.

    Raises:
        GaveUp: from the backend.
        ContractError: if it answers with what is no number of solutions.
    """
    answer = _method(backend, task)
    task.clock.resume()
    try:
        number = answer(puzzle, task)
    finally:
        task.clock.pause()
    if type(number) is not int or number < 0:
        raise ContractError(f"it counted {number!r:.60} where a whole number of solutions is due")
    return number


def _method(backend: Backend, task: Task) -> Any:
    answer = getattr(backend, task.question, None)
    if answer is None:
        raise ContractError(f"{backend.name} does not answer {task.question!r}")
    return answer
