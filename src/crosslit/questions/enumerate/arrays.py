"""Solutions as arrays: found in this process, or read from a list."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from crosslit.base.errors import InputError, WrongSolution
from crosslit.base.layout import DIGITS
from crosslit.contract import Task
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import Puzzle
from crosslit.kinds.batch import first_wrong, record_bytes
from crosslit.questions.enumerate.lists import FRAMES, cells_of
from crosslit.registry import Choice, select_one
from crosslit.registry.defaults import default
from crosslit.runs.inline import closing_at_exit, drive, drive_batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def batches(puzzle: PuzzleLike, backend: str | None = None) -> Iterator[NDArray[np.uint8]]:
    """Yield all solutions in arrays, each checked by the rules; the end claims that there are no more.

    It runs in this process, without limits. The default backend of a board makes millions of solutions per second, in
    ascending order of their one-line form; a backend without batches gives arrays of one solution.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default a native solver.

    Yields:
        Arrays of shape (solutions, bytes): the cells of each packed as in `crosslit.Grid`. ``numpy.unpackbits(array,
        axis=1, count=rows * columns, bitorder="little").reshape(-1, rows, columns)`` has the cells.

    Raises:
        InputError: if the one-line form cannot be read.
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        GaveUp: if the backend stops without the claim that there are no more.
        WrongSolution: if the backend gives a grid that breaks the rules.

    See Also:
        solutions: the same solutions one by one.
        count: their number, without enumeration.

    Examples:
        >>> from crosslit.formats import read
        >>> sum(len(array) for array in batches(read("/".join(["0" * 19] * 19))))
        65536
    """
    import numpy as np

    puzzle = as_puzzle(puzzle)
    choice = select_one(backend or default(puzzle), puzzle)
    size = record_bytes(puzzle)
    with closing_at_exit(_packed(choice, puzzle)) as found:
        for packed in found:
            if (rejected := first_wrong(puzzle, packed)) is not None:
                index, violation = rejected
                (grid,) = puzzle.layout.answers(packed[index * size : (index + 1) * size])
                raise WrongSolution(f"{choice.spec} gave {grid.text()}: {violation}")
            # A view without a copy; it is read-only, since `bytes` cannot change.
            yield np.frombuffer(packed, np.uint8).reshape(-1, size)


def read_list(data: bytes, origin: str) -> NDArray[np.uint8]:
    """Return the solutions of a list of ``crosslit enumerate``, as an array of values (solutions, rows, columns)."""
    name = "jsonl" if data.startswith(b"{") else "text"
    before, after = FRAMES[name]
    lines = data.splitlines(keepends=True)
    if not lines:
        raise InputError(origin, "expected a list of solutions, found an empty file")
    # The first line decides the shape: every record has its length, and a separator where it has one.
    first = lines[0].removeprefix(before).removesuffix(after)
    rows, columns = first.count(b"/") + 1, len(first.partition(b"/")[0])
    shape = b"/".join([b"0" * columns] * rows)
    zeros = bytes.maketrans(DIGITS.encode(), b"0" * len(DIGITS))
    for number, line in enumerate(lines, 1):
        cells = line.removeprefix(before).removesuffix(after)
        if not columns or cells.translate(zeros) != shape:
            raise InputError(origin, f"expected a solution of {rows} x {columns} cells, found {line[:40]!r}", number)
    # The last line of a text may lack its end.
    return cells_of(data.removesuffix(after) + after, name, rows, columns)


def _packed(choice: Choice, puzzle: Puzzle) -> Generator[bytes, None, None]:
    task = Task(encoding=choice.encoding, options=choice.options)
    if choice.backend.answers("batches"):
        yield from drive_batches(choice.backend, puzzle, task)
    else:
        for grid in drive(choice.backend, puzzle, task):
            yield grid.packed
