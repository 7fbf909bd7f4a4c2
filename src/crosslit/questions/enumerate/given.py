"""Solutions in arrays, and the check of a list that was made elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosslit.base.errors import InputError, WrongSolution
from crosslit.base.grid import ArrayLike, Grid
from crosslit.base.layout import Layout, text_of
from crosslit.base.numbers import exact, shorten
from crosslit.base.records import Result
from crosslit.contract import Task
from crosslit.contract.run import Limits
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import Puzzle
from crosslit.kinds.batch import first_wrong, record_bytes
from crosslit.questions.enumerate.listing import Enumeration, Lister
from crosslit.questions.enumerate.lists import ListingFormat, SolutionSet
from crosslit.questions.enumerate.reading import SolutionReader
from crosslit.registry import Choice, select_one
from crosslit.registry.defaults import checks_of, default
from crosslit.runs.job import closing_at_exit, drive, drive_batches
from crosslit.runs.runner import Runner, isolated

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
        Arrays of shape (solutions, bytes): the cells of each packed as in `crosslit.Grid`, with ``puzzle.layout.width``
            bits for each cell: one, or more with more than two states or several colours. The example unpacks them.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.
        GaveUp: if the backend stops without the claim that there are no more.
        WrongSolution: if the backend gives a grid that breaks the rules.

    Examples:
        >>> from crosslit.formats import read
        >>> sum(len(array) for array in batches(read("/".join(["0" * 19] * 19))))
        65536
        >>> def cells(puzzle):
        ...     packed, layout = np.concatenate([*batches(puzzle)]), puzzle.layout
        ...     bits = np.unpackbits(packed, axis=1, count=layout.bits, bitorder="little")
        ...     return bits.reshape(-1, layout.rows, layout.columns, layout.width) @ (1 << np.arange(layout.width))
        >>> import numpy as np
        >>> for text in ("10/01", "modular-lights-out:3/12/00", "coloured-nonogram:2a 1b,1b|1a,1a 1b,1b"):
        ...     cells(read(text)).tolist()
        [[[1, 0], [0, 1]]]
        [[[0, 0], [2, 1]], [[1, 1], [0, 2]], [[2, 2], [1, 0]]]
        [[[1, 1, 2], [0, 2, 0]]]
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
                raise WrongSolution(f"{choice.spec} gave {grid.text}: {violation}")
            # A view without a copy; it is read-only, since `bytes` cannot change.
            yield np.frombuffer(packed, np.uint8).reshape(-1, size)


def _packed(choice: Choice, puzzle: Puzzle) -> Generator[bytes, None, None]:
    task = Task(encoding=choice.encoding, options=choice.options)
    if choice.backend.answers("batches"):
        yield from drive_batches(choice.backend, puzzle, task)
    else:
        for grid in drive(choice.backend, puzzle, task):
            yield grid.packed


GivenList = str | os.PathLike[str] | Iterable[Grid | str | ArrayLike | Sequence[Any]]
"""The path of a file, one solution per line; or the solutions, as for `text_of`."""

MAX_FAULTS = 20  # lines whose problem is kept, and missing solutions
_TOGETHER = 4096  # lines read together
_MAX_SHOWN = 40  # characters of a line in a message


@dataclass(repr=False)
class ListCheck(Result):
    """A list of solutions, judged by the rules and by independent backends.

    Args:
        outcome: the enumeration of what the list lacks: it has the evidence for the number of all solutions, and
            ``known`` is the number of different solutions in the list.
        wrong: the number of lines that are no solutions.
        repeated: the number of lines that repeat an earlier one.
        faults: the numbers of such lines, with their problems; at most `MAX_FAULTS`.
        examples: solutions that the list lacks; at most `MAX_FAULTS`.
    """

    truth = "is_right"

    outcome: Enumeration
    wrong: int = 0
    repeated: int = 0
    faults: list[tuple[int, str]] = field(default_factory=list)
    examples: list[Grid] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """The number of solutions, found and checked by the rules, that the list lacks."""
        return self.outcome.found - self.outcome.known

    @property
    def is_right(self) -> bool:
        """True if no line is wrong or repeated, and a complete search found no solution that the list lacks."""
        return self.outcome.complete and not self.has_faults

    @property
    def has_faults(self) -> bool:
        """True if a line is wrong or repeated, or a solution is missing; others may not have been looked for."""
        return bool(self.wrong or self.repeated or self.missing or self.examples)

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        faults = [{"line": line, "problem": problem} for line, problem in self.faults]
        numbers = {name: exact(getattr(self, name)) for name in ("wrong", "repeated", "missing")}
        evidence = {"complete": self.outcome.complete, "evidence": self.outcome.evidence}
        return {"right": exact(self.outcome.known), **numbers, **evidence, "faults": faults}

    def read(self, given: GivenList, on_batch: Callable[[int], None] = lambda _: None) -> SolutionSet:
        """Return the different solutions of a list, and note the faults of its lines; tell how many were read.

        A list without any solution of the puzzle's shape is an `InputError`: it is a list of something else.
        """
        puzzle, found = self.outcome.puzzle, SolutionSet(self.outcome.puzzle.layout)
        reader, layout = SolutionReader(puzzle.layout), ListingFormat(puzzle)
        lines, unreadable, is_readable = enumerate(self._read_lines(given), 1), "", False
        while batch := list(islice(lines, _TOGETHER)):
            # Most lists are as `crosslit enumerate` writes them, and right.
            packed = None if reader.is_within else layout.parse(b"".join(line for _, line in batch))
            if packed is not None and first_wrong(puzzle, packed) is None:
                right = dict(zip((number for number, _ in batch), puzzle.layout.parts(packed), strict=True))
            else:
                right = {}
                texts = [(number, line.decode(errors="replace")) for number, line in batch]
                for number, grid in reader.read(texts):
                    if isinstance(grid, ValueError):
                        text = shorten(dict(texts).get(number, "").strip(), _MAX_SHOWN)
                        unreadable = unreadable or f"line {number}: {grid}, found {text!r}"
                        self._note_wrong(number, str(grid))
                    elif (rejected := first_wrong(puzzle, grid.packed)) is not None:
                        is_readable = True
                        self._note_wrong(number, rejected[1])
                    else:
                        right[number] = grid.packed
            numbers = [*right]
            for index in found.add(b"".join(right.values())):
                self.repeated += 1
                self._note(numbers[index], "repeats an earlier line")
            on_batch(batch[-1][0])
        for number, problem in reader.end():
            unreadable = unreadable or f"line {number}: {problem}"
            self._note_wrong(number, str(problem))
        if unreadable and not (is_readable or len(found)):
            raise InputError(_name(given), f"no line is a solution of this puzzle; {unreadable}")
        return found

    def _read_lines(self, given: GivenList) -> Iterator[bytes]:
        if not isinstance(given, str | os.PathLike):
            yield from (f"{text_of(one)}\n".encode() for one in given)
            return
        if Path(given).suffix.lower() == ".npy":
            try:
                yield from self._read_lines(_read_array(given, self.outcome.puzzle.layout))
            except TypeError as error:  # a number that is no state of any cell
                raise InputError(_name(given), str(error)) from None
            return
        longest = 16 * self.outcome.puzzle.layout.variables + (1 << 20)  # bytes of a line
        try:
            with Path(given).open("rb") as file:
                mark = b"\xef\xbb\xbf"  # of the byte order, with which programs on Windows begin
                line = file.readline(longest).removeprefix(mark)
                while line:
                    yield line
                    # The rest of a longer line is not another line.
                    while len(line) == longest and not line.endswith(b"\n"):
                        line = file.readline(longest)
                    line = file.readline(longest)
        except OSError as error:
            raise InputError(_name(given), error.strerror or "cannot be read") from None

    def lack(self, packed: bytes) -> None:
        """Keep some of these missing solutions."""
        left = MAX_FAULTS - len(self.examples)
        self.examples += self.outcome.puzzle.layout.answers(packed[: left * self.outcome.puzzle.layout.size])

    def _note_wrong(self, line: int, problem: str) -> None:
        self.wrong += 1
        self._note(line, problem)

    def _note(self, line: int, problem: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append((line, problem))


def _name(given: GivenList) -> str:
    return os.fspath(given) if isinstance(given, str | os.PathLike) else "the list"


def _read_array(path: str | os.PathLike[str], layout: Layout) -> Iterator[NDArray[Any]]:
    """Return an iterator over the solutions of a file of NumPy, which stays on disk."""
    import numpy as np

    form = f"expected an array of NumPy of whole numbers, shape (solutions, {layout.rows}, {layout.columns})"
    try:
        array = np.lib.format.open_memmap(path, mode="r")  # which never unpickles
    except OSError as error:
        raise InputError(os.fspath(path), error.strerror or "cannot be read") from None
    except ValueError:
        raise InputError(os.fspath(path), form) from None
    if array.shape[1:] != layout[:2] or array.dtype.kind not in "bui":
        raise InputError(os.fspath(path), f"{form}, found {array.dtype} of shape {array.shape}")
    return iter(array)


def check_list(
    puzzle: PuzzleLike,
    solutions: GivenList,
    backend: str | None = None,
    *,
    timeout: float = Limits.timeout,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> ListCheck:
    """Return which solutions of a list are wrong or repeated, and how many are missing.

    The rules judge each solution. A backend finds those that the list lacks, and an independent one checks that there
    are no others.

    Args:
        puzzle: the puzzle, or its one-line form.
        solutions: the path of a list with a solution on each line, as ``10/01``, or of an array (``.npy``) of shape
            (solutions, rows, columns); or the solutions, each a `Grid`, text such as ``10/01``, an array, or rows of
            numbers.
        backend: one spec; by default a native solver.
        timeout: limit of each run, in seconds of wall time.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `ListCheck`: ``is_right``, ``faults``, the number ``missing`` with ``examples``, and ``outcome`` with the
            evidence.

    Raises:
        InputError: if the one-line form or the list cannot be read.
        SpecError: if the spec does not name exactly one backend that supports the puzzle, or nothing can check it.
        TypeError: if one of the solutions has none of these forms.

    Examples:
        >>> found = check_list("1,1|1,1", ["10/01", "11/00", "10/01"])
        >>> found.is_right, found.faults, found.outcome.evidence
        (False, [(2, 'row 1 has blocks 2, its clue is 1'), (3, 'repeats an earlier line')], 'agreed')
        >>> found.missing, found.examples[0].text
        (1, '01/10')
    """
    puzzle = as_puzzle(puzzle)
    choice = select_one(backend or default(puzzle, "list"), puzzle)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        lister = Lister(puzzle, choice, runner, lambda packed: found.lack(packed), checks_of(choice, puzzle))
        found = ListCheck(lister.outcome)
        lister.run(given=found.read(solutions))
    return found
